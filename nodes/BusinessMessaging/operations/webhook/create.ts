import { endpoints } from '../../api/endpoints';
import { eventKinds } from '../../api/events';
import { type ParameterField, textField } from '../fields';
import { registerWebhook } from '../../transport/registerWebhook';
import { operation, record } from '../operation';

const eventsField: ParameterField<'events', string[]> = {
	displayName: 'Events',
	name: 'events',
	type: 'multiOptions',
	options: eventKinds,
	default: ['message.received'],
	required: true,
	description: 'Which events are delivered',
};

/** Registers a webhook. A new signing secret is output, because services show it only once. Source: specification, POST /v1/webhooks; the body is an assumption. */
export const createWebhook = operation({
	resource: 'webhook',
	name: 'Create',
	value: 'create',
	action: 'Create webhook',
	description: 'Register a URL to receive events. The trigger node does this automatically.',
	endpoint: endpoints.createWebhook,
	fields: [
		textField({
			displayName: 'URL',
			name: 'url',
			required: true,
			placeholder: 'e.g. https://example.com/events',
			description: 'The URL that receives events',
		}),
		eventsField,
	],
	request: ({ url, events }) => ({ body: { url: url.trim(), events } }),
	run: async (client, { body = {}, idempotencyKey }) =>
		record(await registerWebhook(client, body, idempotencyKey), 'webhook'),
});
