/** The lists of contacts, segments and webhooks, as the editor calls them. */
import { useService } from '../support/service';

const service = useService({ sampleContacts: 1_200 });
const open = () => service.engine.editor({ credentials: service.credentials() });
const contact = (index: number) => service.sandbox.state.contacts.all[index];

test('all contacts are reached by scrolling, each once', async () => {
	const values: unknown[] = [];
	let token: string | undefined;
	do {
		const page = await open().listSearch('searchContacts', undefined, token);
		values.push(...page.results.map(({ value }) => value));
		token = page.paginationToken;
	} while (token);
	expect(values).toEqual(service.sandbox.state.contacts.all.map(({ id }) => id));
});

test.each([
	['a name', 'Katherine Johnson 240', 1_198],
	['a phone number', '+15551001199', 1_199],
	['a phone number with spaces', '1 555 100 1199', 1_199],
	['a phone number as it is dialled', '(0) 1001-199', 1_199],
])('a contact far down is found by %s', async (_, filter, index) => {
	const { results } = await open().listSearch('searchContacts', filter);
	expect(results).toEqual([
		{ name: `${contact(index).name} · ${contact(index).phone}`, value: contact(index).id },
	]);
});

test('segments are those of the contacts', async () => {
	expect((await open().listSearch('searchSegments')).results.map(({ value }) => value)).toEqual([
		'customers',
		'newsletter',
		'vip',
	]);
	expect(
		(await open().listSearch('searchSegments', 'VI')).results.map(({ value }) => value),
	).toEqual(['vip']);
});

test('webhooks show their address and events', async () => {
	const { id } = service.sandbox.state.webhooks.create({
		url: 'https://example.com/hook',
		events: ['message.received'],
	});
	expect((await open().listSearch('searchWebhooks')).results).toEqual([
		{ name: 'https://example.com/hook · message.received', value: id },
	]);
});

test('a list that cannot be loaded says what to do', async () => {
	const editor = service.engine.editor({ credentials: service.credentials({ apiKey: 'wrong' }) });
	await expect(editor.listSearch('searchContacts')).rejects.toMatchObject({
		message: expect.stringContaining('does not accept the API key'),
	});
});

test.each([
	[
		'searchContacts',
		'listContacts',
		[
			{ id: 'a' },
			{ name: 'No ID' },
			{ id: 7, name: 'Bea', phone: 5 },
			{ _id: 'c', phone: '+49170' },
		],
		[
			['a', 'a'],
			['Bea · 5', '7'],
			['+49170', 'c'],
		],
	],
	[
		'searchContacts',
		'listContacts',
		[
			{ contact_id: 7, account_id: 1, name: 'Ada' },
			{ contact_id: 8, account_id: 1, name: 'Bea' },
		],
		[
			['Ada', '7'],
			['Bea', '8'],
		],
	],
	[
		'searchWebhooks',
		'listWebhooks',
		[{ webhookId: 'w', url: 'https://example.com' }],
		[['https://example.com', 'w']],
	],
	[
		'searchTemplates',
		'listTemplates',
		[{ templateId: 't', name: 'welcome', language: 'en_US' }],
		[['welcome · en_US', 't']],
	],
	[
		'searchWebhooks',
		'listWebhooks',
		[
			{ id: 'w' },
			{ url: 'https://example.com' },
			{ id: 'x', callback_url: 'https://example.com/x', events: ['message.read', {}] },
		],
		[
			['w', 'w'],
			['https://example.com/x · message.read', 'x'],
		],
	],
	[
		'searchSegments',
		'listContacts',
		[{ id: 'a', segments: [{ name: 'vip' }, '', 7] }, { id: 'b', segment: 'all' }, { id: 'c' }],
		[
			['all', 'all'],
			['vip', 'vip'],
		],
	],
] as const)(
	'%s shows what there is of records that show less',
	async (method, endpoint, body, shown) => {
		await service.fault({ endpoint, status: 200, body });
		await service.fault({ endpoint, status: 200, body: [], count: 9 });
		const { results } = await open().listSearch(method);
		expect(results.map(({ name, value }) => [name, value])).toEqual(shown);
	},
);

test.each([
	['searchContacts', 'listContacts', 'contacts', { name: 'Ada', phone: '+15551000000' }],
	['searchWebhooks', 'listWebhooks', 'webhooks', { url: 'https://example.com' }],
	['searchTemplates', 'listTemplates', 'templates', { name: 'welcome', language: 'en_US' }],
] as const)(
	'%s of records without an ID says so, and what came',
	async (method, endpoint, what, record) => {
		await service.fault({ endpoint, status: 200, body: [record] });
		await service.fault({ endpoint, status: 200, body: [], count: 9 });
		await expect(open().listSearch(method)).rejects.toMatchObject({
			message: `The service lists ${what}, but no ID was found in them`,
			description: `The first one has the fields ${Object.keys(record).join(', ')}. Choose 'By ID' and enter the ID.`,
		});
	},
);

test('of a list that the service does not give in full, what it gives is shown, or why nothing was found', async () => {
	const body = { data: [{ id: 'a', name: 'Ada' }], total: 25 };
	await service.fault({ endpoint: 'listContacts', status: 200, body, count: 99 });
	const { results } = await open().listSearch('searchContacts', 'ad');
	expect(results).toEqual([{ name: 'Ada', value: 'a' }]);
	await expect(open().listSearch('searchContacts', 'Bea')).rejects.toMatchObject({
		message: 'The service gave 1 of 25 contacts',
	});
});
