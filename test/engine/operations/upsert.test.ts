/** Create or Update: one contact for each phone number, without listing all contacts for each item. */
import { range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { locator, useService } from '../../../harness/engine/service';

const service = useService({ sampleContacts: 0, pageSizeCap: 100, defaultPageSize: 20 });

/** Each test uses another key, because an index is kept for each pair of base URL and key. */
let key: { apiKey: string };
beforeEach(() => void (key = service.newKey()));

const newPhone = '+15559000000';
const phoneOf = (n: number) => `+1555${1_000_000 + n}`;
const all = () => service.sandbox.state.contacts.all;
const nameOf = (phone: string) => service.sandbox.state.contacts.findByPhone(phone)?.name;

function addContacts(count: number): void {
	for (const n of range(count))
		service.sandbox.state.contacts.create({ phone: phoneOf(n), name: `Old ${n}` });
}

/** Creates or updates contacts. */
async function upsert(...phones: string[]) {
	const values = { phone: '={{ $json.phone }}', name: 'Anna' };
	return await service.run({
		credentials: service.credentials(key),
		parameters: { resource: 'contact', operation: 'upsert', ...values },
		items: phones.map((phone) => ({ phone })),
	});
}

/** Number of requests so far: lists, creations, updates. */
const calls = () => [
	service.calls('listContacts'),
	service.calls('createContact'),
	service.calls('updateContact'),
];

test('lists contacts once for all items, and finds them however their number is written', async () => {
	addContacts(40);
	const usa = ['+1 (555) 100-0003', '001 555 1000039'];
	const brazil = '+551187654321';
	const contact = service.sandbox.state.contacts.create({ phone: brazil });
	const { outputs, error } = await upsert(...usa, newPhone, newPhone, '+5511987654321');
	expect([error, outputs[0].length]).toEqual([undefined, 5]);
	expect(calls()).toEqual([3, 1, 4]);
	expect(all()).toHaveLength(42);
	expect(contact.name).toBe('Anna'); // the same phone, with the additional ninth digit that is used today
});

test.each([
	['+52 1 55 1234 5678', '+52 55 1234 5678'],
	['+52 55 1234 5678', '+52 1 55 1234 5678'],
])('%s and %s are one new contact, as both reach the same phone', async (...forms) => {
	const { error } = await upsert(...forms);
	expect([error, calls().slice(1)]).toEqual([undefined, [1, 1]]);
});

test.each([1, 30, 60])(
	'%i new contacts and as many known ones need three lists of the 3,000 contacts, if they were read before',
	async (count) => {
		addContacts(3_000);
		await upsert(phoneOf(0));
		const [before] = calls();
		const news = range(count).map((n) => `+1555${8_000_000 + n}`);
		await upsert(...news, ...range(count).map(phoneOf));
		const [lists, created, updated] = calls();
		expect([lists - before <= 3, created, updated]).toEqual([true, count, count + 1]);
	},
);

test('a known contact and a new one need two requests each, however many contacts there are', async () => {
	addContacts(3_000);
	await upsert(phoneOf(7));
	expect(calls()).toEqual([32, 0, 1]);
	await upsert(phoneOf(2_999));
	expect(calls()).toEqual([33, 0, 2]);
	await upsert(newPhone);
	expect(calls()).toEqual([34, 1, 2]);
	await upsert(newPhone); // its page is not known yet
	expect(calls()).toEqual([36, 1, 3]);
	await upsert(newPhone);
	expect(calls()).toEqual([37, 1, 4]);
});

test.each([
	['name', 'reads one page', { name: 'Berta' }, 1],
	['phone number', 'lists all contacts', { phone: newPhone }, 30],
])(
	'after an Update of the %s of another contact, Create or Update %s',
	async (_, __, updateFields, least) => {
		addContacts(3_000);
		await upsert(phoneOf(7));
		const before = calls()[0];
		const contactId = locator(all()[8].id);
		const parameters = { resource: 'contact', operation: 'update', contactId, updateFields };
		await service.run({ credentials: service.credentials(key), parameters });
		await upsert(phoneOf(7));
		const lists = calls()[0] - before;
		expect(lists).toBeGreaterThanOrEqual(least);
		expect(lists).toBeLessThanOrEqual(least + 5);
	},
);

test.each([
	['at the end', 3, 3_000],
	['at the front', 3, 0],
	['among the others', Infinity, 1_500],
])('finds a contact that others have added %s with %d requests', async (_, most, place) => {
	addContacts(3_000);
	await upsert(phoneOf(7));
	const contact = service.sandbox.state.contacts.create({ phone: newPhone });
	all().splice(place, 0, ...all().splice(3_000, 1));
	const before = calls()[0];
	await upsert(newPhone);
	expect(calls()[0] - before).toBeLessThanOrEqual(most);
	expect([contact.name, all().length]).toEqual(['Anna', 3_001]);
});

test.each([true, false])(
	'a retry after a failed creation leads to one contact; the creation had taken effect: %s',
	async (processed) => {
		service.fault({ endpoint: 'createContact', status: 500, processed });
		const failed = await upsert(newPhone, newPhone);
		expect(failed.error?.message).toContain('HTTP 500');
		expect(failed.error?.description).toContain(
			'0 of 2 items are done. A retry continues with the others. Item 0',
		);
		const { error } = await service.retry(failed);
		expect([error, all().map(({ phone }) => phone)]).toEqual([undefined, [newPhone]]);
	},
);

test('a contact that others have deleted is created again', async () => {
	addContacts(300);
	await upsert(phoneOf(7));
	service.sandbox.state.contacts.delete(all()[7].id);
	expect((await upsert(phoneOf(7))).error).toBeUndefined();
	expect([nameOf(phoneOf(7)), all().length]).toEqual(['Anna', 300]);
});

test('a contact that is listed but cannot be found by its ID is not created again', async () => {
	addContacts(3);
	service.fault({ endpoint: 'updateContact', status: 404, count: 3 });
	expect((await upsert(phoneOf(1))).error?.message).toContain('HTTP 404');
	expect([all().length, calls().slice(1)]).toEqual([3, [0, 1]]);
});

test('after a second refusal, contacts are not listed again', async () => {
	service.fault({ endpoint: 'createContact', status: 409, processed: true });
	service.fault({ endpoint: 'updateContact', status: 404, count: 3 });
	expect((await upsert(newPhone)).error?.message).toContain('HTTP 404');
	expect(calls().slice(1)).toEqual([1, 1]);
	expect(calls()[0]).toBeLessThan(8);
});

test.each([
	[409, 'Conflict'],
	[422, 'The phone number is taken'],
])(
	'a contact that others create at the same moment is updated after the refusal (%i, %s)',
	async (status, message) => {
		addContacts(3);
		const fault = { status, body: { message }, processed: true };
		service.fault({ endpoint: 'createContact', ...fault });
		expect((await upsert(newPhone)).error).toBeUndefined();
		expect([calls().slice(1), nameOf(newPhone), all().length]).toEqual([[1, 1], 'Anna', 4]);
	},
);

test('two executions at the same time create one contact', async () => {
	addContacts(30);
	await Promise.all([upsert(newPhone), upsert(newPhone), upsert('+1 555 900 0000')]);
	expect(calls().slice(1)).toEqual([1, 2]);
});

test('if the response to a creation has no ID, the contact is found by listing all', async () => {
	addContacts(3);
	const body = { success: true };
	service.fault({ endpoint: 'createContact', status: 201, body, processed: true });
	expect((await upsert(newPhone, newPhone)).error).toBeUndefined();
	expect([calls().slice(1), all().length]).toEqual([[1, 1], 4]);
});

test('in a list of any form the contact is found by its number, and updated by its ID', async () => {
	const body = [
		{ contact_id: 4, account_id: 7, phone: '?' },
		{ contact_id: 5, account_id: 7, phone: '001 555 1000000' },
	];
	service.fault({ endpoint: 'listContacts', status: 200, body, count: 3 });
	service.fault({ endpoint: 'updateContact', status: 200, body: { name: 'Anna' } });
	const { outputs } = await upsert(phoneOf(0));
	expect(outputs[0][0].json).toMatchObject({ name: 'Anna' });
	expect(service.requests().at(-1)?.url).toBe('/v1/contacts/5');
});

const first = { phone: phoneOf(0) };

test.each([
	[newPhone, { data: [{ id: 'a', ...first }], total: 25 }, 'returned 1 of 25 contacts', ''],
	[newPhone, { data: [{ id: 'a', ...first }], totalPages: 9 }, 'returned only the first 1', ''],
	[
		phoneOf(0),
		[
			{ companyId: 1, ...first },
			{ companyId: 2, phone: phoneOf(1) },
		],
		'find its ID',
		'companyId, phone',
	],
	[phoneOf(0), [{ id: 1, mobile: phoneOf(0) }], 'cannot read the phone numbers', 'id, mobile'],
])(
	'%s in a list such as %j is an error that names the fields in the response',
	async (phone, body, words, fields) => {
		service.fault({ endpoint: 'listContacts', status: 200, body, count: 20 });
		const { error } = await upsert(phone);
		expect(error?.message).toContain(words);
		expect(error?.description).toContain(fields);
		expect(calls().slice(1)).toEqual([0, 0]);
	},
);

describe('listed numbers', () => {
	const add = (phone: string, name: string) =>
		service.sandbox.state.contacts.create({ phone, name });
	const run = async (phone: string, options: INodeParameters = {}) =>
		await service.run({
			credentials: service.credentials(key),
			parameters: { resource: 'contact', operation: 'upsert', phone, name: 'New', options },
		});
	const shown = () => all().map(({ phone, name }) => [phone, name]);

	test.each([
		['DE', '0170 1234567', '+49 170 1234567'],
		['DE', '0170/1234567', '0170 1234567'],
		['GB', '(07700) 900123', '+447700900123'],
		['US', '(212) 555-0123', '+12125550123'],
	])('are read with the Default Country %s: %s', async (defaultCountry, listed, phone) => {
		add(listed, 'Old');
		add('+33612345678', 'Other');
		const { error } = await run(phone, { defaultCountry });
		expect([error, all().map(({ name }) => name)]).toEqual([undefined, ['New', 'Other']]);
	});

	test('are read with the Default Country of each run, also if it changes within minutes', async () => {
		add('(212) 555-0123', 'Old');
		for (const [defaultCountry, phone] of [
			['DE', '+4917012345678'],
			['US', '+12125550123'],
		])
			expect((await run(phone, { defaultCountry })).error).toBeUndefined();
		expect(shown()).toEqual([
			['+12125550123', 'New'],
			['+4917012345678', 'New'],
		]);
	});

	test('are read with the Default Country of each item', async () => {
		add('(212) 555-0123', 'Old');
		add('0170 1234567', 'Old');
		const items = [
			{ country: 'US', phone: '+12125550123' },
			{ country: 'DE', phone: '+491701234567' },
			{ country: 'DE', phone: '+12125550123' },
			{ country: 'DE', phone: '+33612345678' },
			{ country: 'US', phone: '+33612345678' },
		];
		const { outputs, error } = await service.run({
			credentials: service.credentials(key),
			parameters: {
				...{ resource: 'contact', operation: 'upsert', phone: '={{ $json.phone }}', name: 'New' },
				options: { defaultCountry: '={{ $json.country }}' },
			},
			items,
		});
		expect([error, outputs[0].map(({ json }) => json.savedAs)]).toEqual([
			undefined,
			['updated', 'updated', 'updated', 'created', 'updated'],
		]);
	});

	test('that need a Default Country lead to a hint if a contact is created', async () => {
		add('0170 1234567', 'Old');
		add('+33612345678', 'Other');
		const { hints } = await run('+491701234567');
		expect(hints[0].message).toContain("set 'Default Country' under 'Options'");
		expect((await run('+33612345678')).hints).toEqual([]);
	});

	test.each(['+15550001000 x12', '+1 555 000 1000 ext. 12', 'tel:+15550001000;ext=12'])(
		'with an extension are another phone: %s',
		async (listed) => {
			add(listed, 'Desk 12');
			const { error } = await run('+15550001000');
			expect([error, shown()]).toEqual([
				undefined,
				[
					[listed, 'Desk 12'],
					['+15550001000', 'New'],
				],
			]);
		},
	);
});

test('a contact is not updated if others have the same ID', async () => {
	const data = range(5).map((n) => ({ id: 'c', phone: phoneOf(n) }));
	service.fault({ endpoint: 'listContacts', status: 200, body: { data }, count: 99 });
	const { error } = await upsert(phoneOf(3));
	expect(error?.message).toContain('several contacts of the service have the same ID');
	expect(calls().slice(1)).toEqual([0, 0]);
});

test('a PUT does not write back what could not be decoded', async () => {
	const [{ id }] = [service.sandbox.state.contacts.create({ phone: newPhone })];
	const data = [{ id, phone: newPhone, name: 'Gr\ufffdn', note: 'caf\ufffd' }];
	service.fault({ endpoint: 'listContacts', status: 200, body: { data }, count: 99 });
	const { error } = await service.run({
		credentials: service.credentials({ ...key, apiPath: '/v1' }),
		parameters: { resource: 'contact', operation: 'upsert', phone: newPhone, name: 'Anna' },
	});
	expect([error?.message, calls()[2]]).toEqual([
		expect.stringContaining('has characters that the node cannot read'),
		0,
	]);
});

describe('a PUT that replaces the contact', () => {
	const own = {
		...{ seenWebinar: 'yes', preferencesUpdatedBy: 'Anna', createdVia: 'shop', note: 'VIP' },
		...{ modified_size: 'XL', object: 'flat 3', link: 'https://a.test', updatedPrices: 'no' },
	};
	const ofService = {
		...{ createdAt: '2030-01-01', updated_at: '2030-01-01', lastSeen: '2030-01-01', _v: 1 },
		...{ created: 1, dateModified: 1, updatedBy: 'api', object: 'contact', uuid: 'u' },
	};
	const put = async (fields: object, response: object) => {
		service.list('listContacts', { id: 'c1', name: 'Anna', ...first, ...fields });
		service.fault({ endpoint: 'updateContact', status: 200, count: 3, body: response });
		return await service.run({
			credentials: service.credentials({ ...service.newKey(), apiPath: '/v1' }),
			parameters: { resource: 'contact', operation: 'upsert', ...first, name: 'Anna B' },
		});
	};
	const bodies = () => service.requests('updateContact').map(({ body }) => body);

	test("keeps the account's own fields, whatever their names look like", async () => {
		const { hints } = await put(own, { id: 'c1', name: 'Anna B', ...first, ...own });
		expect(bodies()).toEqual([{ name: 'Anna B', ...first, ...own }]);
		expect(hints).toEqual([]);
	});

	test('sends no fields that the service sets', async () => {
		await put(ofService, { id: 'c1', name: 'Anna B', ...first });
		expect(bodies()[0]).toEqual({ name: 'Anna B', ...first });
	});

	test('leads to a hint that names the fields that its response does not show', async () => {
		const { hints } = await put(own, { id: 'c1', name: 'Anna B', ...first, note: 'VIP' });
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringContaining('seenWebinar, preferencesUpdatedBy, createdVia, modified_size'),
		]);
	});

	test.each([{ id: 'c1' }, { success: true }])(
		'leads to no hint if its response shows no field: %j',
		async (response) => {
			expect((await put(own, response)).hints).toEqual([]);
		},
	);
});

test('says which contacts were created or updated, that numbers are there twice, and that names are missing', async () => {
	addContacts(1);
	const items = [
		{ phone: newPhone, name: 'Anna' },
		{ phone: phoneOf(0), name: '' }, // its expression gives a space
		{ phone: newPhone.replace('+', '00'), name: 'Berta' },
	];
	const { outputs, hints } = await service.run({
		credentials: service.credentials(key),
		parameters: {
			...{ resource: 'contact', operation: 'upsert' },
			...{ phone: '={{ $json.phone }}', name: '={{ $json.name }} {{ $json.name }}' },
		},
		items,
	});
	expect(outputs[0].map(({ json }) => json.savedAs)).toEqual(['created', 'updated', 'updated']);
	expect(all().map(({ name }) => name)).toEqual(['Old 0', 'Berta Berta']);
	expect(hints.map(({ message }) => message)).toEqual([
		`1 phone number is in several items, e.g. ${newPhone}. The last item of each number counts.`,
		'1 of 3 items have no name: a contact that exists keeps its name, and a new one has none.',
	]);
});
