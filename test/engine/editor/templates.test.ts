/** The lists to choose from and the form for templates, as the editor calls them. */
import { escape } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import { locator, useService } from '../../../harness/engine/service';
import { addManyTemplates, bigFields, languages } from '../../../harness/engine/templates';

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
		(await open(parameters, credentials).resourceMapping('getTemplateVariables')).fields;
	const textOf = async (parameters: INodeParameters, credentials = service.credentials()) => {
		const editor = open(parameters, credentials);
		const { fields, emptyFieldsNotice } = await editor.resourceMapping('getTemplateText');
		expect(fields).toEqual([]); // only then does n8n show the notice
		return emptyFieldsNotice;
	};
	const namesIn = async (method: string, text?: string) =>
		(await open().listSearch(method, text)).results.map(({ name }) => name);
	const refused = () => service.credentials({ apiKey: 'wrong' });
	const refusal = 'The service does not accept the API key';

	describe('with 500 templates', () => {
		beforeEach(() => addManyTemplates(service.sandbox.state));

		test('lists all templates: first the approved ones, then the others with a mark', async () => {
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

		test('searches the names, languages and approval statuses of all templates, and loads the list once', async () => {
			await namesIn('searchTemplateNames');
			const before = service.calls('listTemplates');
			expect(await namesIn('searchTemplateNames', 'NOTE_1471')).toHaveLength(1);
			expect(await namesIn('searchTemplateNames', 'rejected')).toEqual([
				'prize_draw · en_US · ⚠ not approved (REJECTED)',
			]);
			expect(service.calls('listTemplates')).toBe(before);
			expect(await namesIn('searchTemplates', 'invoice')).toEqual([
				'invoice · en_US · approved',
				'invoice · es_ES · approved',
			]);
		});

		test('offers the languages of the template, and one labelled field for each variable', async () => {
			const { results } = await open(chosen('big_order')).listSearch('searchTemplateLanguages');
			expect(results.map(({ value }) => value)).toEqual(languages);
			expect(results[1].name).toBe('German (Germany) · de_DE');
			const fields = await form(chosen('big_order', 'de_DE'));
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

	test.each<[string, object]>([
		['welcome', { displayName: 'Header PDF URL', required: true }],
		['invoice', { displayName: 'Header PDF URL (optional)', required: false }],
	])('the form of %s asks for a PDF if the template needs one', async (name, field) => {
		for (const language of ['en_US', '={{ $json.language }}'])
			expect((await form(chosen(name, language)))[0]).toMatchObject(field);
	});

	const noFrench = 'The service has no template "welcome" in fr_FR. It exists in en_US, de_DE.';

	test.each([
		['', 'en_US', 'Choose a template to see its text here.'],
		['welcome', '', 'Choose a language to see the text of the template here.'],
		['welcome', 'fr_FR', noFrench],
		['opening_hours', 'en_US', 'We have new opening hours: Monday to Saturday, 9 to 18.'],
	])(
		'the template "%s" in the language "%s" gives no fields, and the text says why',
		async (template, language, words) => {
			expect(await form(chosen(template, language))).toEqual([]);
			expect(await textOf(chosen(template, language))).toContain(escape(words));
		},
	);

	test('the whole text of the template is shown, with its variables and without any HTML from the service', async () => {
		const buttons = [{ text: 'Yes' }, { text: 'Track', url: 'https://a.test/{{1}}' }];
		const components = [
			{ type: 'HEADER', text: 'Order {{1}}' },
			{ type: 'BODY', text: 'Hi {{1}},\nit arrives <b>soon</b>' },
			{ type: 'FOOTER', text: 'Reply STOP' },
			{ type: 'BUTTONS', buttons },
		];
		await service.list('listTemplates', { name: 'order', language: 'en_US', components });
		expect(await textOf(chosen('order'))).toBe(
			'<b>Order {{1}}</b><br>Hi {{1}},<br>it arrives &lt;b&gt;soon&lt;/b&gt;<br><i>Reply STOP</i><br>[Yes] <br>[Track] https://a.test/{{1}}',
		);
	});

	test.each([
		['DOCUMENT', '[PDF]'],
		['IMAGE', '[Image]'],
		['video', '[Video]'],
	])('a header of the format %s is shown as %s', async (format, shown) => {
		const components = [
			{ type: 'HEADER', format },
			{ type: 'BODY', text: 'Hi' },
		];
		await service.list('listTemplates', { name: 'sale', language: 'en_US', components });
		expect(await textOf(chosen('sale'))).toBe(`<b>${shown}</b><br>Hi`);
	});

	describe('if less is known', () => {
		const welcome = { id: 't1', name: 'welcome', language: 'en_US', status: 'APPROVED' };
		const numbered = ['body_1', 'body_2', 'body_3'].map((id) =>
			expect.objectContaining({ id, required: false }),
		);

		test.each([
			['the text of the template', 'welcome', [welcome], 'does not show the text'],
			['the languages of the template', 'welcome', [{ name: 'welcome' }], 'does not show the text'],
			[
				'a known template',
				null,
				[],
				'An expression chooses the template, so its text is not shown.',
			],
		])(
			'without %s the form has numbered fields, and the user can add more',
			async (_, name, records, words) => {
				await service.list('listTemplates', ...records);
				const fields = await form(chosen(name));
				expect(fields.filter(({ removed }) => !removed)).toEqual(numbered);
				const others = ['headerPdfUrl', 'header_1', 'body_12', 'button3_1'];
				expect(fields.map(({ id }) => id)).toEqual(expect.arrayContaining(others));
				await service.list('listTemplates', ...records);
				expect(await textOf(chosen(name))).toContain(words);
			},
		);

		test('if the service refuses the key, the form stays as it is, and the text and the list show the error', async () => {
			const schema = await form(chosen('welcome'));
			const variables = { mappingMode: 'defineBelow', value: { body_1: 'Anna' }, schema };
			const parameters = { ...chosen('welcome'), variables: variables as never };
			expect(await form(parameters, refused())).toEqual(schema);
			expect(await textOf(parameters, refused())).toContain(refusal);
			const search = open({}, refused()).listSearch('searchTemplateNames');
			await expect(search).rejects.toThrow(refusal);
		});
	});
});

describe('lists to choose from', () => {
	const service = useService({ sampleContacts: 1_200 });
	const search = async (method: string, filter?: string, token?: string) =>
		await service.engine
			.editor({ credentials: service.credentials() })
			.listSearch(method, filter, token);

	test('scrolling shows all contacts, each once', async () => {
		const values: unknown[] = [];
		let token: string | undefined;
		do {
			const page = await search('searchContacts', undefined, token);
			values.push(...page.results.map(({ value }) => value));
			token = page.paginationToken;
		} while (token);
		expect(values).toEqual(service.sandbox.state.contacts.all.map(({ id }) => id));
	});

	test.each(['edsger dijkstra 240', '+15551001199', '(0) 1001-199'])(
		'a contact far down is found by %s',
		async (filter) => {
			const { name, phone, id } = service.sandbox.state.contacts.all[1_199];
			const { results } = await search('searchContacts', filter);
			expect(results).toEqual([{ name: `${name} · ${phone}`, value: id }]);
		},
	);

	test('records show the fields that they have; if they have no ID, an error names their fields', async () => {
		await service.list('listContacts', { id: 'a' }, { name: 'No ID' }, { id: 7, name: 'Bea' });
		const { results } = await search('searchContacts');
		expect(results).toEqual([
			{ name: 'a', value: 'a' },
			{ name: 'Bea', value: '7' },
		]);
		await service.list('listWebhooks', { url: 'https://a.test', events: ['message.read'] });
		await expect(search('searchWebhooks')).rejects.toMatchObject({
			message: 'The node found no ID in the webhooks of the service',
			description: "The first webhook has the fields url, events. Choose 'By ID' and enter the ID.",
		});
	});

	test('an incomplete list shows what the service returned, or why nothing was found', async () => {
		const body = { data: [{ id: 'a', name: 'Ada' }], total: 25 };
		await service.fault({ endpoint: 'listContacts', status: 200, body, count: 99 });
		expect((await search('searchContacts', 'ad')).results).toEqual([{ name: 'Ada', value: 'a' }]);
		const message = 'The service returned 1 of 25 contacts';
		await expect(search('searchContacts', 'Bea')).rejects.toMatchObject({ message });
	});
});
