/** The form and the text of a template, as the editor calls them. */
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
			for (const field of fields)
				expect(field).toMatchObject({ required: true, display: true, type: 'string' });
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
		['invoise', '', 'The service has no template "invoise". Choose the template from the list.'],
		['opening_hours', 'en_US', 'We have new opening hours: Monday to Saturday, 9 to 18.'],
	])(
		'the template "%s" in the language "%s" gives no fields, and the text says why',
		async (template, language, words) => {
			expect(await form(chosen(template, language))).toEqual([]);
			expect(await textOf(chosen(template, language))).toContain(escape(words));
		},
	);

	test('a template in only one language needs no chosen language', async () => {
		expect(await textOf(chosen('login_code', ''))).toBe('{{1}} is your login code.');
		expect((await form(chosen('login_code', ''))).map(({ id }) => id)).toEqual(['body_1']);
	});

	test('the fallback template has its own text and form', async () => {
		const editor = open({
			...chosen('welcome'),
			operation: 'sendText',
			useFallbackTemplate: true,
			fallbackTemplate: locator('login_code', 'list'),
			fallbackLanguage: locator('en_US', 'list'),
		});
		const { fields, emptyFieldsNotice } = await editor.resourceMapping('getFallbackText');
		expect([fields, emptyFieldsNotice]).toEqual([[], '{{1}} is your login code.']);
		const form = await editor.resourceMapping('getFallbackVariables');
		expect(form.fields.map(({ displayName }) => displayName)).toEqual(['Body 1: {{1}} is your…']);
	});

	test.each([
		['Hi\n\n{{1}}, bye', 'Body 1: Hi {{1}}, bye'],
		['Dear Ms {{1}}', 'Body 1: Dear Ms {{1}}'],
		['Dear Mrs {{1}}', 'Body 1: …Mrs {{1}}'],
		['{{1}} http://a', 'Body 1: {{1}} http://a'],
		['Good morning {{ name }}', 'Body name: …{{ name }}'],
		['Welcome, {{customer_first_name}}', 'Body customer_first_name: …{{customer_first_name}}'],
		['Hi {{first  name}}, bye', 'Body first  name: Hi {{first name}}…'],
		['{{customer_first_name}}, hello', 'Body customer_first_name: {{customer_first_name}}…'],
		['Track it: https://a.de/{{1}}', 'Body 1: …a.de/{{1}}'],
	])('the variable in %j has the label "%s"', async (text, label) => {
		const components = [{ type: 'BODY', text }];
		service.list('listTemplates', { name: 'sale', language: 'en_US', components });
		expect((await form(chosen('sale'))).map(({ displayName }) => displayName)).toEqual([label]);
	});

	test.each(['http', 'https'])('the label of a button leaves out %s://', async (scheme) => {
		const components = [
			{ type: 'BODY', text: 'Hi' },
			{ type: 'BUTTONS', buttons: [{ text: 'Open', url: `${scheme}://a.de/{{1}}` }] },
		];
		service.list('listTemplates', { name: 'sale', language: 'en_US', components });
		expect((await form(chosen('sale')))[0].displayName).toBe('Button 1: a.de/{{1}}');
	});

	test('the whole text of the template is shown, with its variables and without any HTML from the service', async () => {
		const buttons = [{ text: 'Yes' }, { text: 'Track', url: 'https://a.test/{{1}}' }];
		const components = [
			{ type: 'HEADER', text: 'Order {{1}}' },
			{ type: 'BODY', text: 'Hi {{1}},\nit arrives <b>soon</b>' },
			{ type: 'FOOTER', text: 'Reply STOP' },
			{ type: 'BUTTONS', buttons },
		];
		service.list('listTemplates', { name: 'order', language: 'en_US', components });
		expect(await textOf(chosen('order'))).toBe(
			'<b>Order {{1}}</b><br>Hi {{1}},<br>it arrives &lt;b&gt;soon&lt;/b&gt;<br><i>Reply STOP</i><br>[Yes] <br>[Track] https://a.test/{{1}}',
		);
	});

	test.each([
		['DOCUMENT', '<b>[PDF]</b>'],
		['IMAGE', '<b>[Image]</b><br><i>If the service needs its address, only'],
		['video', '<b>[Video]</b><br><i>If the service needs its address, only'],
	])('a header of the format %s is shown as %s', async (format, shown) => {
		const components = [
			{ type: 'HEADER', format },
			{ type: 'BODY', text: 'Hi' },
		];
		service.list('listTemplates', { name: 'sale', language: 'en_US', components });
		const text = await textOf(chosen('sale'));
		expect(text).toMatch(/<br>Hi$/);
		expect(text).toContain(shown);
	});

	describe('if less is known', () => {
		const welcome = { id: 't1', name: 'welcome', language: 'en_US', status: 'APPROVED' };
		const numbered = ['body_1', 'body_2', 'body_3'].map((id) =>
			expect.objectContaining({ id, required: false }),
		);

		test.each([
			['the text of the template', 'welcome', [welcome], 'does not show the text'],
			['the languages of the template', 'welcome', [{ name: 'welcome' }], 'does not show the text'],
			['a known template', null, [], 'An expression chooses the template. To see the text'],
		])(
			'without %s the form has numbered fields, and the user can add more',
			async (_, name, records, words) => {
				service.list('listTemplates', ...records);
				// The form of the template that was chosen before.
				const variables = { value: {}, schema: [{ id: 'body_1', required: true }] } as never;
				const fields = await form(name ? { ...chosen(name), variables } : chosen(name));
				expect(fields.filter(({ removed }) => !removed)).toEqual(numbered);
				const others = ['headerPdfUrl', 'header_1', 'body_12', 'button3_1'];
				expect(fields.map(({ id }) => id)).toEqual(expect.arrayContaining(others));
				service.list('listTemplates', ...records);
				expect(await textOf(chosen(name))).toContain(words);
			},
		);

		test('if the service refuses the key, the form stays as it is, and the text and the list show the error', async () => {
			const schema = await form(chosen('welcome'));
			const variables = { mappingMode: 'defineBelow', value: { body_1: 'Anna' }, schema };
			const parameters = { ...chosen('welcome'), variables: variables as never };
			expect(await form(parameters, refused())).toEqual(schema);
			const empty = { ...variables, schema: [] };
			const fields = await form({ ...chosen('welcome'), variables: empty }, refused());
			expect(fields.filter(({ removed }) => !removed)).toEqual(numbered);
			expect(await textOf(parameters, refused())).toContain(refusal);
			const search = open({}, refused()).listSearch('searchTemplateNames');
			await expect(search).rejects.toThrow(refusal);
		});
	});
});
