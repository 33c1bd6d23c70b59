/** Conversations. */
import { pageOf } from '../paging';
import type { Handlers } from './types';

export const conversationHandlers: Pick<Handlers, 'listConversations'> = {
	listConversations: ({ state, query }) => pageOf(state.conversations.all, query, state.settings),
};
