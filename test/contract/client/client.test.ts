/**
 * A client of openapi-typescript and openapi-fetch against the sandbox. Its types are generated from docs/openapi.json and
 * checked by document.test.ts; here they are erased.
 */
import createClient from 'openapi-fetch';

import { startSandbox, type Sandbox } from '../../../sandbox';
import { until } from '../../../tools/until';
import { closeAll, openReceiver } from '../../sandbox/support';
import type { components, paths } from './generated';

let sandbox: Sandbox;
let client: ReturnType<typeof createClient<paths>>;

beforeEach(async () => {
	sandbox = await startSandbox({ port: 0 });
	const headers = { Authorization: `Bearer ${sandbox.key}` };
	client = createClient<paths>({ baseUrl: sandbox.url, headers });
});

afterEach(async () => {
	await sandbox.close();
	await closeAll();
});

test('sends a message, and reads which field the service refuses', async () => {
	const body = { to: '+15550001001', text: 'Your order is ready' };
	const { data } = await client.POST('/v1/messages/send', { body });
	const sent = sandbox.state.messages.all.map(({ id, phone, text }) => ({ id, to: phone, text }));
	expect(sent).toEqual([{ id: data?.id, ...body }]);
	const { error, response } = await client.POST('/v1/messages/send', {
		// @ts-expect-error the types demand a text
		body: { to: 'nobody' },
	});
	expect([response.status, error?.error.code, error?.error.field]).toEqual([422, 'invalid', 'to']);
});

test('registers a webhook, reads its event and deletes it', async () => {
	const { url, received } = await openReceiver();
	const { data: webhook } = await client.POST('/v1/webhooks', {
		body: { url, events: ['message.received'] },
	});
	sandbox.state.traffic.receive({ from: '+15550001001', text: 'Thanks' });
	const { body } = await until('the event arrived', () => received[0]);
	const { data } = body as components['schemas']['MessageReceivedEvent'];
	expect([data.from, data.text]).toEqual(['+15550001001', 'Thanks']);

	const id = webhook?.id ?? '';
	const { response } = await client.DELETE('/v1/webhooks/{id}', { params: { path: { id } } });
	expect(response.status).toBe(204);
	expect(sandbox.state.webhooks.all).toEqual([]);
});
