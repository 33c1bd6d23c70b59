/** The lists and the form for templates, as the editor calls them. */
import { escape } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import { locator, useService } from '../support/service';
import { addManyTemplates, bigFields, languages } from '../support/templates';
import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';

describe('the form of a template', () => {
	const service = useService();
	const open = (parameters: INodeParameters = {}, credentials = service.credentials()) =>
		service.engine.editor({
			parameters: { resource: 'message', operation: 'sendTemplate', ...parameters },
			credentials,
		});
	const chosen = (template: string | null, language = 'en_US') => ({
		template: locator(template as string, 'list'),
		language: locator(language, 'list'),
	});
	const form = async (parameters: INodeParameters, credentials = service.credentials()) =>
		await open(parameters, credentials).resourceMapping('getTemplateVariables');
	const textOf = async (parameters: INodeParameters, credentials = service.credentials()) => {
		const { fields, emptyFieldsNotice } = await open(parameters, credentials).resourceMapping(
			'getTemplateText',
		);
		expect(fields).toEqual([]); // n8n shows the notice only then
		return emptyFieldsNotice;
	};
	const shownIn = async (parameters: INodeParameters, credentials = service.credentials()) =>
		(await form(parameters, credentials)).fields.filter(({ removed }) => !removed);
	const namesIn = async (method: string, text?: string, parameters: INodeParameters = {}) =>
		(await open(parameters).listSearch(method, text)).results.map(({ name }) => name);
	/** An address without TLS: the error comes at once. */
	const nowhere = () => service.credentials({ baseUrl: service.url.replace('http:', 'https:') });
	const numbered = ['body_1', 'body_2', 'body_3'].map((id) =>
		expect.objectContaining({ id, required: false }),
	);

	describe('with 500 templates', () => {
		beforeEach(() => addManyTemplates(service.sandbox.state));

		test('all are listed, the approved ones first and the others marked', async () => {
			const { results } = await open().listSearch('searchTemplateNames');
			const names = new Set(service.sandbox.state.templates.all.map(({ name }) => name));
			expect(results.map(({ value }) => value).sort()).toEqual([...names].sort());
			expect(results[1]).toEqual({
				name: 'big_order · 12 languages · approved',
				value: 'big_order',
			});
			const marks = results.map(({ name }) => name.includes('⚠ not approved ('));
			expect(marks).toEqual([...marks].sort((a, b) => Number(a) - Number(b)));
			expect(marks.filter(Boolean).length).toBeGreaterThan(40);
		});

		test('typing searches names, languages and approval in all of them, which are listed once', async () => {
			await namesIn('searchTemplateNames');
			const before = service.calls('listTemplates');
			expect(await namesIn('searchTemplateNames', 'NOTE_1471')).toHaveLength(1);
			expect(await namesIn('searchTemplateNames', 'rejected')).toEqual([
				'prize_draw · en_US · ⚠ not approved (REJECTED)',
			]);
			expect(await namesIn('searchTemplateNames', 'nothing like this')).toEqual([]);
			expect(service.calls('listTemplates')).toBe(before);
			expect(await namesIn('searchTemplates', 'invoice')).toEqual([
				'invoice · en_US · approved',
				'invoice · es_ES · approved',
			]);
		});

		test('offers the languages of the template, with their names', async () => {
			const { results } = await open(chosen('big_order')).listSearch('searchTemplateLanguages');
			expect(results.map(({ value }) => value)).toEqual(languages);
			expect(results[1].name).toBe('German (Germany) · de_DE');
		});

		test('the form has one labelled field for each of the 10 variables', async () => {
			const { fields } = await form(chosen('big_order', 'de_DE'));
			expect(fields.map(({ id }) => id)).toEqual(bigFields);
			expect(fields.every(({ required, display }) => required && display)).toBe(true);
			expect([0, 1, 5, 9].map((index) => fields[index].displayName)).toEqual([
				'Header 1: Order {{1}}',
				'Body 1: …Hello {{1}}…',
				'Body 5: …on {{5}}…',
				'Button 2: …track/{{1}}',
			]);
		});
	});

	const optionalPdf = 'Header PDF URL (optional)';

	test.each<[string, object[]]>([
		['welcome', [{ id: 'headerPdfUrl', displayName: 'Header PDF URL', required: true }, {}, {}]],
		['invoice', [{ id: 'headerPdfUrl', displayName: optionalPdf, required: false }, {}]],
		['login_code', [{ id: 'body_1', displayName: 'Body 1: {{1}} is your…' }]],
	])('the form of %s asks for a PDF where one is needed', async (name, fields) => {
		const expected = fields.map((field) => expect.objectContaining(field));
		expect((await form(chosen(name))).fields).toEqual(expected);
		expect((await form(chosen(name, '={{ $json.language }}'))).fields).toEqual(expected);
	});

	const noFrench = 'The service has no template "welcome" in fr_FR. It exists in en_US, de_DE.';

	test.each([
		['', 'en_US', 'Choose a template to see its text here.'],
		['welcome', '', 'Choose a language to see the text of the template here.'],
		['welcome', 'fr_FR', noFrench],
		['wellcome', 'en_US', 'The service has no template "wellcome". Did you mean welcome?'],
		['opening_hours', 'en_US', 'We have new opening hours: Monday to Saturday, 9 to 18.'],
	])(
		'template "%s" in "%s" gives no field, and the text says why',
		async (template, language, words) => {
			expect((await form(chosen(template, language))).fields).toEqual([]);
			expect(await textOf(chosen(template, language))).toContain(escape(words));
			if (template) expect(await shownIn(chosen('login_code', ''))).toHaveLength(1); // it has one language
		},
	);

	test('the whole text of the template is shown, with its variables and without any HTML of the service', async () => {
		const parts = [
			{ type: 'HEADER', text: 'Order {{1}}' },
			{ type: 'BODY', text: 'Hi {{1}},\nit arrives <b>soon</b>' },
			{ type: 'FOOTER', text: 'Reply STOP' },
			{
				type: 'BUTTONS',
				buttons: [{ text: 'Yes' }, { text: 'Track', url: 'https://a.test/{{1}}' }],
			},
		];
		const template = { name: 'order', language: 'en_US', components: parts };
		await service.list('listTemplates', template);
		expect(await textOf(chosen('order'))).toBe(
			'<b>Order {{1}}</b><br>Hi {{1}},<br>it arrives &lt;b&gt;soon&lt;/b&gt;<br><i>Reply STOP</i><br>[Yes] <br>[Track] https://a.test/{{1}}',
		);
	});

	describe('where less is known', () => {
		const list = async (...records: object[]) => await service.list('listTemplates', ...records);
		const welcome = { id: 't1', name: 'welcome', language: 'en_US', status: 'APPROVED' };

		test.each([
			['content', [welcome]],
			['languages', [{ name: 'welcome' }]],
			['templates', []],
		])('without %s the form has numbered fields, none of them required', async (_, records) => {
			await list(...records);
			expect(await shownIn(chosen('welcome'))).toEqual(numbered);
		});

		test('the text says why it is not shown', async () => {
			expect(await textOf(chosen('welcome'), nowhere())).toContain(
				'There is no HTTPS at 127.0.0.1',
			);
			expect(await textOf(chosen(null))).toBe('The template comes from your data.');
			await list(welcome);
			expect(await textOf(chosen('welcome'))).toContain('does not show the text');
		});

		test('without a template or a network as well, and others can be added', async () => {
			expect(await shownIn(chosen('welcome'), nowhere())).toEqual(numbered);
			expect(await shownIn(chosen(null))).toEqual(numbered);
			const ids = (await form(chosen(null))).fields.map(({ id }) => id);
			const others = ['headerPdfUrl', 'header_1', 'body_12', 'button3_1'];
			expect(ids).toEqual(expect.arrayContaining(others));
		});

		test('a form that was there stays as it is without a network', async () => {
			const { fields: schema } = await form(chosen('welcome'));
			const variables = { mappingMode: 'defineBelow', value: { body_1: 'Anna' }, schema };
			const parameters = { ...chosen('welcome'), variables: variables as never };
			expect((await form(parameters, nowhere())).fields).toEqual(schema);
		});

		const byName = [{ name: 'welcome' }];
		const noName = [{ key: 1, words: 'Hi' }];
		const noId = [{ name: 'x', words: 'Hi' }];

		test.each<[string, object[], string, string, string]>([
			['searchTemplateLanguages', byName, 'welcome', 'service does not show languages', 'By Code'],
			['searchTemplateLanguages', [welcome], '', 'Choose a template first', ''],
			['searchTemplateLanguages', [welcome], 'wellcome', 'has no template "wellcome"', 'By Code'],
			['searchTemplateNames', noName, '', 'no name was found in them', 'key, words'],
			['searchTemplates', noId, '', 'no ID was found in them', 'name, words'],
		])('%s of %j with "%s" chosen says why: %s', async (method, records, name, message, advice) => {
			await list(...records);
			const search = open(chosen(name)).listSearch(method);
			const error = await search.catch((reason) => reason);
			expect(error.message).toContain(message);
			expect(error.description ?? '').toContain(advice);
		});

		test('a status is shown as the service writes it, and marks only what is clearly refused', async () => {
			await list(
				{ name: 'a', status: 'Active - Quality pending' },
				{ name: 'b', status: 'In review' },
			);
			expect(await namesIn('searchTemplateNames')).toEqual([
				'a · active - quality pending',
				'b · ⚠ not approved (In review)',
			]);
		});

		test('without a network the list says what is wrong', async () => {
			const search = open({}, nowhere()).listSearch('searchTemplateNames');
			await expect(search).rejects.toThrow('There is no HTTPS at 127.0.0.1');
		});
	});
});

describe('lists to choose from', () => {
	const service = useService({ sampleContacts: 1_200 });
	const search = async (method: string, ...options: Array<string | undefined>) =>
		await service.engine
			.editor({ credentials: service.credentials() })
			.listSearch(method, ...options);
	const valuesOf = async (method: string, filter?: string) =>
		(await search(method, filter)).results.map(({ value }) => value);
	const contact = (index: number) => service.sandbox.state.contacts.all[index];

	test('all contacts are reached by scrolling, each once', async () => {
		const values: unknown[] = [];
		let token: string | undefined;
		do {
			const page = await search('searchContacts', undefined, token);
			values.push(...page.results.map(({ value }) => value));
			token = page.paginationToken;
		} while (token);
		expect(values).toEqual(service.sandbox.state.contacts.all.map(({ id }) => id));
	});

	test.each([
		['Katherine Johnson 240', 1_198],
		['+15551001199', 1_199],
		['1 555 100 1199', 1_199],
		['(0) 1001-199', 1_199],
	])('a contact far down is found by %s', async (filter, index) => {
		const { name, phone, id } = contact(index);
		const { results } = await search('searchContacts', filter);
		expect(results).toEqual([{ name: `${name} · ${phone}`, value: id }]);
	});

	const hook = { url: 'https://a.test', callback_url: undefined, events: ['message.read', {}] };

	test.each<[string, EndpointName, object[], string[]]>([
		[
			'searchContacts',
			'listContacts',
			[
				{ id: 'a' },
				{ name: 'No ID' },
				{ id: 7, name: 'Bea', phone: 5 },
				{ _id: 'c', phone: '+49' },
			],
			['a: a', 'Bea · 5: 7', '+49: c'],
		],
		['searchContacts', 'listContacts', [{ contact_id: 7, account_id: 1, name: 'Ada' }], ['Ada: 7']],
		['searchWebhooks', 'listWebhooks', [{ webhookId: 'w' }], ['w: w']],
		[
			'searchWebhooks',
			'listWebhooks',
			[{ id: 'w', ...hook }],
			['https://a.test · message.read: w'],
		],
		[
			'searchTemplates',
			'listTemplates',
			[{ templateId: 't', name: 'welcome', language: 'en_US' }],
			['welcome · en_US: t'],
		],
	])(
		'%s shows what there is of records that show less: %s %j',
		async (method, endpoint, body, shown) => {
			await service.list(endpoint, ...body);
			const { results } = await search(method);
			expect(results.map(({ name, value }) => `${name}: ${value}`)).toEqual(shown);
		},
	);

	test.each<[string, EndpointName, string, object]>([
		['searchContacts', 'listContacts', 'contacts', { name: 'Ada', phone: '+15551000000' }],
		['searchWebhooks', 'listWebhooks', 'webhooks', { url: 'https://example.com' }],
		['searchTemplates', 'listTemplates', 'templates', { name: 'welcome', language: 'en_US' }],
	])(
		'%s of records without an ID says so, and what came',
		async (method, endpoint, what, record) => {
			await service.list(endpoint, record);
			await expect(search(method)).rejects.toMatchObject({
				message: `The service lists ${what}, but no ID was found in them`,
				description: `The first one has the fields ${Object.keys(record).join(', ')}. Choose 'By ID' and enter the ID.`,
			});
		},
	);

	test('a wrong key in a list says so, and has the status for which n8n shows the link to the credential', async () => {
		const credentials = service.credentials({ apiKey: 'wrong' });
		const opened = service.engine.editor({ credentials });
		await expect(opened.listSearch('searchContacts')).rejects.toMatchObject({
			message: expect.stringContaining('The service does not accept the API key'),
			description: "Check 'API Key' in the credential.",
			httpCode: '401',
		});
	});

	test('an incomplete list shows what the service returned, or why nothing was found', async () => {
		const body = { data: [{ id: 'a', name: 'Ada' }], total: 25 };
		await service.fault({ endpoint: 'listContacts', status: 200, body, count: 99 });
		expect(await valuesOf('searchContacts', 'ad')).toEqual(['a']);
		const message = 'The service returned 1 of 25 contacts';
		await expect(search('searchContacts', 'Bea')).rejects.toMatchObject({ message });
	});
});
