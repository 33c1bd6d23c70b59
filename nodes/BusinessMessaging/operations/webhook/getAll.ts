import { endpoints } from '../../api/endpoints';
import { withoutSecrets } from '../../transport/secrets';
import { listOperation } from '../operation';

/** Lists webhooks, without the secrets in the URLs of triggers. Source: specification, GET /v1/webhooks. */
export const getWebhooks = listOperation({
	resource: 'webhook',
	description: 'Get many webhooks. Secrets in their URLs are left out.',
	endpoint: endpoints.listWebhooks,
	fields: [],
	shape: withoutSecrets,
});
