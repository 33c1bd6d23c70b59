/** The lists to choose from, as the editor calls them. */
import { range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { EndpointName } from '../../../nodes/BusinessMessaging/api/endpoints';
import { locator, useService } from '../../../harness/engine/service';

const service = useService({ sampleContacts: 1_200 });
const open = (parameters: INodeParameters = {}) =>
	service.engine.editor({ parameters, credentials: service.credentials() });
const search = async (method: string, filter?: string, token?: string) =>
	await open().listSearch(method, filter, token);
const namesIn = async (method: string, filter?: string) =>
	(await search(method, filter)).results.map(({ name }) => name);

describe('lists to choose from', () => {
	test('scrolling shows all contacts, each once: 500, then as many as before', async () => {
		const pages: unknown[][] = [];
		let token: string | undefined;
		do {
			const page = await search('searchContacts', undefined, token);
			pages.push(page.results.map(({ value }) => value));
			token = page.paginationToken;
		} while (token);
		expect(pages.flat()).toEqual(service.sandbox.state.contacts.all.map(({ id }) => id));
		expect(pages.map(({ length }) => length)).toEqual([500, 500, 200]);
	});

	test.each(['edsger dijkstra 240', '+15551001199', '(0) 1001-199'])(
		'a contact far down is found by %s',
		async (filter) => {
			const { name, phone, id } = service.sandbox.state.contacts.all[1_199];
			const { results } = await search('searchContacts', filter);
			expect(results).toEqual([{ name: `${name} · ${phone}`, value: id }]);
		},
	);

	test.each(['0049 30 111', '030/111', '+49 (30) 111'])(
		'a number in Berlin is found by %s',
		async (filter) => {
			service.list('listContacts', { id: '1', name: 'Ada', phone: '+4930111222' });
			expect(await namesIn('searchContacts', filter)).toEqual(['Ada · +4930111222']);
		},
	);

	test('a search stops after 8,000 records, and goes on when the user scrolls', async () => {
		const body = range(8_500).map((id) => ({ id, name: `Contact ${id}` }));
		service.fault({ endpoint: 'listContacts', status: 200, body, count: 99 });
		const first = await search('searchContacts', 'Contact 8400');
		expect(first).toEqual({ results: [], paginationToken: '8000' });
		const { results } = await search('searchContacts', 'Contact 8400', first.paginationToken);
		expect(results).toEqual([{ name: 'Contact 8400', value: '8400' }]);
	});

	test('records show the fields that they have; if they have no ID, an error names their fields', async () => {
		service.list('listContacts', { id: 'a' }, { name: 'No ID' }, { id: 7, name: 'Bea' });
		const { results } = await search('searchContacts');
		expect(results).toEqual([
			{ name: 'a', value: 'a' },
			{ name: 'Bea', value: '7' },
		]);
		service.list('listWebhooks', { url: 'https://a.test', events: ['message.read'] });
		await expect(search('searchWebhooks')).rejects.toMatchObject({
			message: 'The node found no ID in the webhooks of the service',
			description: "The first webhook has the fields url, events. Choose 'By ID' and enter the ID.",
		});
	});

	test('a webhook shows its URL and the names of its events', async () => {
		const webhooks = [
			{ id: '1', url: 'https://a.test/1', events: ['message.read', 'message.failed'] },
			{ id: '2', url: 'https://a.test/2', events: [{ type: 'x' }, 'message.failed'] },
			{ id: '3', url: 'https://a.test/3', events: 'all' },
		];
		service.list('listWebhooks', ...webhooks);
		expect(await namesIn('searchWebhooks')).toEqual([
			'https://a.test/1 · message.read, message.failed',
			'https://a.test/2 · message.failed',
			'https://a.test/3',
		]);
	});

	test('a Default Country is found by its name, and the service is not asked', async () => {
		expect((await search('searchCountries', 'united k')).results).toEqual([
			{ name: 'United Kingdom', value: 'GB' },
		]);
		const all = await namesIn('searchCountries');
		expect(all.slice(0, 3)).toEqual([
			'(None) Numbers Begin With + or 00',
			'(None) Only the + Is Missing',
			'Afghanistan',
		]);
		expect(all.length).toBeGreaterThan(240);
		expect(service.requests()).toEqual([]);
	});

	test.each<[string, EndpointName]>([
		['searchContacts', 'listContacts'],
		['searchWebhooks', 'listWebhooks'],
		['searchTemplates', 'listTemplates'],
		['searchTemplateNames', 'listTemplates'],
	])('without any records, %s shows an empty list', async (method, endpoint) => {
		service.list(endpoint);
		expect(await search(method)).toEqual({ results: [] });
	});

	test.each<[string, EndpointName, string]>([
		['searchContacts', 'listContacts', 'contacts'],
		['searchTemplateNames', 'listTemplates', 'templates'],
	])(
		'an incomplete list (%s) shows what the service returned, or why nothing was found',
		async (method, endpoint, records) => {
			const body = { data: [{ id: 'Ada', name: 'Ada' }], total: 25 };
			service.fault({ endpoint, status: 200, body, count: 99 });
			for (const filter of ['', 'ad'])
				expect((await search(method, filter)).results).toEqual([{ name: 'Ada', value: 'Ada' }]);
			const message = `The service returned 1 of 25 ${records}`;
			await expect(search(method, 'Bea')).rejects.toMatchObject({ message });
		},
	);
});

describe('the list of templates', () => {
	test('is sorted by name, with the languages of each; templates that are not approved come last', async () => {
		const named = (name: string, status: string | undefined, ...languages: string[]) =>
			languages.map((language) => ({ name, language, status }));
		service.list(
			'listTemplates',
			...named('alpha', 'PENDING', 'en_US'),
			...named('Sales', 'APPROVED', 'pt_BR', 'de_DE', 'en_US'),
			...named('sale_may', 'APPROVED', 'pt_BR', 'de_DE', 'en_US', 'it_IT'),
			...named('beta', undefined, 'en_US'),
			{ name: 'gamma' },
		);
		expect(await namesIn('searchTemplateNames')).toEqual([
			'beta · en_US',
			'gamma',
			'sale_may · 4 languages · approved',
			'Sales · de_DE, en_US, pt_BR · approved',
			'alpha · en_US · ⚠ not approved (PENDING)',
		]);
	});

	test.each(['', ' '])('is loaded again for the search text "%s", not for others', async (none) => {
		await search('searchTemplateNames');
		service.sandbox.state.templates.create({ name: 'new_offer', language: 'en_US' }, 'APPROVED');
		expect(await namesIn('searchTemplateNames', 'new')).toEqual([]);
		expect(await namesIn('searchTemplateNames', none)).toContain('new_offer · en_US · approved');
	});
});

describe.each<[string, string, INodeParameters]>([
	['searchTemplateLanguages', 'template', { operation: 'sendTemplate' }],
	['searchFallbackLanguages', 'fallbackTemplate', { useFallbackTemplate: true }],
])('the list of languages (%s)', (method, parameter, others) => {
	const offer = (language?: string, status = 'APPROVED') => ({ name: 'offer', language, status });
	const templates = [
		offer('pt_BR', 'PENDING'),
		offer('de_DE'),
		offer(),
		{ name: 'note', language: 'de_DE' },
		{ name: 'note', language: 'xx_invalid_XX' },
		{ name: 'bare' },
	];
	const languagesOf = async (template: INodeParameters[string], records: object[] = templates) => {
		service.list('listTemplates', ...records);
		const parameters = { resource: 'message', ...others, [parameter]: template };
		return (await open(parameters).listSearch(method)).results;
	};

	test.each([locator('offer', 'list'), locator(' offer ', 'name'), 'offer'])(
		'for %j has the languages of this template, and marks those that are not approved',
		async (template) => {
			expect(await languagesOf(template)).toEqual([
				{ name: 'German (Germany) · de_DE', value: 'de_DE' },
				{
					name: 'Portuguese (Brazil) · pt_BR · ⚠ not approved (PENDING)',
					value: 'pt_BR',
				},
			]);
		},
	);

	test.each([locator('={{ $json.template }}', 'name'), locator(null as never, 'name')])(
		'for an expression (%j) has the languages of all templates, each once',
		async (template) => {
			const values = (await languagesOf(template)).map(({ value }) => value);
			expect(values).toEqual(['de_DE', 'xx_invalid_XX', 'pt_BR']);
		},
	);

	const first = ['Choose a template first', 'Its languages are then listed here.'];
	const none = [
		"The service's list of templates shows no languages",
		"Choose 'By Code' here and enter the language, e.g. en_US.",
	];
	test.each<[string, INodeParameters[string], object[], string[]]>([
		['no template', locator('', 'list'), templates, first],
		['a locator without a value', { __rl: true, mode: 'list' }, templates, first],
		[
			'an unknown template',
			locator('order', 'name'),
			templates,
			['The service has no template "order"', 'Choose the template again.'],
		],
		['a template without languages', locator('bare', 'list'), templates, none],
		['an expression and no templates', locator(null as never, 'name'), [], none],
		[
			'templates without names',
			locator('offer', 'name'),
			[{ id: 't1', text: 'Hi' }],
			[
				'The service sent templates, but the node cannot find their names',
				'The first template has the fields id, text.',
			],
		],
	])('says why it is empty for %s', async (_, template, records, [message, description]) => {
		await expect(languagesOf(template, records)).rejects.toMatchObject({ message, description });
	});

	test('says that the list is cut, not that a template does not exist that it does not contain', async () => {
		const data = range(20).map((n) => ({ name: `note_${n}`, language: 'de_DE' }));
		const body = { data, pagination: { hasNextPage: true } };
		service.fault({ endpoint: 'listTemplates', status: 200, body, count: 99 });
		const parameters = { resource: 'message', ...others, [parameter]: locator('order', 'name') };
		await expect(open(parameters).listSearch(method)).rejects.toThrow(
			'only the first 20 templates',
		);
	});

	test('asks for a template first if the editor has sent no parameters', async () => {
		await expect(open().listSearch(method)).rejects.toThrow('Choose a template first');
	});
});
