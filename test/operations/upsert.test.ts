/** Create or Update: one contact for each phone number, without listing all contacts for each of them. */
import { range } from 'lodash';

import { useService } from '../support/service';

const service = useService({ sampleContacts: 0, pageSizeCap: 100, defaultPageSize: 20 });

/** Each test is a customer of its own, as the index is kept for each pair of address and key. */
let keys = 0;
let apiKey: string;
beforeEach(() => {
	apiKey = service.sandbox.state.keys.create(
		'Test',
		`test-key-${String(++keys).padStart(8, '0')}`,
	).secret;
});

const phoneOf = (n: number) => `+1555${1_000_000 + n}`;
const all = () => service.sandbox.state.contacts.all;

function addContacts(count: number): void {
	for (const n of range(count))
		service.sandbox.state.contacts.create({ phone: phoneOf(n), name: `Old ${n}` });
}

/** Creates or updates contacts. */
async function upsert(phones: string[], options = {}) {
	return await service.run({
		credentials: service.credentials({ apiKey }),
		parameters: {
			resource: 'contact',
			operation: 'upsert',
			phone: '={{ $json.phone }}',
			name: 'Anna',
		},
		items: phones.map((phone) => ({ phone })),
		...options,
	});
}

/** Requests of these kinds so far. */
const calls = () =>
	['listContacts', 'createContact', 'updateContact'].map((name) => service.calls(name as never));

test('lists once for all items and finds contacts however their number is written', async () => {
	addContacts(40);
	const { outputs, error } = await upsert([
		'+1 (555) 100-0003',
		'001 555 1000039',
		'+15559000000',
		'+15559000000',
	]);
	expect(error).toBeUndefined();
	expect(outputs[0]).toHaveLength(4);
	expect(calls()).toEqual([3, 1, 3]);
	expect(all()).toHaveLength(41);
});

test('a known lead costs one request, and a new one two, however many contacts there are', async () => {
	addContacts(3_000);
	await upsert([phoneOf(7)]);
	expect(calls()).toEqual([31, 0, 1]);
	await upsert([phoneOf(2_999)]);
	expect(calls()).toEqual([31, 0, 2]);
	await upsert(['+15559000000']);
	expect(calls()).toEqual([32, 1, 2]);
	await upsert(['+15559000000']);
	expect(calls()).toEqual([32, 1, 3]);
	expect(all()).toHaveLength(3_001);
});

test.each([
	['at the end', false],
	['in front', true],
])('a contact that others have added %s is found without listing all', async (_, isInFront) => {
	addContacts(3_000);
	await upsert([phoneOf(7)]);
	const contact = service.sandbox.state.contacts.create({ phone: '+15559000000' });
	if (isInFront) service.sandbox.state.contacts.moveToFront(contact);
	const before = calls()[0];
	await upsert(['+15559000000']);
	expect(calls()[0] - before).toBeLessThanOrEqual(3);
	expect(all().filter(({ phone }) => phone === '+15559000000')).toHaveLength(1);
	expect(contact.name).toBe('Anna');
});

test('a contact that others have added among the others is found by listing all', async () => {
	addContacts(3_000);
	await upsert([phoneOf(7)]);
	const contact = service.sandbox.state.contacts.create({ phone: '+15559000000' });
	all().splice(1_500, 0, ...service.sandbox.state.contacts.all.splice(3_000, 1));
	await upsert(['+15559000000']);
	expect(contact.name).toBe('Anna');
	expect(all()).toHaveLength(3_001);
});

test('a contact that others have deleted is created anew', async () => {
	addContacts(300);
	await upsert([phoneOf(7)]);
	service.sandbox.state.contacts.delete(all()[7].id);
	const { error } = await upsert([phoneOf(7)]);
	expect(error).toBeUndefined();
	expect(service.sandbox.state.contacts.findByPhone(phoneOf(7))?.name).toBe('Anna');
	expect(all()).toHaveLength(300);
});

test('two executions at the same time create one contact', async () => {
	addContacts(30);
	await Promise.all([
		upsert(['+15559000000']),
		upsert(['+15559000000']),
		upsert(['+1 555 900 0000']),
	]);
	expect(calls().slice(1)).toEqual([1, 2]);
});

test('a list that the service does not give in full creates nothing', async () => {
	addContacts(3);
	const body = { data: [{ id: 'a', phone: phoneOf(0) }], total: 25, has_more: true };
	await service.fault({ endpoint: 'listContacts', status: 200, body, count: 20 });
	const { error } = await upsert(['+15559000000']);
	expect(error).toMatchObject({ message: 'The service gave 1 of 25 contacts [item 0]' });
	expect(calls().slice(1)).toEqual([0, 0]);
});

test.each([
	[{ contact_id: 'a', account_id: 7 }, 'a'],
	[{ contactId: 5 }, '5'],
])('contacts with the fields %j are updated by their ID', async (fields, id) => {
	await service.fault({
		endpoint: 'listContacts',
		status: 200,
		body: [{ ...fields, phone: phoneOf(0) }],
		count: 3,
	});
	await service.fault({
		endpoint: 'updateContact',
		status: 200,
		body: { ...fields, name: 'Anna' },
	});
	const { outputs, error } = await upsert([phoneOf(0)]);
	expect(error).toBeUndefined();
	expect(outputs[0][0].json).toMatchObject({ name: 'Anna' });
	expect(service.sandbox.state.requests.last().at(-1)?.url).toBe(`/v1/contacts/${id}`);
});

test.each([
	[
		[
			{ profileId: 1, userId: 2, phone: phoneOf(0) },
			{ profileId: 3, userId: 4, phone: phoneOf(1) },
		],
		'could not find its ID',
		'profileId, userId, phone',
	],
	[[{ id: 1, mobile: phoneOf(0) }], 'show no phone number', 'id, mobile'],
])(
	'of contacts such as %j it says what it could not find, and what came',
	async (body, words, fields) => {
		await service.fault({ endpoint: 'listContacts', status: 200, body, count: 3 });
		const { error } = await upsert([phoneOf(0)]);
		expect(error).toMatchObject({
			message: expect.stringContaining(words),
			description: expect.stringContaining(fields),
		});
		expect(calls().slice(1)).toEqual([0, 0]);
	},
);

test('a contact that was created without a word on its ID is found by listing all', async () => {
	addContacts(3);
	await service.fault({
		endpoint: 'createContact',
		status: 201,
		body: { success: true },
		processed: true,
	});
	const { error } = await upsert(['+15559000000', '+15559000000']);
	expect(error).toBeUndefined();
	expect(calls().slice(1)).toEqual([1, 1]);
	expect(all()).toHaveLength(4);
});
