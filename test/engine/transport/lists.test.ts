/** Lists of services that page in different ways: each record comes once, or a hint says that there are more. */
import { range } from 'lodash';

import { type Endpoint, endpoints } from '../../../nodes/BusinessMessaging/api/endpoints';
import { type ListRequest, readRecords } from '../../../nodes/BusinessMessaging/transport/lists';
import { listTemplates } from '../../../nodes/BusinessMessaging/transport/templateList';
import {
	type Answer,
	type Paging,
	type Service,
	clientOf,
	numbered,
} from '../../../harness/engine/functionService';
import { list, gapOf, recordsOf, withTotal } from './listing';

describe('pages by number', () => {
	test.each<[string, Paging, number, number]>([
		['from 1', { count: 35 }, 6, 1],
		['from 0', { count: 35, base: 0 }, 5, 1],
		['from 0, with a total, which the next page confirms', { ...withTotal(35), base: 0 }, 5, 2],
		['with a total that counts only the page', { count: 35, says: { total: 10 } }, 6, 1],
		['with the last page again and again', { count: 35, beyond: 'last' }, 7, 1],
		['with 416 after the last page', { count: 35, beyond: 416 }, 6, 1],
		['without any records', { count: 0 }, 1, 1],
		['with many pages and a total', withTotal(500), 52, 6],
	])('%s', async (_, paging, requests, atOnce) => {
		const given = await list(numbered(paging));
		expect(given.ids).toEqual(range(paging.count));
		expect(given.pages).toEqual([undefined, ...range(1, requests)]);
		expect(given.atOnce).toBe(atOnce);
	});

	test.each([{}, { total: 29 }])('may have few records before the end, with %j', async (says) => {
		const pages = [range(10), range(10, 20), range(20, 23), range(23, 26), range(26, 29)];
		const given = await list(({ page = 0 }) => ({
			body: { data: recordsOf(pages[Number(page)] ?? []), ...says },
		}));
		expect(given.ids).toEqual(range(29));
	});

	test('only one page is read if the user has chosen it', async () => {
		const given = await list(numbered(withTotal(35)), { query: { page: 2 } });
		expect([given.ids, given.pages]).toEqual([range(10, 20), [2]]);
	});

	test('only as many pages are read as the limit needs', async () => {
		const given = await list(numbered(withTotal(500)), { limit: 25 });
		expect([given.ids, given.pages]).toEqual([range(25), [undefined, 1, 2, 3]]);
		expect((await list(numbered({ count: 500 }), { limit: 10 })).pages).toEqual([undefined]);
	});
});

describe('pages by the link or token for the next page:', () => {
	const url = 'https://api.example.com/v1/contacts';
	const link = (token?: string) => (token ? `/v1/contacts?limit=10&after=${token}` : null);

	/** A service that pages by a token, and responds with its first page to every other request. */
	function byToken(
		parameter: string,
		show: (token?: string) => object,
		headers: (token?: string) => object = () => ({}),
	): Service {
		return (asked) => {
			const start = Number(String(asked[parameter] ?? 'at-0').replace(/^at-/, ''));
			const token = start + 10 < 50 ? `at-${start + 10}` : undefined;
			const data = recordsOf(range(start, Math.min(start + 10, 50)));
			return { body: { data, ...show(token) }, headers: { ...headers(token) } };
		};
	}
	const linkHeader = (token?: string) =>
		token ? { link: `<${url}>; rel="first", <${link(token)}>; rel="next"` } : {};

	test.each<[string, Service]>([
		['next_cursor', byToken('cursor', (token) => ({ next_cursor: token ?? null }))],
		['nextCursor in meta', byToken('cursor', (token) => ({ meta: { nextCursor: token ?? '' } }))],
		['next, which is also the parameter', byToken('next', (next) => ({ next }))],
		['nextPageToken', byToken('pageToken', (token) => ({ nextPageToken: token }))],
		['pageInfo.endCursor', byToken('after', (t) => ({ pageInfo: { endCursor: t ?? null } }))],
		['paging.cursor', byToken('cursor', (cursor) => ({ paging: { cursor } }))],
		['meta.after', byToken('after', (after) => ({ meta: { after } }))],
		['paging.cursors.after', byToken('after', (after) => ({ paging: { cursors: { after } } }))],
		['a cursor with has_more', byToken('cursor', (t) => ({ cursor: t ?? 'at-50', has_more: !!t }))],
		['a URL under next.href', byToken('after', (t) => ({ _links: { next: { href: link(t) } } }))],
		['a Link header', byToken('after', () => ({}), linkHeader)],
		[
			'a cursor beside a total',
			byToken('cursor', (t) => ({ next_cursor: t, total: 50, has_more: !!t })),
		],
	])('%s', async (_, service) => {
		const given = await list(service);
		expect(given.ids).toEqual(range(50));
		expect(given.asked.length).toBeLessThanOrEqual(7);
		expect((await list(service, { limit: 25 })).ids).toEqual(range(25));
	});

	test.each<[string, number[][]]>([
		['behind others', [range(10), range(10, 20), [], range(20, 30)]],
		['right behind the first', [range(10), [], range(10, 20), range(20, 30)]],
		['in front of all others', [[], range(10), range(10, 20), range(20, 30)]],
	])('an empty page %s is not the end if it names a next page', async (_, pages) => {
		const given = await list(({ cursor = 'c0' }) => {
			const number = Number(String(cursor).slice(1));
			const next_cursor = number < pages.length - 1 ? `c${number + 1}` : null;
			return { body: { data: recordsOf(pages[number]), next_cursor } };
		});
		expect(given.ids).toEqual(range(30));
	});

	test.each(['https://evil.example.org/v1/contacts', '/v2/contacts'])(
		'%s is not followed, and a hint says that there are more records',
		async (elsewhere) => {
			const service = byToken('after', (t) => ({ next: t && `${elsewhere}?after=${t}` }));
			const { count, message, asked } = await gapOf(service);
			expect([count, message]).toEqual([10, 'The service returned only the first 10 contacts']);
			expect(asked.every(({ after }) => after === undefined)).toBe(true);
		},
	);

	test.each<object>([
		...[0, '0', -1, '-1', 'null', '#', ' '].map((next_cursor) => ({ next_cursor })),
		...[{ next: 0 }, { nextPage: -1 }, { next_page: 1 }],
		{ page: 1, next_page: 2, total_pages: 1 },
		...[{ links: { next: '#' } }, { _links: { next: { href: '?page=2' } } }],
	])('a list that always ends with %j is complete', async (says) => {
		for (const beyond of ['empty', 'first'] as const) {
			const { client } = clientOf(({ page = 1 }) => ({
				body: { data: recordsOf(beyond === 'empty' && page !== 1 ? [] : range(2)), ...says },
			}));
			const list = await readRecords(client, endpoints.listWebhooks);
			// Page 2 may have another name at a service that responds with its first page to every request.
			const isComplete = beyond === 'empty' || !JSON.stringify(says).match(/page"?[:=]"?[12]/);
			expect([list.records.length, list.shortfall, list.isComplete]).toEqual([
				...[2, undefined, isComplete],
			]);
		}
	});

	test('a next page that is only a number is requested by its number', async () => {
		const given = await list(({ page = 1 }, times) => {
			const next_page = Number(page) < 5 ? Number(page) + 1 : null;
			const says = { total: 50, next_page, next_page_url: next_page && `${url}?page=${next_page}` };
			return numbered({ count: 50, says })({ page }, times);
		});
		expect([given.ids, given.pages]).toEqual([range(50), [undefined, ...range(1, 7)]]);
	});
});

describe('the size of a page', () => {
	const all25 = numbered({ count: 25, base: 0 });
	const limits = async (request: ListRequest, greatest = Infinity, endpoint?: Endpoint) => {
		const service: Service = (query, times) =>
			Number(query.limit ?? 1) > greatest ? { status: 422 } : all25(query, times);
		return await list(service, request, endpoint);
	};
	const [most, none] = [1_000, undefined];

	test.each<[ListRequest, number, unknown[]]>([
		[{}, 100, [most, 100, 100, 100, 100]],
		[{ limit: 5_000 }, Infinity, [most, most, most, most]],
		[{ limit: 25 }, 20, [25, none, none, none]],
		[{ query: { limit: 7 } }, Infinity, [7, 7, 7, 7]],
	])('of %j at a service that accepts at most %d', async (request, greatest, sizes) => {
		const { asked, ids } = await limits(request, greatest);
		expect(asked.map(({ limit }) => limit)).toEqual(sizes);
		expect(ids).toEqual(range(25));
	});

	test('is left to the service if none is specified', async () => {
		const { asked } = await limits({}, Infinity, endpoints.listWebhooks);
		expect(asked).toEqual([{}, { page: 1 }, { page: 2 }, { page: 3 }]);
	});

	test.each(
		[100, none].flatMap(
			(accepted): Array<[number | undefined, string, Answer]> => [
				[accepted, '422', { status: 422 }],
				[accepted, '500', { status: 500 }],
				[accepted, '504', { status: 504 }],
				[accepted, 'a response that is too large', { error: { code: 'ERR_RESPONSE_TOO_LARGE' } }],
			],
		),
	)(
		'is %s if the service responds with %s to greater ones; for the next list, this is known from the start',
		async (accepted, _, failure) => {
			const { client, asked } = clientOf((query, times) =>
				Number(query.limit ?? 0) > (accepted ?? 0) ? failure : all25(query, times),
			);
			for (const first of ['first', 'second']) {
				const { records } = await readRecords(client, endpoints.listContacts);
				expect([first, records.length]).toEqual([first, 25]);
			}
			const sizes = asked.map(({ limit }) => limit);
			expect(sizes.filter((size) => size === most).length).toBeLessThanOrEqual(2);
			expect(sizes.slice(-8)).toEqual(Array(8).fill(accepted));
		},
	);

	test('is not changed for a service that fails at every request', async () => {
		const { client, asked } = clientOf(() => ({ status: 500 }));
		await expect(readRecords(client, endpoints.listContacts)).rejects.toThrow('HTTP 500');
		expect(asked.map(({ limit }) => limit)).toEqual([most, most, 100, 100, none, none, none, none]);
	});

	test('is not changed if the user has chosen it, or after a refusal of the key', async () => {
		await expect(limits({ query: { limit: 30 } }, 20)).rejects.toMatchObject({ statusCode: 422 });
		await expect(list(() => ({ status: 403 }))).rejects.toMatchObject({ statusCode: 403 });
	});
});

describe('a page that is refused', () => {
	const message = 'page must be <= 10';
	const refusal = { status: 400, body: { message } };
	const refusing =
		(service: Service, isRefused: (page: number) => boolean, answer: object = refusal): Service =>
		(asked, times) =>
			isRefused(Number(asked.page ?? 1)) ? answer : service(asked, times);
	const success = { status: 200, body: { success: false, message } };

	test.each([
		['the refusal has the status 200', withTotal(250), success, '100 of 250 contacts'],
		['the list has no total', { count: 250 }, refusal, 'only the first 100 contacts'],
	])('is reported with the number of records read: %s', async (_, paging, answer, words) => {
		const given = await gapOf(refusing(numbered(paging), (page) => page > 10, answer));
		expect([given.count, given.message]).toEqual([100, `The service returned ${words}`]);
		expect(given.description).toContain(message);
		expect(given.asked.length).toBeLessThan(40);
	});

	test.each([30, 100])(
		'is reported, too, if a cursor leads to it, after %i records',
		async (end) => {
			const given = await gapOf(({ cursor = 0 }) => {
				const next_cursor = Number(cursor) + 10;
				const data = recordsOf(range(next_cursor - 10, next_cursor));
				return next_cursor > end ? refusal : { body: { data, next_cursor } };
			});
			const words = `The service returned only the first ${end} contacts`;
			expect([given.count, given.message]).toEqual([end, words]);
			expect(given.description).toContain(message);
		},
	);

	test.each([withTotal(200), { count: 200 }])(
		'is requested again if the refusal is temporary: %j',
		async (paging) => {
			let refusals = 0;
			const service = refusing(numbered(paging), (page) => page === 7 && refusals++ < 2);
			expect((await list(service)).ids).toEqual(range(200));
		},
	);

	test.each([35, 3])('is the end after a page that was not full: %i records', async (count) => {
		expect((await list(numbered({ count, beyond: 400 }))).ids).toEqual(range(count));
	});

	test('for a missing permission ends the list with its error', async () => {
		await expect(list(numbered({ count: 35, beyond: 403 }))).rejects.toMatchObject({
			message: 'The API key is not allowed to do this: There is no such page (HTTP 403)',
		});
	});
});

describe('records that the service announces but does not return', () => {
	const always = (says: object): Service => numbered({ count: 10, says, beyond: 'last' });

	test.each([
		[{ total: 500 }, 'The service returned 10 of 500 contacts'],
		[{ pagination: { hasNextPage: true } }, 'The service returned only the first 10 contacts'],
	])('with %j and the same page for every request is reported', async (says, message) => {
		const given = await gapOf(always(says));
		expect([given.count, given.message]).toEqual([10, message]);
		expect(given.asked.length).toBeLessThan(15);
		expect((await gapOf(always(says), { limit: 10 })).message).toBeUndefined();
	});
});

describe('a list that others change while it is read', () => {
	type Says = (list: number[], isLast: boolean, next: number) => object;

	/** A list with pages by number or by cursor, which is changed once, before one of its pages is requested. */
	function changedBefore(
		page: number,
		count: number,
		change: (list: number[]) => unknown,
		says: Says,
	): Service {
		const now = range(count);
		let isChanged = false;
		return ({ page: asked = 1, cursor }) => {
			const number = cursor === undefined ? Number(asked) : Number(String(cursor).slice(1));
			if (number === page && !isChanged) change(now);
			isChanged ||= number === page;
			const end = number * 10;
			const data = recordsOf(now.slice(end - 10, end));
			return { body: { data, ...says(now, end >= now.length, number + 1) } };
		};
	}
	const silent = () => ({});
	const total = (list: number[]) => ({ total: list.length });
	const hasMore: Says = (_, isLast) => ({ has_more: !isLast });
	const cursor: Says = (_, isLast, next) => (isLast ? {} : { next_cursor: `c${next}` });
	const toFront = (list: number[]) => list.unshift(...list.splice(85, 1));
	const lastToFront = (list: number[]) => list.unshift(list.pop() as number);

	test.each<[string, Service, number[]]>([
		['a move to the front, with a total', changedBefore(2, 100, toFront, total), range(100)],
		['a move to the front, without a total', changedBefore(2, 100, toFront, silent), range(100)],
		['a move, with has_more', changedBefore(3, 30, lastToFront, hasMore), range(30)],
		['a move from a separate last page', changedBefore(4, 31, lastToFront, cursor), range(31)],
		['a removal', changedBefore(2, 100, (list) => list.shift(), total), range(1, 100)],
	])('returns each record once after %s', async (_, service, expected) => {
		const { ids, pages } = await list(service);
		expect(ids).toEqual(expect.arrayContaining(expected));
		expect(ids).toHaveLength(new Set(ids).size);
		expect(pages.length).toBeLessThanOrEqual(14);
	});

	test('returns all remaining records after an unread one was removed', async () => {
		const { ids } = await list(changedBefore(2, 100, (now) => now.pop(), total));
		expect(ids).toEqual(range(99));
	});

	test('is read again at most a few times, and a hint says how many records are missing', async () => {
		const given = await gapOf(numbered({ count: 100, says: { total: 101 } }));
		expect([given.count, given.message]).toEqual([100, 'The service returned 100 of 101 contacts']);
		expect(given.asked.length).toBeLessThan(40);
	});
});

describe('records', () => {
	test.each<[string, object[][], number]>([
		['all their fields', [[{ a: 1 }, { a: 2 }], [{ a: 2 }, { a: 3 }], []], 3],
		['an ID, which may be on one page twice', [recordsOf([1, 1, 2]), recordsOf([2, 3, 3]), []], 5],
		['contact_id', [[{ contact_id: 1, n: 1 }, { contact_id: 2 }], [{ contact_id: 1, n: 2 }]], 2],
	])('are distinguished from those of other pages by %s', async (_, pages, count) => {
		const { ids } = await list(({ page = 0 }) => ({ body: pages[Number(page)] ?? [] }));
		expect(ids).toHaveLength(count);
	});

	test.each<[string, Endpoint]>([
		['contacts', endpoints.listContacts],
		['conversations', endpoints.listConversations],
	])(
		'in several possible lists lead to an error that names %s and the fields of the response',
		async (records, endpoint) => {
			const body = { people: [{ id: 1 }], groups: [{ id: 2 }] };
			await expect(list(() => ({ body }), {}, endpoint)).rejects.toMatchObject({
				message: `The node found no list of ${records} in the response`,
				description: expect.stringContaining('people, groups'),
			});
		},
	);
});

describe('the list of templates', () => {
	let now = 1_000_000;
	beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));
	afterEach(() => jest.restoreAllMocks());

	/** A service with a list of templates, whose pages show different metadata. */
	function templates(records: object[], says: object = {}, everyPageIsTheSame = false) {
		const { client, asked } = clientOf(({ page }) => ({
			body: { data: everyPageIsTheSame || page === undefined ? records : [], ...says },
		}));
		return { read: async (isFresh = false) => await listTemplates(client, isFresh), asked };
	}

	test('is cached for five minutes, unless a fresh list is requested', async () => {
		const records = [{ name: 'a' }, { name: 'b' }];
		const { read, asked } = templates(records);
		const countAfter = async (ms: number, isFresh?: boolean) => {
			now += ms;
			const { length } = asked;
			return [(await read(isFresh)).records.length, asked.length > length];
		};
		expect(await countAfter(0)).toEqual([2, true]);
		records.pop();
		expect(await countAfter(5 * 60_000 - 1)).toEqual([2, false]);
		expect(await countAfter(0, true)).toEqual([1, true]);
		records.pop();
		expect(await countAfter(5 * 60_000)).toEqual([0, true]);
	});

	test.each<[string, boolean, object, boolean]>([
		['a page beyond it is empty', true, {}, false],
		['every page is the same, so that no other page exists', true, {}, true],
		['every page is the same, with its own total', true, { total: 2 }, true],
		['every page is the same, but there are more', false, { total: 50 }, true],
		['more records are announced', false, { has_more: true }, false],
	])('is known to be complete if %s: %s', async (_, isComplete, says, areSame) => {
		const list = await templates([{ name: 'a' }, { name: 'b' }], says, areSame).read();
		expect([list.records.length, list.isComplete]).toEqual([2, isComplete]);
	});
});
