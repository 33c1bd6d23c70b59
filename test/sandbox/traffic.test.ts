import type { Sandbox } from '../../sandbox';
import { until } from '../../tools/until';
import { closeAll, openReceiver, openSandbox } from './support';

afterEach(closeAll);

const ada = '+15552000001';
const bob = '+15552000002';

const statusesOf = (sandbox: Sandbox, id: string) =>
	sandbox.state.messages.get(id)?.history.map(({ status }) => status);

describe('receipts', () => {
	it('follow a message by themselves, also its failure', async () => {
		const { sandbox, api } = await openSandbox({ failingNumbers: [bob] });
		const { data: toAda } = await api.post('/messages/send', { to: ada, text: 'Hi' });
		const { data: toBob } = await api.post('/messages/send', { to: bob, text: 'Hi' });
		await until(
			'both have come to an end',
			() =>
				statusesOf(sandbox, toAda.id)?.includes('read') &&
				statusesOf(sandbox, toBob.id)?.includes('failed'),
		);
		expect(statusesOf(sandbox, toAda.id)).toEqual(['accepted', 'sent', 'delivered', 'read']);
		expect(statusesOf(sandbox, toBob.id)).toEqual(['accepted', 'sent', 'failed']);
	});
});

describe('deliveries', () => {
	it("have the specification's envelope and the kinds that were asked for", async () => {
		const { api, controls } = await openSandbox();
		const receiver = await openReceiver();
		await api.post('/webhooks', {
			url: receiver.url,
			events: ['message.received', 'message.read'],
		});
		const { data: sent } = await api.post('/messages/send', { to: ada, text: 'Hi' });
		const { data: inbound } = await controls.post('/inbound', {
			from: bob,
			text: 'Hello',
			name: 'Bob',
		});
		await until('both have arrived', () => receiver.received.length >= 2);
		const bodies = receiver.received.map(({ body }) => body as { event: string; data: object });
		bodies.sort((one, other) => one.event.localeCompare(other.event));
		const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
		expect(bodies).toEqual([
			{ event: 'message.read', data: { id: sent.id, to: ada, status: 'read', timestamp } },
			{ event: 'message.received', data: { id: inbound.id, from: bob, text: 'Hello', timestamp } },
		]);
		expect(receiver.received[0]?.type).toBe('application/json');
	});

	it('are repeated until the receiver answers 200, and keep the order for one person', async () => {
		const { sandbox, controls } = await openSandbox({ deliveryTimeoutMs: 200 });
		const receiver = await openReceiver([500, 201, null]);
		sandbox.state.webhooks.create({ url: receiver.url });
		await controls.post('/inbound', { from: ada, text: 'one' });
		await controls.post('/inbound', { from: ada, text: 'two' });
		await until('both are through', () =>
			sandbox.state.deliveries.log.last().every(({ state }) => state === 'delivered'),
		);
		const texts = receiver.received.map(
			({ body }) => (body as { data: { text: string } }).data.text,
		);
		expect(texts).toEqual(['one', 'one', 'one', 'one', 'two']);
		const { data } = await controls.get('/deliveries?last=2');
		expect(data.data[0]).toMatchObject({
			event: 'message.received',
			url: receiver.url,
			state: 'delivered',
		});
		expect(data.data[0].attempts.map(({ status }: { status: number }) => status)).toEqual([
			500,
			201,
			null,
			200,
		]);
		expect(data.data[0].attempts[2].error).toContain('200 ms');
	});

	it('stop when their webhook is deleted', async () => {
		const { sandbox, api } = await openSandbox();
		const receiver = await openReceiver(Array<number>(100).fill(500));
		const webhook = sandbox.state.webhooks.create({ url: receiver.url });
		const delivery = sandbox.state.deliveries.deliver(webhook, 'custom.kind', { a: 1 });
		await until('it was tried', () => receiver.received.length > 0);
		await api.delete(`/webhooks/${webhook.id}`);
		await until('it is cancelled', () => delivery.state === 'cancelled');
		expect(receiver.received[0]?.body).toEqual({ event: 'custom.kind', data: { a: 1 } });
	});
});

describe('reset', () => {
	it('forgets everything, and stops what was under way', async () => {
		const { sandbox, api, controls } = await openSandbox({
			receiptDelaysMs: { sent: 1500, delivered: 1510, read: 1520 },
		});
		const receiver = await openReceiver();
		sandbox.state.webhooks.create({ url: receiver.url });
		const { data: before } = await api.post('/messages/send', { to: ada, text: 'Hi' });
		await controls.post('/faults', { status: 500 });
		await controls.post('/reset');
		for (const what of ['messages', 'chats?search=+15552', 'webhooks', 'deliveries', 'faults'])
			expect([what, (await controls.get(`/${what}`)).data.data]).toEqual([what, []]);
		expect((await controls.get('/requests')).data.endpoints).toEqual({});
		const { data: after } = await api.post('/messages/send', { to: ada, text: 'Hi' });
		expect(after.id).not.toBe(before.id);
		await until('the new message is read', () => statusesOf(sandbox, after.id)?.includes('read'));
		expect(receiver.received).toEqual([]);
	});
});
