/** Lists that nobody has described: their records, the figures beside them, and their fields in an error. */
import { range } from 'lodash';

import {
	countFigures,
	fieldNames,
	fieldsOf,
	readEnvelope,
	readList,
	readTotals,
} from '../../../nodes/BusinessMessaging/reading/readResponse';

const rows = [{ phone: '+15550001111' }, { phone: '+15550001112' }];
const others = [{ name: 'vip' }];

describe('a list of contacts is found', () => {
	test.each<[string, unknown]>([
		['as a bare array', rows],
		['under data', { data: rows, total: 2 }],
		['under its name', { contacts: rows, segments: others }],
		['under its name, before any other', { people: others, contacts: rows }],
		['under its name in the singular', { people: others, contact: rows }],
		['under its name in capitals', { people: others, CONTACTS: rows }],
		['under a longer form of its name', { contactList: rows, groups: others }],
		['under its name, before a longer form of it', { contact_groups: others, contacts: rows }],
		['under data, before its name', { contacts: others, data: rows }],
		['under its name nearer to the top', { meta: { contacts: others }, contacts: rows }],
		[
			'under a longer form of its name nearer to the top',
			{ contactList: rows, meta: { contactList: others } },
		],
		['under any name nearer to the top', { people: rows, meta: { groups: others } }],
		['under data nearer to the top', { included: { data: others }, data: rows }],
		['two levels down', { response: { payload: rows }, status: 'ok' }],
		['four levels down', { a: { b: { c: { d: rows } } } }],
		['beside data that is null', { data: null, contacts: rows }],
		['under a name with the kind, beside data that is null', { data: null, contactList: rows }],
		['beside errors and column names', { people: rows, errors: [], columns: ['phone'] }],
		['beside an empty list of the same name', { x: { contacts: rows }, y: { contacts: [] } }],
		['under data, beside related records', { data: rows, included: [{ type: 'segment' }] }],
		...[
			...['success', 'ok', 'result', 'status', 'statusCode', 'status_code', 'code', 'message'],
			...['error', 'errors', 'warnings', 'included', 'meta', '_metadata', 'links', '_links'],
			...['paging', 'pagination', 'Errors'],
		].map((name): [string, unknown] => [`beside ${name}`, { [name]: others, people: rows }]),
	])('%s', (_, body) => {
		expect(readList(body, 'contact')).toEqual(rows);
	});

	test.each([
		...['', null, undefined, [], { data: null, total: 0 }, { contacts: null }, { people: [] }],
		...[{ meta: { data: null } }, { x: { contacts: null }, y: { contacts: [] } }],
	])('empty in %j', (body) => {
		expect(readList(body, 'contact')).toEqual([]);
	});

	test('with entries that are not records', () => {
		const contacts = ['a', { id: 1 }, [2]];
		const records = [{ value: 'a' }, { id: 1 }, { value: [2] }];
		expect(readList({ contacts }, 'contact')).toEqual(records);
	});

	test.each([
		['Hello'],
		[7],
		[{ greeting: 'Hello' }],
		[{ people: null }],
		[{ errors: [{ message: 'No' }] }],
		[{ people: rows, groups: others }],
		[{ x: { contacts: rows }, y: { contacts: others } }],
		[{ a: { b: { c: { d: { e: rows } } } } }],
	])('not in %j', (body) => {
		expect(readList(body, 'contact')).toBeUndefined();
	});
});

test('a list of any kind is the one with records, wherever it is', () => {
	expect(readList({ ids: ['a'], entry: rows })).toEqual(rows);
	expect(readList({ ids: ['a', 'b'], groups: { entry: rows } })).toEqual(rows);
	expect(readList({ ids: ['a'] })).toEqual([{ value: 'a' }]);
	expect(readList({ ids: ['a', 'b'], entry: ['c', { id: 1 }] })).toEqual([
		{ value: 'c' },
		{ id: 1 },
	]);
});

test.each<[unknown, Record<string, unknown>, number[]]>([
	[{ total: '25000' }, {}, [25_000]],
	[{ meta: { pagination: { total_count: 7 } } }, {}, [7]],
	[{ data: { meta: { paging: { total: 7 } } } }, {}, [7]],
	[{ data: { meta: { paging: { info: { total: 7 } } } } }, {}, []],
	[{ totalContacts: 7, total_pages: 2, totalTimeMs: 9 }, {}, [7]],
	[{ total: 7, total_unread: 3 }, {}, [7]],
	[{ count: 7, next: null }, {}, [7]],
	[{ contact_count: 7, contacts_number: 8 }, {}, [7]],
	[{ contacts: { total: 7 } }, {}, [7]],
	[{ contact: { count: 7 } }, {}, [7]],
	[{ data: { contacts: [], contacts_total: 7 }, numberOfRecords: 8 }, {}, [7]],
	[{ totalItems: 1, total_results: 2, recordCount: 3, totalSize: 4 }, {}, [1, 2, 3, 4]],
	[{ total: 1, Page: { total: 2 }, page_info: { total: 3 } }, {}, [1, 2, 3]],
	[[], { 'x-total-count': '7' }, [7]],
	[{ total: 7 }, { 'x-total-count': '8' }, [7, 8]],
	[{ total: 0 }, {}, [0]],
	[{ total: 123_456_789_012_345 }, {}, [123_456_789_012_345]],
	[{ total: 1_234_567_890_123_456 }, {}, []],
	[{ total: 'many', totalPages: 3, pageCount: 3 }, {}, []],
	[{ total: 7.5, count: '7 of 9', totalCount: 'all 7' }, {}, []],
	[{ total: [7], count: { total: 7 } }, {}, []],
	[{ contacts: [{ total: 3 }] }, {}, []],
	[{ size: 3, all: 4 }, {}, []],
	[{ meta: { total_opted_out: 60, totalMessages: 9, count_unread: 2, total: -1 } }, {}, []],
	[{ segments: { total: 3 }, stats: { today: { count: 4 } } }, {}, []],
])('figures of %j with the headers %j that may be the total are %j', (body, headers, totals) => {
	expect([...readTotals(body, headers, 'contact').values()].sort()).toEqual(totals);
});

test('figures have the names of their fields; without a kind, no kind is in them', () => {
	const body = { total: 7, meta: { count: 8 }, total_contacts: 9, contacts: { total: 10 } };
	const figures = { '.total': 7, 'meta.count': 8 };
	expect(Object.fromEntries(readTotals(body, {}))).toEqual(figures);
});

test.each<[unknown, number, number]>([
	[{ sent: 5, delivered: 4 }, 2, 2],
	[{ data: { sent: 5, days: [{ read: 3 }, { read: 2 }] } }, 3, 3],
	[{ sent: '5', read: null, failed: true }, 0, 0],
	[{ status: 200, code: 0, timestamp: 1, id: 7, version: 1, time: 3 }, 0, 0],
	[{ request_id: 7, statusOfUsers: 3 }, 2, 2],
	[{ success: 1, ok: 1, error: 0, errno: 0, result: 1, status_code: 200 }, 0, 0],
	[{ page: 1, limit: 50, offset: 0, current_page: 1, from: 1, to: 50 }, 6, 0],
	[{ last_page: 3, next: 2, prev: 0, per_page: 50, start: 0, end: 9, first: 0, skip: 0 }, 8, 0],
	[{ total: 7, count: 7, total_count: 7, numberOfRecords: 7 }, 4, 0],
	[{ pagesOpened: 3, sent_from: 4, total_sent: 5 }, 3, 3],
	[{ meta: { Page_Index: 3, previousPage: 2 } }, 2, 0],
	[7, 0, 0],
	['7', 0, 0],
	[null, 0, 0],
])('%j contains %i figures, %i of them if it is about a list', (body, all, ofList) => {
	expect([countFigures(body, false), countFigures(body, true)]).toEqual([all, ofList]);
});

test.each<[unknown, unknown[] | undefined]>([
	[[1], [1]],
	[[], []],
	[{ data: [1], total: 1 }, [1]],
	[{ Items: [1], total: 1 }, [1]],
	[{ data: 'x', items: [1] }, [1]],
	[{ data: { results: [1], total: 1 }, status: 'ok' }, [1]],
	[{ contacts: [1], total: 1 }, [1]],
	[{ contact: [1], total: 1 }, [1]],
	[{ anything: [1] }, [1]],
	[{ anything: { data: [1] } }, [1]],
	[{ status: { data: [1] }, _embedded: [2] }, [2]],
	[{ anything: [1], total: 1 }, undefined],
	[{ database: [1], mydata: [1] }, undefined],
	[{ data: 'x' }, undefined],
	[{ data: { id: 1 } }, undefined],
	[{}, undefined],
	['x', undefined],
	[undefined, undefined],
])('the list in %j, if the response is one, is %j', (body, list) => {
	expect(readEnvelope(body, 'contact')).toEqual(list);
});

test.each<[unknown, string[]]>([
	[7, ['']],
	[{ a: 1, b: { c: { d: 2 } }, e: [{ f: 3 }] }, ['', 'a', 'b', 'e', 'c', 'd']],
	[{ a: { b: { c: { d: { e: 1 } } } } }, ['', 'a', 'b', 'c', 'd']],
])('the fields of %j are %j: those nearest to the top first, and none in lists', (body, names) => {
	expect(fieldsOf(body).map(({ name }) => name)).toEqual(names);
});

test('a field has the name of the field that it is in, and its level', () => {
	expect(fieldsOf({ data: { id: 7 } })).toEqual([
		{ name: '', value: { data: { id: 7 } }, parent: '', depth: 0 },
		{ name: 'data', value: { id: 7 }, parent: '', depth: 1 },
		{ name: 'id', value: 7, parent: 'data', depth: 2 },
	]);
});

describe('an error names the fields of a response', () => {
	const name40 = 'a'.repeat(40);

	test.each<[unknown, string]>([
		[{ id: 7, data: { name: 'Ann', tags: ['x'] } }, 'id, data, data.name, data.tags'],
		[[{ id: 7 }, { name: 'Ann' }], 'id'],
		[{ _id: 7, 'x-key': 8, Big_2: 9 }, '_id, x-key, Big_2'],
		[{ [name40]: 1, [`${name40}a`]: 2 }, name40],
		['secret', 'none'],
		[undefined, 'none'],
		[[], 'none'],
		[{}, 'none'],
	])('%j: %s', (body, names) => {
		expect(fieldNames(body)).toBe(names);
	});

	test.each(['+15550001111', '7up', 'a name', '-x', 'größe', 'a@b.example', ''])(
		'but not %j, which may be a value',
		(key) => {
			expect(fieldNames({ [key]: 1, id: 2 })).toBe('id');
		},
	);

	test('but only the first 20', () => {
		const names = range(25).map((n) => `field${n}`);
		const body = Object.fromEntries(names.map((name) => [name, 1]));
		expect(fieldNames(body)).toBe(names.slice(0, 20).join(', '));
	});
});
