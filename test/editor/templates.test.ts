/** The lists and the form for templates, as the editor calls them. */
import type { INodeListSearchItems, INodeParameters } from 'n8n-workflow';

import { readExample } from '../../tools/examples';
import { useService } from '../support/service';
import { addManyTemplates, bigFields, languages } from '../support/templates';

const service = useService();
const open = (parameters: INodeParameters = {}, credentials = service.credentials()) =>
	service.engine.editor({
		parameters: { resource: 'message', operation: 'sendTemplate', ...parameters },
		credentials,
	});
const chosen = (template: unknown, language: unknown = 'en_US') =>
	({
		template: { __rl: true, mode: 'list', value: template },
		language: { __rl: true, mode: 'list', value: language },
	}) as INodeParameters;
const form = async (parameters: INodeParameters, credentials = service.credentials()) =>
	await open(parameters, credentials).resourceMapping('getTemplateVariables');
const nowhere = () => service.credentials({ baseUrl: 'http://127.0.0.1:9' });

describe('with 500 templates', () => {
	beforeEach(() => addManyTemplates(service.sandbox.state));

	test('all are listed, page by page, the approved ones first and the others marked', async () => {
		const results: INodeListSearchItems[] = [];
		for (
			let token: string | undefined, isFirst = true;
			token !== undefined || isFirst;
			isFirst = false
		) {
			const page = await open().listSearch('searchTemplateNames', undefined, token);
			expect(page.results.length).toBeLessThanOrEqual(50);
			results.push(...page.results);
			token = page.paginationToken;
		}
		const names = new Set(service.sandbox.state.templates.all.map(({ name }) => name));
		expect(results.map(({ value }) => value).sort()).toEqual([...names].sort());
		expect(results[1]).toEqual({ name: 'big_order · 12 languages · approved', value: 'big_order' });
		const marks = results.map(
			({ name }) =>
				name.includes('⚠ not approved (PENDING)') || name.includes('⚠ not approved (REJECTED)'),
		);
		expect(marks).toEqual([...marks].sort((a, b) => Number(a) - Number(b)));
		expect(marks.filter(Boolean).length).toBeGreaterThan(40);
	});

	test('typing searches names, languages and approval in all of them', async () => {
		const search = async (text: string) =>
			(await open().listSearch('searchTemplateNames', text)).results.map(({ name }) => name);
		const last = service.sandbox.state.templates.all.filter(({ name }) =>
			name.startsWith('note_47'),
		).length;
		expect(last).toBeGreaterThan(0);
		expect(await search('NOTE_47')).toHaveLength(last);
		expect(await search('invoice')).toEqual(['invoice · en_US, es_ES · approved']);
		expect(await search('rejected')).toEqual(['prize_draw · en_US · ⚠ not approved (REJECTED)']);
		expect(await search('nothing like this')).toEqual([]);
	});

	test('scrolling and typing do not list everything again', async () => {
		await open().listSearch('searchTemplateNames');
		const before = service.calls('listTemplates');
		await open().listSearch('searchTemplateNames', undefined, '50');
		await open().listSearch('searchTemplateNames', 'note');
		expect(service.calls('listTemplates')).toBe(before);
	});

	test('offers the languages of the template, with their names', async () => {
		const { results } = await open(chosen('big_order')).listSearch('searchTemplateLanguages');
		expect(results.map(({ value }) => value)).toEqual(languages);
		expect(results[1].name).toBe('German (Germany) · de_DE');
	});

	test.each(languages)(
		'has one labelled field for each of the 10 variables in %s',
		async (language) => {
			const { fields } = await form(chosen('big_order', language));
			expect(fields.map(({ id }) => id)).toEqual(bigFields);
			expect(fields.every(({ required, display }) => required && display)).toBe(true);
			expect(fields[0].displayName).toBe('Header 1: "Order {{1}}"');
			expect(fields[1].displayName).toBe(`Body 1: "${language}: Hello {{1}} {{2}}, your order…"`);
			expect(fields[5].displayName).toBe('Body 5: "…arrives on {{5}} between {{6}} and…"');
			expect(fields[9].displayName).toBe('Button 2: "…track/{{1}}"');
		},
	);
});

test.each([
	[
		'welcome',
		[
			{ id: 'headerPdfUrl', displayName: 'Header PDF URL', required: true },
			{ id: 'body_1' },
			{ id: 'body_2' },
		],
	],
	[
		'invoice',
		[
			{
				id: 'headerPdfUrl',
				displayName: 'Header PDF URL (empty if attached to the template)',
				required: false,
			},
			{ id: 'body_1' },
		],
	],
	['login_code', [{ id: 'body_1', displayName: 'Body 1: "{{1}} is your login code."' }]],
])('the form of %s asks for a PDF where one is needed', async (name, fields) => {
	expect((await form(chosen(name))).fields).toEqual(
		fields.map((field) => expect.objectContaining(field)),
	);
});

test.each([
	['', 'en_US', 'Choose a template to see its variables here.'],
	['welcome', '', 'Choose a language to see the variables of the template here.'],
	[
		'welcome',
		'fr_FR',
		'The service has no template "welcome" in fr_FR. It exists in en_US, de_DE.',
	],
	['wellcome', 'en_US', 'The service has no template "wellcome". Did you mean welcome?'],
	['opening_hours', 'en_US', 'This template has no variables: there is nothing to fill in.'],
])('template "%s" in "%s" gives no field, and says why', async (template, language, words) => {
	const { fields, emptyFieldsNotice } = await form(chosen(template, language));
	expect(fields).toEqual([]);
	expect(emptyFieldsNotice).toContain(words);
});

test('a template with one language needs no choice of it for its form', async () => {
	expect((await form(chosen('login_code', ''))).fields).toHaveLength(1);
});

test('an expression that cannot be evaluated yet gives numbered fields, and a known template with any of its languages its own', async () => {
	const { fields } = await form(chosen(null));
	expect(fields.filter(({ removed }) => !removed).map(({ displayName }) => displayName)).toEqual([
		'Body 1',
		'Body 2',
		'Body 3',
	]);
	expect(fields.filter(({ removed }) => removed).map(({ id }) => id)).toEqual(
		expect.arrayContaining(['headerPdfUrl', 'header_1', 'body_12', 'button3_1']),
	);
	expect(fields.some(({ required }) => required)).toBe(false);
	expect((await form(chosen('welcome', '={{ $json.language }}'))).fields).toHaveLength(3);
});

describe('where the service shows less', () => {
	const list = async (...records: object[]) => {
		await service.fault({ endpoint: 'listTemplates', status: 200, body: records });
		await service.fault({ endpoint: 'listTemplates', status: 200, body: [], count: 9 });
	};
	const welcome = { id: 't1', name: 'welcome', language: 'en_US', status: 'APPROVED' };

	test.each([
		['content', [welcome]],
		['languages', [{ name: 'welcome' }]],
		['templates', []],
	])('without %s the form has numbered fields, none of them required', async (_, records) => {
		await list(...records);
		const { fields } = await form(chosen('welcome'));
		expect(fields.filter(({ removed }) => !removed).map(({ id }) => id)).toEqual([
			'body_1',
			'body_2',
			'body_3',
		]);
		expect(fields.some(({ required }) => required)).toBe(false);
	});

	test('without languages the list of them says so', async () => {
		await list({ name: 'welcome' });
		await expect(
			open(chosen('welcome')).listSearch('searchTemplateLanguages'),
		).rejects.toMatchObject({
			message: 'The service does not show languages',
			description: expect.stringContaining("Choose 'By Code'"),
		});
	});

	test.each([
		['searchTemplateNames', 'no name was found in them', [{ key: 1, words: 'Hi' }]],
		['searchTemplates', 'no ID was found in them', [{ name: 'welcome', words: 'Hi' }]],
	])('%s says that %s, and what came', async (method, message, records) => {
		await list(...records);
		await expect(open().listSearch(method)).rejects.toMatchObject({
			message: `The service lists templates, but ${message}`,
			description: expect.stringContaining(Object.keys(records[0]).join(', ')),
		});
	});

	test('a status is shown as the service writes it, and marks only what is clearly refused', async () => {
		await list(
			{ name: 'a', status: 'Active - Quality pending' },
			{ name: 'b', status: 'In review' },
		);
		const { results } = await open().listSearch('searchTemplateNames');
		expect(results.map(({ name }) => name)).toEqual([
			'a · active - quality pending',
			'b · ⚠ not approved (In review)',
		]);
	});

	test('variables are named in any script', async () => {
		await list({ ...welcome, components: [{ type: 'BODY', text: '{{größe}}, {{ 名前 }}' }] });
		expect((await form(chosen('welcome'))).fields.map(({ id }) => id)).toEqual([
			'body_größe',
			'body_名前',
		]);
	});
});

describe('without a network', () => {
	test('the list says what is wrong', async () => {
		await expect(open({}, nowhere()).listSearch('searchTemplateNames')).rejects.toMatchObject({
			message: expect.stringContaining('127.0.0.1:9'),
		});
	});

	test('the form has numbered fields', async () => {
		expect((await form(chosen('welcome'), nowhere())).fields.map(({ id }) => id)).toContain(
			'body_1',
		);
	});

	test('a form that was there stays as it is', async () => {
		const { fields } = await form(chosen('welcome'));
		const variables = { mappingMode: 'defineBelow', value: { body_1: 'Anna' }, schema: fields };
		expect(
			(await form({ ...chosen('welcome'), variables: variables as never }, nowhere())).fields,
		).toEqual(fields);
	});
});

test('the languages of an unknown template cannot be listed, and the list says what to do', async () => {
	const search = async (template: string) =>
		await open(chosen(template)).listSearch('searchTemplateLanguages');
	await expect(search('')).rejects.toMatchObject({ message: 'Choose a template first' });
	await expect(search('wellcome')).rejects.toMatchObject({
		message: 'The service has no template "wellcome"',
		description: expect.stringContaining('By Code'),
	});
});

test('templates to change are picked with language and status', async () => {
	const { results } = await open().listSearch('searchTemplates', 'invoice');
	expect(results.map(({ name }) => name)).toEqual([
		'invoice · en_US · approved',
		'invoice · es_ES · approved',
	]);
});

test('the example shows the form as the editor would make it', async () => {
	const { nodes } = readExample('welcome-campaign', { id: '1', name: 'Test' });
	const { template, language, variables } = nodes.find(({ name }) => name === 'Send welcome')
		?.parameters as Record<string, { value: string; schema: unknown; cachedResultName: string }>;
	expect((await form(chosen(template.value, language.value))).fields).toEqual(variables.schema);
	const offered = async (method: string) =>
		(await open(chosen(template.value)).listSearch(method)).results.map(({ name }) => name);
	expect(await offered('searchTemplateNames')).toContain(template.cachedResultName);
	expect(await offered('searchTemplateLanguages')).toContain(language.cachedResultName);
});
