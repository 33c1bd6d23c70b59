/** Templates. */
import { pageOf } from '../paging';
import type { Handlers } from './types';

export const templateHandlers: Pick<
	Handlers,
	'listTemplates' | 'createTemplate' | 'updateTemplate'
> = {
	listTemplates: ({ state, query }) => pageOf(state.templates.all, query, state.settings),

	createTemplate({ state, body }) {
		const template = state.templates.create(body, 'PENDING');
		state.awaitApproval(template);
		return template;
	},

	updateTemplate({ state, id, body }) {
		const template = state.templates.update(id, body);
		state.awaitApproval(template);
		return template;
	},
};
