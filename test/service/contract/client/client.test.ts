/**
 * A client of openapi-typescript and openapi-fetch against the sandbox. Its types are generated from docs/openapi.json and
 * checked by document.test.ts; here they are erased.
 */
import createClient from 'openapi-fetch';

import { until } from '../../../../harness/until';
import { closeAll, openReceiver, openSandbox } from '../../sandbox/support';
import type { components, paths } from './generated';

afterEach(closeAll);

test('sends a message, reads what the service refuses, and receives an event', async () => {
	const { sandbox } = await openSandbox();
	const headers = { Authorization: `Bearer ${sandbox.key}` };
	const client = createClient<paths>({ baseUrl: sandbox.url, headers });
	const body = { to: '+15550001001', text: 'Your order is ready' };
	const { data: sent } = await client.POST('/v1/messages/send', { body });
	expect(sandbox.state.messages.all).toMatchObject([{ id: sent?.id, text: body.text }]);
	const { error, response } = await client.POST('/v1/messages/send', {
		// @ts-expect-error the types demand a text
		body: { to: 'nobody' },
	});
	expect([response.status, error?.error.code, error?.error.field]).toEqual([422, 'invalid', 'to']);

	const { url, received } = await openReceiver();
	const events = ['message.received'];
	const { data: webhook } = await client.POST('/v1/webhooks', { body: { url, events } });
	sandbox.state.traffic.receive({ from: body.to, text: 'Thanks' });
	const event = await until('the event arrived', () => received[0]?.body);
	const { data } = event as components['schemas']['MessageReceivedEvent'];
	expect([data.from, data.text]).toEqual([body.to, 'Thanks']);
	const path = { id: webhook?.id ?? '' };
	expect((await client.DELETE('/v1/webhooks/{id}', { params: { path } })).response.status).toBe(
		204,
	);
	expect(sandbox.state.webhooks.all).toEqual([]);
});
