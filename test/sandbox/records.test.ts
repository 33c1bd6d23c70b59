import { until } from '../../tools/until';
import type { Sandbox } from '../../sandbox';
import { closeAll, openSandbox, openReceiver } from './support';

afterEach(closeAll);

describe('contacts', () => {
	it('move between segments', async () => {
		const { api, shared } = await openSandbox({ sampleContacts: 0 });
		const fields = { name: 'Ada', phone: '+15552000001', segments: ['vip'], city: 'London' };
		const { data: made } = await api.post('/contacts', fields);
		expect(made).toMatchObject(fields);
		const inSegment = async (segment: string) =>
			(await shared.get('/contacts', { params: { segment } })).data.data;
		expect(await inSegment('vip')).toEqual([made]);
		const { data: changed } = await shared.patch(`/contacts/${made.id}`, {
			segments: ['customers'],
			name: 'Ada L.',
		});
		expect([await inSegment('vip'), await inSegment('customers')]).toEqual([[], [changed]]);
		expect(changed).toMatchObject({ ...fields, name: 'Ada L.', segments: ['customers'] });
	});

	it('never share a phone number', async () => {
		const { api } = await openSandbox({ sampleContacts: 2 });
		const [one, two] = (await api.get('/contacts')).data.data;
		const created = await api.post('/contacts', { phone: one.phone });
		expect([created.status, created.data.error.field]).toEqual([409, 'phone']);
		expect((await api.put(`/contacts/${two.id}`, { phone: one.phone })).status).toBe(409);
		expect((await api.put(`/contacts/${one.id}`, { phone: '+15552000009' })).status).toBe(200);
		expect((await api.put(`/contacts/${two.id}`, { phone: one.phone })).status).toBe(200);
		expect((await api.put('/contacts/unknown', {})).status).toBe(404);
	});
});

describe('templates', () => {
	it('are approved after a while, and again after a change', async () => {
		const { api, sandbox } = await openSandbox({ sampleContacts: 0 });
		const components = [{ type: 'body', text: 'Hi {{1}}' }];
		const { data: made } = await api.post('/templates', {
			name: 'greeting',
			language: 'en_US',
			components,
		});
		expect(made).toMatchObject({ status: 'PENDING', components: [{ type: 'BODY' }] });
		const stored = sandbox.state.templates.all.find(({ id }) => id === made.id);
		await until('it is approved', () => stored?.status === 'APPROVED');
		const { data: changed } = await api.put(`/templates/${made.id}`, { category: 'UTILITY' });
		expect(changed).toMatchObject({
			id: made.id,
			status: 'PENDING',
			category: 'UTILITY',
			name: 'greeting',
		});
		await until('it is approved again', () => stored?.status === 'APPROVED');
		expect(
			(await api.post('/templates', { name: 'greeting', language: 'en_US', components })).status,
		).toBe(409);
	});
});

describe('template messages', () => {
	const to = '+15552000001';
	const body = (...texts: string[]) => ({
		type: 'body',
		parameters: texts.map((text) => ({ type: 'text', text })),
	});

	it('show the customer the text with its values', async () => {
		const { api, sandbox } = await openSandbox();
		const button = { type: 'button', parameters: [{ type: 'text', text: '77' }] };
		const header = { type: 'header', parameters: [{ type: 'text', text: '77' }] };
		const components = [body('Ada', 'Monday'), header, button];
		const answer = await api.post('/messages/template', {
			to,
			template: 'order_update',
			language: 'en_US',
			components,
		});
		expect(answer.data).toMatchObject({ to, status: 'accepted' });
		expect(sandbox.state.messages.get(answer.data.id)).toMatchObject({
			text: 'Hi Ada, your order has left our warehouse and arrives on Monday.',
			template: {
				header: { text: 'Order 77' },
				buttons: [{ url: 'https://shop.example.com/orders/77' }],
			},
		});
	});

	it('need a PDF if they are utility with a document header and none is attached', async () => {
		const { api } = await openSandbox();
		const welcome = { to, template: 'welcome', language: 'en_US', components: [body('Ada', 'us')] };
		const without = await api.post('/messages/template', welcome);
		expect([without.status, without.data.error.field]).toEqual([422, 'headerDocumentUrl']);
		const headerDocumentUrl = 'https://example.com/a.pdf';
		expect((await api.post('/messages/template', { ...welcome, headerDocumentUrl })).status).toBe(
			201,
		);
		const invoice = { to, template: 'invoice', language: 'en_US', components: [body('Ada')] };
		expect((await api.post('/messages/template', invoice)).status).toBe(201);
	});

	it('are refused with the reason', async () => {
		const { api, sandbox } = await openSandbox();
		const refused: Array<[string, string, object[], number, string, string]> = [
			['nothing', 'en_US', [], 404, 'template', 'no template named nothing'],
			['welcome', 'fr_FR', [], 404, 'language', 'en_US, de_DE'],
			['flash_offer', 'en_US', [body('Ada')], 422, 'template', 'PENDING'],
			['login_code', 'en_US', [], 422, 'components', '1 variables, but 0'],
			[
				'login_code',
				'en_US',
				[body('1', '2')],
				422,
				'components.0.parameters',
				'1 variables, but 2',
			],
			['login_code', 'en_US', [body('1'), body('1')], 422, 'components.1', 'twice'],
			[
				'login_code',
				'en_US',
				[{ type: 'BODY ', parameters: [] }],
				422,
				'components.0.type',
				'must be',
			],
		];
		for (const [template, language, components, status, field, words] of refused) {
			const answer = await api.post('/messages/template', { to, template, language, components });
			expect([template, answer.status, answer.data.error.field]).toEqual([template, status, field]);
			expect(answer.data.error.message).toContain(words);
		}
		expect(sandbox.state.messages.all).toEqual([]);
	});
});

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
