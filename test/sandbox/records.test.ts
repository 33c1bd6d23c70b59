import { until } from '../../tools/until';
import { closeAll, openSandbox } from './support';

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
