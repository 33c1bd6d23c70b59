/** Deliveries over HTTP through n8n's own webhook context: which start an execution, with which items, and which are refused. */
import axios from 'axios';
import { customer, received, Triggers, useService } from '../../../harness/engine/service';
import type { Trigger } from '../../../harness/engine/trigger';
import { until } from '../../../harness/until';

const service = useService();
const triggers = new Triggers(service);

test('starts an execution when a customer writes, with the simplified event', async () => {
	const trigger = await triggers.active();
	const { traffic } = service.sandbox.state;
	const { message, deliveries } = traffic.receive({ from: customer, text: 'Hello' });
	await until('the delivery', () => deliveries[0].state !== 'pending');
	expect(deliveries[0].attempts).toEqual([expect.objectContaining({ status: 200 })]);
	const { id: messageId, createdAt: time } = message;
	const json = { event: 'message.received', from: customer, text: 'Hello', messageId, time };
	expect(trigger.executions).toEqual([{ items: [[{ json }]] }]);
});

test.each<[event: string, data: object, shown: object]>([
	['message.read', { id: 'evt_1', messageId: 'msg_1' }, { id: 'evt_1', messageId: 'msg_1' }],
	[
		'message.read',
		{ id: 'evt_1', message: { id: 'msg_1' } },
		{ id: 'evt_1', message: { id: 'msg_1' }, messageId: 'msg_1' },
	],
	[
		'message.read',
		{ id: 'msg_1', to: '4917012345678' },
		{ to: '+4917012345678', messageId: 'msg_1' },
	],
	['message.received', { from: 4917012345678, text: 'Hi' }, { from: '+4917012345678', text: 'Hi' }],
	['message.received', { from: 'Acme', media: [1] }, { from: 'Acme', media: [1] }],
	...['whatsapp:+4917012345678', 'tel:+49-170-12345678', '4917012345678@s.whatsapp.net'].map(
		(from): [string, object, object] => ['message.received', { from }, { from: '+4917012345678' }],
	),
	...[{ phone: '4917012345678' }, { phone_number: 4917012345678 }, { wa_id: '4917012345678' }].map(
		(from): [string, object, object] => [
			'message.received',
			{ from: { ...from, name: 'Anna' } },
			{ from: '+4917012345678', fromDetails: { ...from, name: 'Anna' } },
		],
	),
	[
		'message.read',
		{ to: { number: '+4917012345678' } },
		{ to: '+4917012345678', toDetails: { number: '+4917012345678' } },
	],
	['message.received', { from: { name: 'Anna' } }, { from: { name: 'Anna' } }],
	['contact.created', { id: 7, tags: ['new'] }, { id: 7, tags: ['new'] }],
])('simplifies %s with %j to %j', async (event, data, shown) => {
	const trigger = await triggers.active({ parameters: { options: { otherEvents: '*' } } });
	const { workflowData } = await triggers.deliver(trigger, { event, data });
	expect(workflowData).toEqual([[{ json: { event, ...shown } }]]);
});

test('returns the body as it came if Simplify is off', async () => {
	const trigger = await triggers.active({ parameters: { simplify: false } });
	const body = { ...received({ extra: { deep: [1] } }), attempt: 2 };
	expect((await triggers.deliver(trigger, body)).workflowData).toEqual([[{ json: body }]]);
});

test.each([
	['an array without events', [{ event: 1 }]],
	['no data', { event: 'message.received' }],
	['nothing', ''],
])('answers %s with 400 and starts nothing', async (_, body) => {
	const trigger = await triggers.active({ parameters: { options: { otherEvents: '*' } } });
	const answer = await triggers.deliver(trigger, body);
	expect([answer.status, trigger.executions]).toEqual([400, []]);
	expect(answer.body).toEqual({ message: expect.stringContaining('is not an event') });
});

test('starts with the events of a list that also contains other entries', async () => {
	const trigger = await triggers.active();
	const deep = JSON.parse('[1]'.padStart(202, '[').padEnd(401, ']')) as unknown;
	const answer = await triggers.deliver(trigger, [
		{ ping: 1 },
		received({ id: 'deep', deep }),
		received(),
	]);
	expect(answer.workflowData?.[0].map(({ json }) => json.from)).toEqual([customer]);
});

test('the receipt of a message has the ID that the send returned, also beyond 2^53', async () => {
	const trigger = await triggers.active({ parameters: { events: ['message.read'] } });
	const response = '{"id":9007199254740993,"status":"queued"}';
	const headers = { 'content-type': 'application/json' };
	service.fault({ endpoint: 'sendText', status: 201, headers, body: response });
	const parameters = { resource: 'message', operation: 'sendText', to: customer, text: 'Hi' };
	const { outputs } = await service.run({ parameters });
	for (const id of ['9007199254740992', '9007199254740993'])
		await triggers.deliver(trigger, `{"event":"message.read","data":{"id":${id}}}`);
	const ids = trigger.executions.map(({ items }) => items[0][0].json.messageId);
	expect(ids).toEqual(['9007199254740992', '9007199254740993']);
	expect(outputs[0][0].json.messageId).toBe(ids[1]);
});

test.each([
	{ event: 'ping' },
	{ event: 'webhook.test', id: 'evt_1', timestamp: 1_700_000_000 },
	{ type: 'url_validation', data: null },
	{ event: 'webhook_verification', data: {} },
])('responds with 200 to %j, a test of the URL, even before the secret is known', async (body) => {
	const trigger = await triggers.active({ parameters: { options: { otherEvents: '*' } } });
	const answer = await triggers.deliver(trigger, body, {}, trigger.url);
	expect([answer.status, answer.body, trigger.executions]).toEqual([200, { message: 'Ready' }, []]);
});

test.each([
	{ event: 'message.received', from: customer, text: 'Hello' },
	{ event: 'ping', payload: { from: customer } },
	{ event: 'latest', from: customer },
])(
	'responds with an error to %j, which is neither an event nor a test of the URL',
	async (body) => {
		const trigger = await triggers.active({ parameters: { options: { otherEvents: '*' } } });
		expect((await triggers.deliver(trigger, body)).status).toBe(400);
		expect(trigger.executions).toEqual([]);
	},
);

test('reads JSON that has no content type', async () => {
	const trigger = await triggers.active();
	const answer = await triggers.deliver(trigger, JSON.stringify(received()), {
		'Content-Type': 'application/octet-stream',
	});
	expect(answer.workflowData?.[0][0].json).toMatchObject({ from: customer });
});

test.each([
	['without a secret', (url: string) => url.split('?')[0]],
	['with a wrong one', (url: string) => `${url.slice(0, -4)}0000`],
])('answers a call %s with 401 and starts nothing', async (_, change) => {
	const trigger = await triggers.active();
	const answer = await triggers.deliver(trigger, received(), {}, change(triggers.urlOf(trigger)));
	expect([answer.status, trigger.executions]).toEqual([401, []]);
});

test('accepts deliveries without a secret if the URL is registered by hand', async () => {
	const trigger = await triggers.active({ parameters: { options: { registration: 'manual' } } });
	const answer = await trigger.deliver(received());
	expect([answer.status, trigger.executions.length]).toEqual([200, 1]);
});

test('starts one execution with an item for each event of a list that is new and passes the filters', async () => {
	const trigger = await triggers.active({ parameters: { filters: { senders: customer } } });
	const [one, two, three] = ['One', 'Two', 'Three'].map((text) => received({ id: text, text }));
	await triggers.deliver(trigger, two);
	const stranger = received({ id: 'msg_9', from: '+15550002222' });
	const other = { event: 'contact.created', data: {} };
	const mixed = [one, two, stranger, other, three, three];
	const { workflowData } = await triggers.deliver(trigger, { events: mixed });
	expect(workflowData?.[0].map(({ json }) => json.text)).toEqual(['One', 'Three']);
	const again = await triggers.deliver(trigger, mixed);
	expect([again.status, trigger.executions.length]).toEqual([200, 2]);
});

test('answers a GET with its challenge as text, and starts nothing', async () => {
	const trigger = await triggers.active();
	const get = async (params: object) =>
		await axios.get<string>(triggers.urlOf(trigger), { params, responseType: 'text' });
	const { data, headers } = await get({ 'hub.mode': 'subscribe', 'hub.challenge': '115<b>' });
	expect(data).toBe('115<b>');
	expect(headers).toMatchObject({
		'content-type': 'text/plain; charset=utf-8',
		'x-content-type-options': 'nosniff',
	});
	expect((await get({})).data).toBe('');
	expect(trigger.executions).toEqual([]);
});

test('answers a challenge in a POST, even before the secret is known', async () => {
	const trigger = await triggers.active();
	const challenge = { type: 'url_verification', challenge: 'abc' };
	const { status, body } = await triggers.deliver(trigger, challenge, {}, trigger.url);
	expect([status, body, trigger.executions]).toEqual([200, { challenge: 'abc' }, []]);
	const event = { ...received(), challenge: 'abc' };
	expect((await triggers.deliver(trigger, event, {}, trigger.url)).status).toBe(401);
});

test.each([1_000, 1_001])(
	'a challenge of %d characters is answered up to 1,000',
	async (length) => {
		const trigger = await triggers.active();
		const challenge = 'a'.repeat(length);
		const { body } = await triggers.deliver(trigger, { challenge });
		expect(body).toEqual(length === 1_000 ? { challenge } : { message: expect.any(String) });
	},
);

test('the response says what became of a delivery', async () => {
	const options = { maxPayloadSize: 1, signature: { values: {} } };
	const filters = { textContains: 'Hello' };
	const credentials = service.credentials({ webhookSecret: 'key' });
	const signed = await triggers.active({ parameters: { options }, credentials });
	const plain = await triggers.active({ parameters: { filters }, webhookId: 'plain' });
	const said = async (trigger: Trigger, body: object, url?: string) => {
		const answer = await triggers.deliver(trigger, body, {}, url);
		return [answer.status, (answer.body as { message: string }).message];
	};
	const large = received({ text: 'x'.repeat(1_024) });
	expect(await said(plain, received(), plain.url)).toEqual([401, 'The secret is missing or wrong']);
	expect(await said(signed, large)).toEqual([413, 'The body is too large']);
	const unsigned = [401, 'The signature is missing, wrong or too old'];
	expect(await said(signed, received())).toEqual(unsigned);
	const smaller = 1_024 - JSON.stringify(received({ text: '' })).length;
	expect(await said(signed, received({ text: 'x'.repeat(smaller) }))).toEqual(unsigned);
	const notChosen = [200, 'Not chosen in the trigger'];
	expect(await said(plain, received({ text: 'Hi' }))).toEqual(notChosen);
	expect(await said(plain, { event: 'contact.created', data: {} })).toEqual(notChosen);
	expect(await said(plain, received())).toEqual([200, 'Workflow was started']);
	expect(await said(plain, received())).toEqual([200, 'Duplicate event']);
});

test('responds to filtered events without an execution, and does not remember them', async () => {
	const trigger = await triggers.active({
		parameters: { filters: { firstWords: 'order, bill' } },
	});
	for (const text of ['hello', 'an order']) {
		const { status } = await triggers.deliver(trigger, received({ text }));
		expect([status, trigger.executions]).toEqual([200, []]);
	}
	expect(trigger.staticData).not.toHaveProperty('recentEvents of id of Trigger');
	await triggers.deliver(trigger, received({ text: 'Order #7' }));
	expect(trigger.executions).toHaveLength(1);
});
