import { endpoints } from '../../api/endpoints';
import { listOperation } from '../operation';

/** Lists webhooks. Source: specification, GET /v1/webhooks. */
export const getWebhooks = listOperation({
	resource: 'webhook',
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many webhooks',
	description: 'Get many webhooks',
	endpoint: endpoints.listWebhooks,
	fields: [],
});
