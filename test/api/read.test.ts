/** Lists, totals, identifiers and records in responses that nobody has described. */
import {
	identify,
	readEnvelope,
	readId,
	readList,
	readRecord,
	readTotal,
	readWebhookUrl,
} from '../../nodes/BusinessMessaging/api/read';

const rows = [{ phone: '+15550001111' }, { phone: '+15550001112' }];

describe('a list of contacts is found', () => {
	test.each<[string, unknown]>([
		['bare', rows],
		['under data', { data: rows, total: 2 }],
		['under its name', { contacts: rows, segments: [{ name: 'vip' }] }],
		['under a longer form of its name', { contactList: rows, groups: [{ name: 'vip' }] }],
		['under the only key that has one', { subscribers: rows, total: 2 }],
		['two levels down', { response: { payload: rows }, status: 'ok' }],
		['beside links', { people: rows, links: [{ rel: 'self', href: '/' }] }],
		['beside errors and column names', { people: rows, errors: [], columns: ['phone'] }],
		['in _embedded', { _embedded: { contacts: rows }, _links: { self: {} } }],
		['under data with what belongs to it', { data: rows, included: [{ type: 'segment' }] }],
	])('%s', (_, body) => {
		expect(readList(body, 'contact')).toEqual(rows);
	});

	test.each([undefined, null, '', [], { data: [] }, { data: null, total: 0 }, { contacts: null }])(
		'empty in %j',
		(body) => {
			expect(readList(body, 'contact')).toEqual([]);
		},
	);

	test('with entries that are no records', () => {
		expect(readList({ contacts: ['a', { id: 1 }] }, 'contact')).toEqual([
			{ value: 'a' },
			{ id: 1 },
		]);
	});

	test.each([
		[{}],
		['Hello'],
		[{ greeting: 'Hello' }],
		[{ errors: [{ message: 'No' }] }],
		[{ people: rows, groups: [{ name: 'vip' }] }],
		[{ data: { people: rows, groups: rows } }],
	])('not in %j', (body) => {
		expect(readList(body, 'contact')).toBeUndefined();
	});
});

test.each<[unknown, Record<string, unknown>, number | undefined]>([
	[{ total: 25_000 }, {}, 25_000],
	[{ total: '25000' }, {}, 25_000],
	[{ meta: { pagination: { total_count: 7 } } }, {}, 7],
	[{ totalContacts: 7, total_pages: 2, totalTimeMs: 9 }, {}, 7],
	[{ total: 7, total_unread: 3 }, {}, 7],
	[{ count: 7, next: null }, {}, 7],
	[[], { 'x-total-count': '7' }, 7],
	[{ totalA: 7, totalB: 8 }, {}, undefined],
	[{ total: 'many', totalPages: 3 }, {}, undefined],
	[{ contacts: [{ total: 3 }] }, {}, undefined],
	['7', {}, undefined],
])('the total of %j with the headers %j is %j', (body, headers, total) => {
	expect(readTotal(body, headers)).toBe(total);
});

test.each<[unknown, string, string | undefined]>([
	[{ id: 7, contact_id: 8 }, 'contact', '7'],
	[{ _id: 'a' }, 'contact', 'a'],
	[{ contact_id: 'a', account_id: 'b' }, 'contact', 'a'],
	[{ contactId: 'a' }, 'contact', 'a'],
	[{ webhookId: 5 }, 'webhook', '5'],
	[{ templateID: 't' }, 'template', 't'],
	[{ contactUuid: 'u' }, 'contact', 'u'],
	[{ data: { contact_id: 'a' } }, 'contact', 'a'],
	[{ messages: [{ id: 'm' }] }, 'message', 'm'],
	[{ account_id: 'b' }, 'contact', undefined],
	[{ id: '', contact_id: null }, 'contact', undefined],
	['a', 'contact', undefined],
])('the identifier of %j as a %s is %j', (record, kind, id) => {
	expect(readId(record, kind)).toBe(id);
});

test('records without such a name are identified by the only field that tells them apart', () => {
	const people = [
		{ customerId: 1, account_id: 7, phone: 'a' },
		{ customerId: 2, account_id: 7, phone: 'b' },
	];
	expect(people.map(identify(people, 'contact'))).toEqual(['1', '2']);
	const doubtful = people.map((person) => ({ ...person, profile_id: person.phone }));
	expect(doubtful.map(identify(doubtful, 'contact'))).toEqual([undefined, undefined]);
	expect(identify([people[0]], 'contact')(people[0])).toBeUndefined();
});

test.each<[unknown, unknown]>([
	[{ id: 1 }, { id: 1 }],
	[{ data: { id: 1 }, requestId: 5 }, { id: 1 }],
	[{ contact: { id: 1 }, success: true }, { id: 1 }],
	[{ contacts: [{ id: 1 }] }, { id: 1 }],
	[{ whatever: { id: 1 } }, { id: 1 }],
	[[{ id: 1 }], { id: 1 }],
	[
		{ status: 'queued', recipient: { phone: '1' } },
		{ status: 'queued', recipient: { phone: '1' } },
	],
	[
		{ id: 1, contact: { id: 2 } },
		{ id: 1, contact: { id: 2 } },
	],
	['OK', {}],
	[undefined, {}],
])('the record in %j is %j', (body, record) => {
	expect(readRecord(body, 'contact')).toEqual(record);
});

test.each<[unknown, unknown]>([
	[rows, rows],
	[{ campaigns: rows, from: '2024' }, rows],
	[{ data: { items: rows } }, rows],
	[{ rows }, rows],
	[{ total: 3, byDay: rows }, undefined],
	[{ sent: 3 }, undefined],
])('of %j, what certainly is a list is %j', (body, list) => {
	expect(readEnvelope(body, 'campaign')).toEqual(list);
});

test.each([
	[{ docs: 'https://d.example', callback_url: 'https://a.example' }, 'https://a.example'],
	[{ config: { address: 'http://a.example' } }, 'http://a.example'],
	[{ url: '/relative' }, undefined],
])('the URL of the webhook %j is %j', (webhook, url) => {
	expect(readWebhookUrl(webhook)).toBe(url);
});
