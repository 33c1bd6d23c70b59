import { endpoints } from '../../api/endpoints';
import { withoutSecrets } from '../../transport/secrets';
import { listOperation } from '../operation';

/** Lists webhooks, without secrets in their fields and URLs. Source: specification, GET /v1/webhooks. */
export const getWebhooks = listOperation({
	resource: 'webhook',
	description: 'Get many webhooks. Their secrets are left out.',
	endpoint: endpoints.listWebhooks,
	fields: [],
	shape: withoutSecrets,
});
