/** The service that all other tests rely on: its records, messages, deliveries and refusals, over HTTP. */
import { createHmac } from 'node:crypto';

import { sortedUniq } from 'lodash';

import {
	apiPaths,
	endpoints,
	routeOf,
	type EndpointName,
} from '../../../nodes/BusinessMessaging/api/endpoints';
import { RateLimiter } from '../../../sandbox/auth';
import { until } from '../../../harness/until';
import { clientOf, closeAll, openReceiver, openSandbox } from './support';

afterEach(closeAll);

const ada = '+15552000001';
const bob = '+15552000002';
const cem = '+15552000003';
const dora = '+15552000004';
const bodyOf = (...texts: string[]) => ({
	type: 'body',
	parameters: texts.map((text) => ({ type: 'text', text })),
});
test('contacts move between segments, and never share a phone number', async () => {
	const { api, shared } = await openSandbox({ sampleContacts: 0 });
	const fields = { name: 'Ada', phone: ada, segments: ['vip'], city: 'London' };
	const { data: made } = await api.post('/contacts', fields);
	expect(made).toMatchObject(fields);
	const inSegment = async (segment: string) =>
		(await shared.get('/contacts', { params: { segment } })).data.data;
	expect(await inSegment('vip')).toEqual([made]);
	const change = { segments: ['customers'], name: 'Ada L.' };
	const { data: changed } = await shared.patch(`/contacts/${made.id}`, change);
	expect(changed).toMatchObject({ ...fields, ...change });
	expect([await inSegment('vip'), await inSegment('customers')]).toEqual([[], [changed]]);

	const { data: other } = await api.post('/contacts', { phone: bob });
	const refused = await api.post('/contacts', { phone: bob });
	expect([refused.status, refused.data.error.field]).toEqual([409, 'phone']);
	expect((await api.put(`/contacts/${made.id}`, { phone: bob })).status).toBe(409);
	expect((await api.put(`/contacts/${other.id}`, { phone: '+15552000009' })).status).toBe(200);
	expect((await api.put(`/contacts/${made.id}`, { phone: bob })).status).toBe(200);
	expect((await api.put('/contacts/unknown', {})).status).toBe(404);
});

test('templates are approved after a while, and again after a change', async () => {
	const { api, sandbox } = await openSandbox();
	const fields = {
		...{ name: 'greeting', language: 'en_US' },
		components: [{ type: 'body', text: 'Hi {{1}}' }],
	};
	const { data: made } = await api.post('/templates', fields);
	expect(made).toMatchObject({ status: 'PENDING', components: [{ type: 'BODY' }] });
	const stored = sandbox.state.templates.all.find(({ id }) => id === made.id);
	await until('it is approved', () => stored?.status === 'APPROVED');
	const { data: changed } = await api.put(`/templates/${made.id}`, { category: 'UTILITY' });
	expect(changed).toMatchObject({ id: made.id, status: 'PENDING', name: 'greeting' });
	await until('it is approved again', () => stored?.status === 'APPROVED');
	expect((await api.post('/templates', fields)).status).toBe(409);
});

test('an invalid request is refused with the name of its field, and has no effect', async () => {
	const { api, sandbox } = await openSandbox();
	const login = { to: ada, template: 'login_code', language: 'en_US' };
	const welcome = { ...login, template: 'welcome', components: [bodyOf('Ada', 'us')] };
	const noText = { type: 'body', parameters: [{ type: 'text' }] };
	const wrong: Array<[string, object, number, string]> = [
		['/messages/send', { to: '0171 123456', text: 'Hi' }, 422, 'to'],
		['/messages/send', { to: ada, text: 'x'.repeat(4_097) }, 422, 'text'],
		['/messages/template', { ...login, template: 'nothing' }, 404, 'template'],
		['/messages/template', { ...login, language: 'fr_FR' }, 404, 'language'],
		['/messages/template', { ...login, template: 'flash_offer' }, 422, 'template'],
		['/messages/template', login, 422, 'components'],
		['/messages/template', { ...login, components: [noText] }, 422, 'components.0.parameters.0'],
		[
			'/messages/template',
			{ ...login, components: [bodyOf('1', '2')] },
			422,
			'components.0.parameters',
		],
		['/messages/template', { ...login, components: [bodyOf('1'), noText] }, 422, 'components.1'],
		['/messages/template', welcome, 422, 'headerDocumentUrl'],
		['/contacts', { name: 'Nobody' }, 422, 'phone'],
		['/contacts', { phone: ada, segments: [7] }, 422, 'segments.0'],
		['/templates', { name: 'x', language: 'english' }, 422, 'language'],
		['/webhooks', { url: 'ftp://example.com' }, 422, 'url'],
	];
	for (const [path, body, expected, field] of wrong) {
		const { status, data } = await api.post(path, body);
		expect([path, status, data.error.field]).toEqual([path, expected, field]);
	}
	expect(sandbox.state.messages.all).toEqual([]);
	const headerDocumentUrl = 'https://example.com/a.pdf';
	const { status } = await api.post('/messages/template', { ...welcome, headerDocumentUrl });
	expect(status).toBe(201);
});

test('a response to an invalid HTTP request is JSON too', async () => {
	const { api } = await openSandbox();
	const type = (name: string) => ({ headers: { 'content-type': name } });
	const answers = [
		await api.post('/messages/send', Buffer.from('{"to":'), type('application/json')),
		await api.post('/messages/send', { to: ada, text: 'x'.repeat(1_048_576) }),
		await api.post('/messages/send', 'to=1', type('text/csv')),
		await api.get('/nothing'),
		await api.delete('/webhooks/unknown', type('application/json')),
	];
	expect(answers.map(({ status, data }) => [status, data.error.code])).toEqual([
		[400, 'bad_request'],
		[413, 'too_large'],
		[415, 'unsupported_media_type'],
		[404, 'not_found'],
		[404, 'not_found'],
	]);
});

describe('deliveries', () => {
	it('are repeated until the receiver responds with 200, and keep the order for each person', async () => {
		const { sandbox, controls } = await openSandbox({ deliveryTimeoutMs: 200 });
		const receiver = await openReceiver([500, 201, null]);
		sandbox.state.webhooks.create({ url: receiver.url });
		await controls.post('/inbound', { from: ada, text: 'one' });
		await controls.post('/inbound', { from: ada, text: 'two' });
		const { log } = sandbox.state.deliveries;
		await until('both are through', () => log.last().every(({ state }) => state === 'delivered'));
		const texts = receiver.received.map(
			({ body }) => (body as { data: { text: string } }).data.text,
		);
		// On a busy machine, a response may come too late, and the event once more.
		expect(sortedUniq(texts)).toEqual(['one', 'two']);
		const { data } = await controls.get('/deliveries?last=2');
		const [{ event, url, attempts }] = data.data;
		expect([event, url]).toEqual(['message.received', receiver.url]);
		const statuses = attempts.map(({ status }: { status: number }) => status);
		const inTime = statuses.filter((status: number | null) => status !== null);
		expect(sortedUniq(inTime)).toEqual([500, 201, 200]);
		const unanswered = attempts[statuses.indexOf(null, statuses.indexOf(201))];
		expect(unanswered.error).toContain('200 ms');
	});

	it('stop when their webhook is deleted', async () => {
		const { sandbox, api } = await openSandbox();
		const receiver = await openReceiver(Array<number>(100).fill(500));
		const webhook = sandbox.state.webhooks.create({ url: receiver.url });
		const delivery = sandbox.state.deliveries.deliver(webhook, 'custom.kind', { a: 1 });
		await until('it was tried', () => receiver.received.length > 0);
		await api.delete(`/webhooks/${webhook.id}`);
		await until('it is cancelled', () => delivery.state === 'cancelled');
	});
});

test('each API path has only its own endpoints, says which methods it accepts, and requires a key', async () => {
	const { sandbox, url } = await openSandbox();
	const client = clientOf(url, sandbox.key);
	const names = Object.keys(endpoints) as EndpointName[];
	for (const [apiPath, name] of apiPaths.flatMap((one) =>
		names.map((name) => [one, name] as const),
	)) {
		const { method, path, listed } = routeOf(endpoints[name], apiPath);
		const request = { method, url: path.replace(':id', 'unknown') };
		const { status } = await client.request(request);
		const ofListed = path.includes(':id') ? [404, 422] : [200, 201, 422];
		const expected = listed ? ofListed : [404, 405];
		expect([apiPath, name, expected]).toEqual([apiPath, name, expect.arrayContaining([status])]);
		for (const key of [undefined, 'wrong', `${sandbox.key}x`])
			expect((await clientOf(url, key).request(request)).status).toBe(401);
	}
	// only the other API path changes a contact with PATCH
	const { status, headers } = await client.patch('/v1/contacts/unknown', {});
	const routes = names.map((name) => routeOf(endpoints[name], '/v1'));
	const taken = routes.filter(({ path, listed }) => listed && path === '/v1/contacts/:id');
	const methods = taken.map(({ method }) => method).join(', ');
	expect([status, headers.allow]).toEqual([405, methods]);
});

test('the rate limit lets the allowed number through within any window, and says when to come again', () => {
	const limiter = new RateLimiter({ requestsPerWindow: 3, rateWindowMs: 10_000 });
	const take = (now: number) => {
		try {
			limiter.take('key', now);
			return 'ok';
		} catch (error) {
			return (error as { headers: Record<string, string> }).headers['retry-after'];
		}
	};
	expect([0, 4000, 9000, 9500, 9999].map(take)).toEqual(['ok', 'ok', 'ok', '1', '1']);
	// One leaves the window at 10,000, the next only at 14,000.
	expect([10_000, 10_001, 13_999, 14_000].map(take)).toEqual(['ok', '4', '1', 'ok']);
});

test('the page and the controls are for this machine only, and load nothing from elsewhere', async () => {
	const { sandbox } = await openSandbox();
	const client = clientOf(sandbox.url);
	const { data: html, headers } = await client.get('/');
	expect(headers['content-security-policy']).toContain("default-src 'none'");
	const addresses = [...html.matchAll(/"(\/phone\/[^"]+)"/g)].map((match) => match[1]);
	expect(addresses).toContain('/phone/main.js');
	for (const path of ['/', '/_sandbox/chats', ...addresses]) {
		const statusFor = async (host: string) =>
			(await client.get(path, { headers: { host: `${host}:${sandbox.port}` } })).status;
		expect([path, await statusFor('localhost')]).toEqual([path, 200]);
		expect([path, await statusFor('evil.example')]).toEqual([path, 403]);
	}
});

test('the controls refuse web pages of other origins', async () => {
	const { sandbox, controls } = await openSandbox();
	const own = `http://127.0.0.1:${sandbox.port}`;
	const statusWith = async (headers: Record<string, string>) =>
		(await controls.post('/inbound', { from: ada, text: 'Hi' }, { headers })).status;
	expect(await statusWith({})).toBe(200);
	expect(await statusWith({ origin: own, 'sec-fetch-site': 'same-origin' })).toBe(200);
	const foreign = ['https://evil.example', 'null', 'http://localhost:5678', `${own}0`];
	for (const origin of foreign)
		expect([origin, await statusWith({ origin })]).toEqual([origin, 403]);
	for (const site of ['cross-site', 'same-site'])
		expect([site, await statusWith({ 'sec-fetch-site': site })]).toEqual([site, 403]);
	expect(sandbox.state.messages.all).toHaveLength(2);
});

test('with a secret, deliveries are signed as the trigger expects it, in both ways', async () => {
	const { sandbox, controls } = await openSandbox();
	const receiver = await openReceiver();
	sandbox.state.webhooks.create({ url: receiver.url });
	const write = async () => {
		const before = receiver.received.length;
		await controls.post('/inbound', { from: ada, text: 'Hi' });
		return await until('the delivery', () => receiver.received.at(before));
	};
	expect(Object.keys((await write()).headers).join()).not.toContain('signature');
	const webhookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
	expect((await controls.patch('/options', { webhookSecret })).data).toMatchObject({
		webhookSecret,
	});
	const { raw, headers } = await write();
	const hmac = createHmac('sha256', webhookSecret).update(raw).digest('hex');
	expect(headers['x-signature']).toBe(hmac);
	const [id, time, given] = ['id', 'timestamp', 'signature'].map((name) =>
		String(headers[`webhook-${name}`]),
	);
	const key = Buffer.from(webhookSecret.slice('whsec_'.length), 'base64');
	const standard = createHmac('sha256', key).update(`${id}.${time}.${raw}`).digest('base64');
	expect(given).toBe(`v1,${standard}`);
});

test('if it recognizes idempotency keys, a repeated request has no second effect', async () => {
	const { api, controls, sandbox } = await openSandbox();
	const send = async (key: string, text = 'Hi') =>
		await api.post('/messages/send', { to: ada, text }, { headers: { 'idempotency-key': key } });
	expect((await send('one')).data.id).not.toBe((await send('one')).data.id);
	await controls.patch('/options', { recognizesIdempotencyKeys: true });
	const [first, again, other] = [await send('two'), await send('two'), await send('three')];
	expect([again.status, again.data]).toEqual([201, first.data]);
	expect(other.data.id).not.toBe(first.data.id);
	expect((await send('two', 'Another text')).data.error.field).toBe('Idempotency-Key');
	expect(sandbox.state.messages.all).toHaveLength(4);
});

test('with a text window, people who have not written lately get only templates', async () => {
	const { api, controls, sandbox } = await openSandbox();
	const text = async () => await api.post('/messages/send', { to: ada, text: 'Hi' });
	expect((await text()).status).toBe(201);
	await controls.patch('/options', { textWindowMs: 24 * 3_600_000 });
	expect(await text()).toMatchObject({
		status: 422,
		data: { error: { field: 'to', message: expect.stringContaining('in the last 24 h') } },
	});
	const template = { to: ada, template: 'opening_hours', language: 'en_US' };
	expect((await api.post('/messages/template', template)).status).toBe(201);
	await controls.post('/inbound', { from: ada, text: 'Hello' });
	expect((await text()).status).toBe(201);
	const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 24 * 3_600_000);
	expect((await text()).status).toBe(422);
	clock.mockRestore();
	sandbox.reset();
	expect((await text()).status).toBe(201);
});

test('messages to some numbers stay unread, and to others fail, until the sandbox is reset', async () => {
	const { api, controls, sandbox } = await openSandbox();
	const sendToAll = async () => {
		for (const to of [ada, bob, cem]) await api.post('/messages/send', { to, text: 'Hi' });
		// Sent last, so its receipts come last.
		const last = sandbox.state.traffic.send({ phone: dora, text: 'Hi' });
		await until('the last receipt', () => last.status === 'read');
		return sandbox.state.messages.all.map(({ status }) => status);
	};
	await controls.patch('/options', { unreadNumbers: [bob], failingNumbers: [cem] });
	expect(await sendToAll()).toEqual(['read', 'delivered', 'failed', 'read']);
	sandbox.reset();
	expect(await sendToAll()).toEqual(['read', 'read', 'read', 'read']);
});

test('an option that cannot be changed at run time is refused by name', async () => {
	const { controls } = await openSandbox();
	for (const [change, field] of [
		[{ port: 1 }, 'body'],
		[{ textWindowMs: -1 }, 'textWindowMs'],
	] as const)
		expect(await controls.patch('/options', change)).toMatchObject({
			status: 422,
			data: { error: { field } },
		});
});

test('faults can be listed with their hits, and taken back', async () => {
	const { api, controls } = await openSandbox();
	await controls.post('/faults', { endpoint: 'listContacts', status: 503, count: 9 });
	expect((await api.get('/contacts')).status).toBe(503);
	const listed = (await controls.get('/faults')).data.data;
	expect(listed).toMatchObject([{ endpoint: 'listContacts', status: 503, count: 9, hits: 1 }]);
	expect((await controls.delete('/faults')).status).toBe(200);
	expect((await controls.get('/faults')).data).toEqual({ data: [] });
	expect((await api.get('/contacts')).status).toBe(200);
});

test('a page size that is no number is refused in words for people', async () => {
	const { api } = await openSandbox();
	const { status, data } = await api.get('/contacts', { params: { limit: 'abc' } });
	expect([status, data.error]).toEqual([
		422,
		{ code: 'invalid', field: 'limit', message: 'must be a number' },
	]);
});
