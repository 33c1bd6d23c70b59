import { endpoints } from '../../api/endpoints';
import { listOperation } from '../operation';

/** Lists conversations. Source: specification, GET /v1/conversations. */
export const getConversations = listOperation({
	resource: 'conversation',
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many conversations',
	description: 'Get many conversations',
	endpoint: endpoints.listConversations,
	fields: [],
});
