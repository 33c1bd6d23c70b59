/** The client of openapi-typescript and openapi-fetch: generated types, and a small library on fetch. */
import createClient from 'openapi-fetch';

import { runErrands } from './errand';
import type { components, paths } from './generated/openapi-typescript';

void runErrands((baseUrl, apiKey) => {
	const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${apiKey}` } });
	return {
		async send(to, text) {
			const { data } = await client.POST('/v1/messages/send', { body: { to, text } });
			return data?.id;
		},
		async sendWrongly() {
			// @ts-expect-error the types demand a text
			const { error, response } = await client.POST('/v1/messages/send', {
				body: { to: 'nobody' },
			});
			return { status: response.status, code: error?.error.code, field: error?.error.field };
		},
		async listPhones(limit) {
			const { data } = await client.GET('/v1/contacts', { params: { query: { limit } } });
			return data?.data.map(({ phone }) => phone) ?? [];
		},
		async registerWebhook(url) {
			const { data } = await client.POST('/v1/webhooks', {
				body: { url, events: ['message.received'] },
			});
			return data?.id;
		},
		async deleteWebhook(id) {
			const { response } = await client.DELETE('/v1/webhooks/{id}', { params: { path: { id } } });
			if (response.status !== 204) throw new Error(`The deletion answers ${response.status}`);
		},
		readDelivery(body) {
			const { data } = JSON.parse(body) as components['schemas']['MessageReceivedEvent'];
			return data;
		},
	};
});
