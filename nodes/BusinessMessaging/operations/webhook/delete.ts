import { endpoints } from '../../api/endpoints';
import { recordField } from '../fields';
import { operation } from '../operation';

/** Removes a webhook. Source: specification, DELETE /v1/webhooks/:id. */
export const deleteWebhook = operation({
	resource: 'webhook',
	name: 'Delete',
	value: 'delete',
	action: 'Delete webhook',
	description: 'Stop the delivery of events to a URL',
	endpoint: endpoints.deleteWebhook,
	fields: [
		recordField({
			displayName: 'Webhook',
			name: 'webhookId',
			required: true,
			description: 'The webhook to delete. Its URL receives no more events.',
			hint: 'A trigger that uses it stops. Unpublish and publish its workflow; with Registration: Manual, register its URL again.',
			searchListMethod: 'searchWebhooks',
			idPlaceholder: 'e.g. webhook_123',
		}),
	],
	request: ({ webhookId }) => ({ id: webhookId }),
});
