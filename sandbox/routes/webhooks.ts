/** Webhooks. */
import { notFound } from '../errors';
import { pageOf } from '../paging';
import type { Handlers } from './types';

export const webhookHandlers: Pick<Handlers, 'createWebhook' | 'listWebhooks' | 'deleteWebhook'> = {
	createWebhook: ({ state, body }) => state.webhooks.create(body),

	listWebhooks: ({ state, query }) => pageOf(state.webhooks.all, query, state.settings),

	deleteWebhook({ state, id }) {
		if (!state.webhooks.delete(id)) throw notFound(`There is no webhook ${id}`);
		return {};
	},
};
