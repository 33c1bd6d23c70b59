/** Lists of services that page in different ways: each record once, or a hint that there are more. */
import { range } from 'lodash';

import { type Endpoint, endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import { type ListRequest, readRecords } from '../../nodes/BusinessMessaging/transport/lists';
import { listTemplates } from '../../nodes/BusinessMessaging/transport/templateList';
import { type Paging, type Service, clientOf, numbered } from '../support/functionService';

/** Lists with the node's code. @returns the identifiers that came, and what was asked for */
async function list(
	service: Service,
	request: ListRequest = {},
	endpoint: Endpoint = endpoints.listContacts,
) {
	const { client, asked, most } = clientOf(service);
	const { records, gap } = await readRecords(client, endpoint, request);
	if (gap) throw gap;
	const ids = records.map(({ id }) => id);
	return { ids, asked, pages: asked.map(({ page }) => page), atOnce: most.atOnce };
}

/** What an incomplete list says. */
async function gapOf(service: Service, request?: ListRequest) {
	const { client, asked } = clientOf(service);
	const { records, gap } = await readRecords(client, endpoints.listContacts, request);
	return { count: records.length, message: gap?.message, description: gap?.description, asked };
}

const withTotal = (count: number) => ({ count, says: { total: count } });
const recordsOf = (ids: unknown[]) => ids.map((id) => ({ id }));

describe('pages by number', () => {
	test.each<[string, Paging, number, number]>([
		['from 1', { count: 35 }, 6, 1],
		['from 0', { count: 35, base: 0 }, 5, 1],
		['from 1, with a total', withTotal(35), 5, 3],
		['from 0, with a total', { ...withTotal(35), base: 0 }, 4, 2],
		['the total as text', { count: 35, says: { total: '35' } }, 5, 3],
		['the total far inside', { count: 35, says: { meta: { page: { totalCount: 35 } } } }, 5, 3],
		['a total of the page alone', { count: 35, says: { total: 10 } }, 6, 1],
		['the last page again and again', { count: 35, beyond: 'last' }, 7, 1],
		['404 beyond the last', { count: 35, beyond: 404 }, 6, 1],
		['416 beyond the last', { count: 35, beyond: 416 }, 6, 1],
		['nothing at all', { count: 0 }, 1, 1],
		['one page', { count: 10 }, 3, 1],
		['many pages, with a total', withTotal(500), 51, 6],
	])('%s', async (_, paging, requests, atOnce) => {
		const given = await list(numbered(paging));
		expect(given.ids).toEqual(range(paging.count));
		expect(given.pages).toEqual([undefined, ...range(1, requests)]);
		expect(given.atOnce).toBe(atOnce);
	});

	test.each([{}, { total: 29 }])('may be short before the end, with %j', async (says) => {
		const pages = [range(10), range(10, 20), range(20, 23), range(23, 26), range(26, 29)];
		const given = await list(({ page = 0 }) => ({
			body: { data: recordsOf(pages[Number(page)] ?? []), ...says },
		}));
		expect(given.ids).toEqual(range(29));
	});

	test('a page that the user has chosen is the only one', async () => {
		const given = await list(numbered(withTotal(35)), { query: { page: 2 } });
		expect([given.ids, given.pages]).toEqual([range(10, 20), [2]]);
	});

	test('a total that counts no further is not the end while has_more is true', async () => {
		const service: Service = ({ page = 1 }, times) =>
			numbered({ count: 50, says: { total: 20, has_more: Number(page) < 5 } })({ page }, times);
		expect((await list(service)).ids).toEqual(range(50));
	});

	test('no more are read than a limit needs', async () => {
		const given = await list(numbered(withTotal(500)), { limit: 25 });
		expect([given.ids, given.pages]).toEqual([range(25), [undefined, 1, 2, 3]]);
		expect((await list(numbered({ count: 500 }), { limit: 10 })).pages).toEqual([undefined]);
	});
});

describe('pages by what each shows of the next one:', () => {
	const url = 'https://api.example.com/v1/contacts';
	const link = (token?: string) => (token ? `/v1/contacts?limit=10&after=${token}` : null);

	/** A service that pages by a token, and returns its first page to every other request. */
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
		['next', byToken('cursor', (next) => ({ next }))],
		['next as the parameter', byToken('next', (next) => ({ next }))],
		['cursor.next', byToken('cursor', (next) => ({ cursor: { next } }))],
		['nextPageToken', byToken('pageToken', (token) => ({ nextPageToken: token }))],
		['next_page_token', byToken('page_token', (token) => ({ next_page_token: token }))],
		['next_offset', byToken('offset', (token) => ({ next_offset: token }))],
		['paging.cursors.after', byToken('after', (after) => ({ paging: { cursors: { after } } }))],
		['paging.next.after', byToken('after', (t) => ({ paging: t ? { next: { after: t } } : {} }))],
		['cursor with has_more', byToken('cursor', (t) => ({ cursor: t ?? 'at-50', has_more: !!t }))],
		['a URL under links.next', byToken('after', (t) => ({ links: { self: url, next: link(t) } }))],
		['a URL under next.href', byToken('after', (t) => ({ _links: { next: { href: link(t) } } }))],
		['a Link header', byToken('after', () => ({}), linkHeader)],
		['beside a total', byToken('cursor', (t) => ({ next_cursor: t, total: 50, has_more: !!t }))],
	])('%s', async (_, service) => {
		const given = await list(service);
		expect(given.ids).toEqual(range(50));
		expect(given.asked.length).toBeLessThanOrEqual(7);
		expect((await list(service, { limit: 25 })).ids).toEqual(range(25));
	});

	test.each(['https://evil.example.org/v1/contacts', '/v2/contacts'])(
		'%s is not followed, and that there is more is said',
		async (elsewhere) => {
			const service = byToken('after', (t) => ({ next: t && `${elsewhere}?after=${t}` }));
			const { count, message, asked } = await gapOf(service);
			expect([count, message]).toEqual([10, 'The service returned only the first 10 contacts']);
			expect(asked.every(({ after }) => after === undefined)).toBe(true);
		},
	);

	test('a link that leads nowhere is reported', async () => {
		const says = { next_cursor: 'at-10', total: 50, has_more: true };
		const { message } = await gapOf(byToken('unheard-of', () => says));
		expect(message).toBe('The service returned 10 of 50 contacts');
	});

	test('nothing is looked for where pages are numbered', async () => {
		const given = await list(({ page = 1 }, times) => {
			const next_page = Number(page) < 5 ? Number(page) + 1 : null;
			const says = { total: 50, next_page, next_page_url: next_page && `${url}?page=${next_page}` };
			return numbered({ count: 50, says })({ page }, times);
		});
		expect([given.ids, given.pages]).toEqual([range(50), [undefined, 1, 2, 3, 4, 5]]);
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
		[{}, Infinity, [most, most, most, most]],
		[{}, 100, [most, 100, 100, 100, 100]],
		[{}, 50, [most, 100, none, none, none, none]],
		[{ limit: 25 }, Infinity, [25, 25, 25]],
		[{ limit: 5_000 }, Infinity, [most, most, most, most]],
		[{ limit: 25 }, 20, [25, none, none, none]],
		[{ query: { limit: 7 } }, Infinity, [7, 7, 7, 7]],
	])('of %j at a service that takes at most %d', async (request, greatest, sizes) => {
		const { asked, ids } = await limits(request, greatest);
		expect(asked.map(({ limit }) => limit)).toEqual(sizes);
		expect(ids).toEqual(range(25));
	});

	test('is left to the service if none is specified', async () => {
		const { asked } = await limits({}, Infinity, endpoints.listWebhooks);
		expect(asked).toEqual([{}, { page: 1 }, { page: 2 }, { page: 3 }]);
	});

	test('is not changed where the user has chosen it, nor after a refusal of the key', async () => {
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
		['with a status', withTotal(250), refusal, '100 of 250 contacts'],
		['as a success', withTotal(250), success, '100 of 250 contacts'],
		['without a total', { count: 250 }, refusal, 'only the first 100 contacts'],
	])('is reported with the number of records read: %s', async (_, paging, answer, words) => {
		const given = await gapOf(refusing(numbered(paging), (page) => page > 10, answer));
		expect([given.count, given.message]).toEqual([100, `The service returned ${words}`]);
		expect(given.description).toContain(message);
		expect(given.asked.length).toBeLessThan(40);
	});

	test.each([withTotal(200), { count: 200 }])(
		'for a moment is asked for again: %j',
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

describe('what a service says but does not give', () => {
	const always = (says: object): Service => numbered({ count: 10, says, beyond: 'last' });

	test.each([
		[{ total: 500, has_more: true }, 'The service returned 10 of 500 contacts'],
		[{ total: 500 }, 'The service returned 10 of 500 contacts'],
		[{ count: 10, has_more: true }, 'The service returned only the first 10 contacts'],
		[{ pagination: { hasNextPage: true } }, 'The service returned only the first 10 contacts'],
	])('with %j and the same page for every request is reported', async (says, message) => {
		const given = await gapOf(always(says));
		expect([given.count, given.message]).toEqual([10, message]);
		expect(given.asked.length).toBeLessThan(15);
		expect((await gapOf(always(says), { limit: 10 })).message).toBeUndefined();
	});

	test('is reported even if there is no record at all', async () => {
		const { message } = await gapOf(() => ({ body: { data: [], total: 500 } }));
		expect(message).toBe('The service returned 0 of 500 contacts');
	});

	test('is not reported for a list that ends at its total', async () => {
		const { count, message } = await gapOf(numbered({ ...withTotal(40), beyond: 400 }));
		expect([count, message]).toEqual([40, undefined]);
	});
});

describe('a list that others change meanwhile', () => {
	const total = (now: number[]) => ({ total: now.length });
	/** A list of so many records that is changed before its third request. */
	const changing = (
		count: number,
		change: (list: number[]) => void,
		says: (list: number[]) => object = total,
	): Service => {
		const now = range(count);
		return ({ page = 1 }, times) => {
			if (times === 3) change(now);
			const start = (Number(page) - 1) * 10;
			return { body: { data: recordsOf(now.slice(start, start + 10)), ...says(now) } };
		};
	};
	const toFront = (now: number[]) => now.unshift(...now.splice(85, 1));

	test.each<[string, Service, number[]]>([
		['moves to the front, with a total', changing(100, toFront), range(100)],
		['moves to the front, without one', changing(100, toFront, () => ({})), range(100)],
		['moves up after a removal', changing(100, (now) => now.shift()), range(1, 100)],
		['is added in front', changing(100, (now) => now.unshift(-1)), range(-1, 100)],
	])('gives each record once that %s', async (_, service, expected) => {
		const { ids, pages } = await list(service);
		expect(ids).toEqual(expect.arrayContaining(expected));
		expect(ids).toHaveLength(new Set(ids).size);
		expect(pages.length).toBeLessThanOrEqual(14);
	});

	test('is read again a bounded number of times, and what is missing is said', async () => {
		const given = await gapOf(numbered({ count: 100, says: { total: 101 } }));
		expect([given.count, given.message]).toEqual([100, 'The service returned 100 of 101 contacts']);
		expect(given.asked.length).toBeLessThan(40);
	});

	type Says = (isLast: boolean, next: number) => object;

	/** Pages of some size by number or by cursor, of a list that is changed once, before one of them is asked for. */
	function changedBefore(
		page: number,
		[count, size]: [number, number],
		change: (list: number[]) => void,
		says: Says,
	): Service {
		const now = range(count);
		let isChanged = false;
		return ({ page: asked = 1, cursor }) => {
			const number = cursor === undefined ? Number(asked) : Number(String(cursor).slice(1));
			if (number === page && !isChanged) change(now);
			isChanged ||= number === page;
			const end = number * size;
			const data = recordsOf(now.slice(end - size, end));
			return { body: { data, ...says(end >= now.length, number + 1) } };
		};
	}
	const silent = () => ({});
	const hasMore = (isLast: boolean) => ({ has_more: !isLast });
	const cursor = (isLast: boolean, next: number) => (isLast ? {} : { next_cursor: `c${next}` });
	const lastToFront = (now: number[]) => now.unshift(now.pop() as number);

	test.each<[string, number, [number, number], Says]>([
		['while each page but the last says that there is more', 3, [30, 10], hasMore],
		['from a separate last page, by number', 4, [31, 10], silent],
		['from a separate last page, by cursor', 4, [31, 10], cursor],
	])('gives a record that moved to the front %s', async (_, page, size, says) => {
		const { ids } = await list(changedBefore(page, size, lastToFront, says));
		expect(new Set(ids)).toEqual(new Set(range(size[0])));
	});

	test('is not read again after a record was removed that had not been read yet', async () => {
		const { count, message } = await gapOf(changing(100, (now) => now.pop()));
		expect([count, message]).toEqual([99, undefined]);
	});
});

describe('records', () => {
	test.each<[string, object[][], number]>([
		['all that they hold', [[{ a: 1 }, { a: 2 }], [{ a: 2 }, { a: 3 }], []], 3],
		['an ID, though twice on one page', [recordsOf([1, 1, 2]), recordsOf([2, 3, 3]), []], 5],
		['contact_id', [[{ contact_id: 1, n: 1 }, { contact_id: 2 }], [{ contact_id: 1, n: 2 }]], 2],
	])('are distinguished from those of other pages by %s', async (_, pages, count) => {
		const { ids } = await list(({ page = 0 }) => ({ body: pages[Number(page)] ?? [] }));
		expect(ids).toHaveLength(count);
	});

	test.each([
		[{ greeting: 'Hello', token: 'secret' }, 'greeting, token'],
		[{ people: [{ id: 1 }], groups: [{ id: 2 }] }, 'people, groups'],
	])(
		'that cannot be found in %j are an error that names the fields of the response',
		async (body, fields) => {
			await expect(list(() => ({ body }))).rejects.toMatchObject({
				message: 'The node found no list of contacts in the response',
				description: expect.stringContaining(fields),
			});
		},
	);
});

describe('the list of templates', () => {
	let now = 1_000_000;
	beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));
	afterEach(() => jest.restoreAllMocks());

	/** A service whose list of templates holds some records, and whose pages say more or less of it. */
	function templates(records: object[], says: object = {}, everyPageIsTheSame = false) {
		const { client, asked } = clientOf(({ page }) => ({
			body: { data: everyPageIsTheSame || page === undefined ? records : [], ...says },
		}));
		return { read: async (isFresh = false) => await listTemplates(client, isFresh), asked };
	}

	test('is kept for five minutes, unless a fresh one is asked for', async () => {
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

	test('is kept of 20 services and keys at most', async () => {
		const { read, asked } = templates([{ name: 'a' }]);
		await read();
		const { length } = asked;
		for (let n = 0; n < 20; n++) await templates([{ name: 'b' }]).read();
		await read();
		expect(asked).toHaveLength(2 * length);
	});

	test.each<[string, boolean, object, boolean]>([
		['a page beyond it is empty', true, {}, false],
		['every page is the same', false, {}, true],
		['every page is the same, with its own total', false, { total: 2 }, true],
		['the total is greater', false, { total: 3 }, false],
		['more is announced', false, { has_more: true }, false],
	])('is known to be complete if %s: %s', async (_, isComplete, says, areSame) => {
		const list = await templates([{ name: 'a' }, { name: 'b' }], says, areSame).read();
		expect([list.records.length, list.isComplete]).toEqual([2, isComplete]);
	});
});
