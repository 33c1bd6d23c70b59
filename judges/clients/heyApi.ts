/** The client of @hey-api/openapi-ts: a generated function for each operation, on axios. */
import { runErrands } from './errand';
import {
	createWebhook,
	deleteWebhook,
	listContacts,
	sendText,
	type MessageReceivedEvent,
} from './generated/hey-api';
import { createClient } from './generated/hey-api/client';

void runErrands((baseURL, apiKey) => {
	const client = createClient({ baseURL, auth: apiKey });
	return {
		async send(to, text) {
			const { data } = await sendText({ client, body: { to, text }, throwOnError: true });
			return data.id;
		},
		async sendWrongly() {
			// @ts-expect-error the types demand a text
			const { error, status } = await sendText({ client, body: { to: 'nobody' } });
			return { status, code: error?.error.code, field: error?.error.field };
		},
		async listPhones(limit) {
			const { data } = await listContacts({ client, query: { limit }, throwOnError: true });
			return data.data.map(({ phone }) => phone);
		},
		async registerWebhook(url) {
			const { data } = await createWebhook({
				client,
				body: { url, events: ['message.received'] },
				throwOnError: true,
			});
			return data.id;
		},
		async deleteWebhook(id) {
			await deleteWebhook({ client, path: { id }, throwOnError: true });
		},
		readDelivery(body) {
			const { data } = JSON.parse(body) as MessageReceivedEvent;
			return data;
		},
	};
});
