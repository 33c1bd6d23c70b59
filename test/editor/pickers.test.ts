/** The lists of contacts and webhooks, as the editor calls them. */
import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { useService } from '../support/service';

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
		[{ id: 'a' }, { name: 'No ID' }, { id: 7, name: 'Bea', phone: 5 }, { _id: 'c', phone: '+49' }],
		['a: a', 'Bea · 5: 7', '+49: c'],
	],
	['searchContacts', 'listContacts', [{ contact_id: 7, account_id: 1, name: 'Ada' }], ['Ada: 7']],
	['searchWebhooks', 'listWebhooks', [{ webhookId: 'w' }], ['w: w']],
	['searchWebhooks', 'listWebhooks', [{ id: 'w', ...hook }], ['https://a.test · message.read: w']],
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
])('%s of records without an ID says so, and what came', async (method, endpoint, what, record) => {
	await service.list(endpoint, record);
	await expect(search(method)).rejects.toMatchObject({
		message: `The service lists ${what}, but no ID was found in them`,
		description: `The first one has the fields ${Object.keys(record).join(', ')}. Choose 'By ID' and enter the ID.`,
	});
});

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
