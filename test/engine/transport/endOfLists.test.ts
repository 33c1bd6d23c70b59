/** Where lists end: at a page without new records, whatever figures say, and at a greatest size. */
import fc from 'fast-check';
import { compact, range, set, sum } from 'lodash';

import {
	type Answer,
	type Service,
	clientOf,
	numbered,
} from '../../../harness/engine/functionService';
import { endpoints } from '../../../nodes/BusinessMessaging/api/endpoints';
import { readRecords } from '../../../nodes/BusinessMessaging/transport/lists';
import { gapOf, list, recordsOf, withTotal } from './listing';

describe('a figure with the name of a total', () => {
	const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
	const words = [
		'total',
		'count',
		'opted_out',
		'Contacts',
		'pages',
		'all',
		'unread',
		'number',
		'x',
	];
	const exact = ['total', 'count', 'totalCount', 'total_contacts', 'x-total-count', 'total_size'];
	const others = ['total_opted_out', 'totalMessages', 'unread_count', 'total_pages', 'grand_sum'];
	const parents = [undefined, 'meta', 'pagination', 'segments', 'stats'];
	const invented = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 });
	const names = fc.oneof(
		fc.constantFrom(...exact, ...others),
		invented.map((parts) => parts.join('_')),
	);
	const figure = fc.record({
		name: names,
		parent: fc.constantFrom(...parents),
		value: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.constantFrom(0, 10, 20, 30, 1_000, 1e15)),
		isText: fc.boolean(),
		/** Whether the figure grows with each page, like a count of the records so far. */
		isRunning: fc.boolean(),
	});
	const list = fc.record({
		sizes: fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 9 }),
		base: fc.constantFrom(0, 1),
		beyond: fc.constantFrom('empty', 'empty', 'last', 'last', 'last', 404, 404, 422),
		figures: fc.array(figure, { maxLength: 4 }),
	});
	type List = typeof list extends fc.Arbitrary<infer T> ? T : never;

	/** A service with pages of any size, each with the figures. */
	function listOf({ sizes, base, beyond, figures }: List): Service {
		const starts = sizes.map((_, index) => sum(sizes.slice(0, index)));
		const pages = sizes.map((size, index) => recordsOf(range(starts[index], starts[index] + size)));
		return ({ page = base }) => {
			const number = Math.max(Number(page) - base, 0);
			const isBeyond = number >= Math.max(1, pages.length);
			if (isBeyond && typeof beyond === 'number')
				return { status: beyond, body: { message: 'No' } };
			const data = pages[isBeyond && beyond === 'last' ? pages.length - 1 : number] ?? [];
			const says = {};
			for (const { name, parent, value, isText, isRunning } of figures) {
				const shown = isRunning ? value + 10 * number : value;
				set(says, compact([parent, name]), isText ? String(shown) : shown);
			}
			return { body: { data, ...says } };
		};
	}

	const isAboutOthers = ({ name, parent }: List['figures'][number]) =>
		others.includes(name) || ['segments', 'stats'].includes(parent ?? '');

	/** Whether the last figure of its name says that there are several pages, while the only one comes again and again. */
	function isOneOfSeveral({ sizes, beyond, figures }: List): boolean {
		const pageCounts = [undefined, 'meta', 'pagination'].map((place) =>
			figures.findLast(({ name, parent }) => name === 'total_pages' && parent === place),
		);
		const isPaged = pageCounts.some((figure) => (figure?.value ?? 0) > 1);
		return isPaged && beyond === 'last' && sizes.length === 1;
	}

	test(`never ends a list too early (TEST_SEED=${seed})`, async () => {
		const property = fc.asyncProperty(list, async (chosen) => {
			const { client } = clientOf(listOf(chosen));
			const { records, shortfall } = await readRecords(client, endpoints.listContacts);
			expect(records.map(({ id }) => id)).toEqual(range(sum(chosen.sizes)));
			// Only a total, a refusal after a full page, and several pages of which one came, say that records are missing.
			if (chosen.beyond !== 422 && chosen.figures.every(isAboutOthers))
				expect(shortfall !== undefined).toBe(isOneOfSeveral(chosen));
		});
		await fc.assert(property, { seed, numRuns: 200 });
	});

	test.each(['total_opted_out', 'total', 'count', 'total_contacts'])(
		'is not the total if more records come: %s',
		async (name) => {
			const given = await gapOf(numbered({ count: 230, says: { meta: { [name]: 60 } } }));
			expect([given.count, given.message]).toEqual([230, undefined]);
		},
	);

	test('is the total if it agrees with the records, even beside others that do not', async () => {
		const says = { total: 35, meta: { count: 10, total_contacts: 500 } };
		const { records, shortfall, total } = await readRecords(
			clientOf(numbered({ count: 35, says })).client,
			endpoints.listContacts,
		);
		expect([records.length, shortfall, total]).toEqual([35, undefined, 35]);
	});

	test('that stops at 10,000, beyond which pages are refused, shows that there may be more', async () => {
		const asSearch = numbered({ count: 12_000, size: 1_000, says: { total: 10_000 } });
		const given = await gapOf((asked, times) =>
			Number(asked.page ?? 1) > 10
				? { status: 400, body: { message: 'Result window is too large' } }
				: asSearch(asked, times),
		);
		expect(given.message).toBe('The service returned only the first 10000 contacts');
		expect(given.description).toContain('Result window is too large');
	});
});

describe('a list that ignores the number of the page', () => {
	const cut = (count: number, says: object) =>
		gapOf(() => ({ body: { data: recordsOf(range(count)), ...says } }));

	test.each([
		...['pagination.of', 'paging.all', 'meta.records', 'page.available', 'pageInfo.entries'],
		...['pagination.contacts', 'metadata.results', 'meta.total', 'total'],
	])('is reported if a figure is greater: %s', async (name) => {
		const { message } = await cut(37, set({}, name, 230));
		expect(message).toBe('The service returned 37 of 230 contacts');
		expect((await cut(37, set({}, name, 37))).message).toBeUndefined();
	});

	test.each(['page.size', 'page.number', 'pagination.limit', 'of', 'segments.all', 'meta.version'])(
		'is not measured by other figures: %s',
		async (name) => expect((await cut(37, set({}, name, 230))).message).toBeUndefined(),
	);

	test.each([20, 25, 50, 100, 200, 250, 500])(
		'is reported if it has exactly the usual %d records of a page, unless it says that these are all',
		async (count) => {
			const message = `The service returned only the first ${count} contacts`;
			expect((await cut(count, {})).message).toBe(message);
			const { message: other } = await cut(count + 1, {});
			const whole = [await cut(count, { total: count }), await cut(count, { total_pages: 1 })];
			const ended = await gapOf(numbered({ count, size: count, beyond: 'empty' }));
			expect([other, ...[...whole, ended].map((one) => one.message)]).toEqual(
				Array(4).fill(undefined),
			);
		},
	);
});

describe('IDs that are not unique', () => {
	const pageOf = (page: unknown) =>
		range(230)
			.slice((Number(page ?? 1) - 1) * 10)
			.slice(0, 10);
	test.each<[string, (n: number) => object]>([
		['the same in all records', (n) => ({ id: 0, phone: `+1555${1_000_000 + n}` })],
		['positions on a page', (n) => ({ contact_id: n % 10, phone: `+1555${1_000_000 + n}` })],
		['the IDs of groups', (n) => ({ id: n % 60, name: `Anna ${n}` })],
	])('lose no record: %s', async (_, record) => {
		const { count, message } = await gapOf(({ page }) => ({
			body: { data: pageOf(page).map(record) },
		}));
		expect([count, message]).toEqual([230, undefined]);
	});

	test('are reported if nothing else tells the records apart', async () => {
		const { message } = await gapOf(({ page }) => ({
			body: { data: pageOf(page).map((n) => ({ id: 0, attributes: { phone: n } })) },
		}));
		expect(message).toContain('Several contacts of the service have the same ID');
	});
});

describe('a list whose pages all repeat the first one', () => {
	const names = [
		...['total_pages', 'totalPages', 'pageCount', 'page_count', 'pages', 'last_page', 'lastPage'],
		...['meta.pagination.total_pages', 'page.totalPages', 'numberOfPages', 'num_pages', 'nbPages'],
	];
	const headers = ['X-Total-Pages', 'x-wp-totalpages', 'X-Pagination-Page-Count'];
	const requests = [endpoints.listContacts, endpoints.listConversations];
	// The first name with each value and endpoint; every other name once.
	test.each([
		...[1, 10, '1', '10'].flatMap((pages) =>
			requests.map((one) => [names[0], pages, one] as const),
		),
		...[...names.slice(1), ...headers].map((name) => [name, '10', requests[0]] as const),
	])('is reported only if it has several: %s is %j', async (name, pages, endpoint) => {
		const isHeader = headers.includes(name);
		const body = { data: recordsOf(range(50)), page: 1 };
		const answer = isHeader
			? { body, headers: { [name]: pages } }
			: { body: set(body, name, pages) };
		const { client } = clientOf(() => answer);
		const { records, shortfall, isComplete } = await readRecords(client, endpoint);
		const isWhole = Number(pages) === 1;
		expect([records.length, shortfall === undefined, isComplete]).toEqual([50, isWhole, isWhole]);
		expect((await readRecords(client, endpoint, { limit: 50 })).shortfall).toBeUndefined();
	});

	test('is not confused with one that has an end', async () => {
		for (const beyond of ['empty', 'last', 404] as const) {
			const paged = numbered({ count: 95, says: { total_pages: 10 }, beyond });
			expect((await gapOf(paged)).message).toBeUndefined();
		}
	});
});

describe('an endless list', () => {
	const endless: Service = (_, times) => ({
		body: { data: recordsOf(range(times * 9, times * 9 + 9)) },
	});
	const byCursor: Service = (_, times) => ({
		body: { data: [{ id: times }], next_cursor: `c${times}` },
	});
	const counting: Service = (_, times) => ({ body: { data: [{ id: times }], total: times + 20 } });

	test.each([
		['with new IDs on every page', endless],
		['with a cursor on every page', byCursor],
		['whose total grows with it', counting],
	])('%s is stopped, and a hint says so', async (_, service) => {
		const given = await gapOf(service);
		expect(given.message).toBe('The node stopped listing contacts after 1,000 pages');
		expect(given.description).toContain(
			'The node reads no more, and every page contained more records.',
		);
		expect(given.asked.length).toBeLessThan(1_010);
		expect((await list(service, { limit: 50 })).ids).toHaveLength(50);
	});

	test('whose pages are large is stopped after half a million records', async () => {
		const given = await gapOf((_, times) => ({
			body: recordsOf(range(times * 1e4, times * 1e4 + 1e4)),
		}));
		expect(given.message).toBe('The node stopped listing contacts after 500,000 records');
	});

	test('is not confused with a long list that has a total or large pages', async () => {
		expect((await list(numbered({ ...withTotal(12_000), size: 10 }))).ids).toHaveLength(12_000);
		expect((await list(numbered({ count: 100_100, size: 100 }))).ids).toHaveLength(100_100);
	});

	test('is not read further after the execution was stopped', async () => {
		const stop = new AbortController();
		const { client, asked } = clientOf(endless, {}, { signal: stop.signal });
		const reading = readRecords(client, endpoints.listTemplates);
		while (asked.length < 20) await new Promise(setImmediate);
		stop.abort();
		await expect(reading).rejects.toMatchObject({ kind: 'cancelled' });
		const { length } = asked;
		for (let n = 0; n < 50; n++) await new Promise(setImmediate);
		expect(asked).toHaveLength(length);
	});
});

test('a service that ignores page numbers may have cut its list if the only page is as full as was asked for', async () => {
	const ignoring =
		(count: number): Service =>
		({ limit }) => ({ body: recordsOf(range(Math.min(count, Number(limit ?? count)))) });
	expect((await gapOf(ignoring(1_500))).message).toBe(
		'The service returned only the first 1000 contacts',
	);
	expect((await gapOf(ignoring(999))).message).toBeUndefined();
	const withCursor = refusing(400, (...call) => ({
		body: { data: ignoring(1_500)(...call).body },
	}));
	expect((await gapOf(withCursor)).message).toBe(
		'The service returned only the first 1000 contacts',
	);
	expect((await gapOf(upTo(100, ignoring(150)))).message).toBe(
		'The service returned only the first 100 contacts',
	);
});

/** A service that refuses larger pages. */
function upTo(greatest: number, service: Service): Service {
	return (query, times) =>
		Number(query.limit ?? 0) > greatest ? { status: 422 } : service(query, times);
}

/** A service that shows a cursor on each page, but refuses it as a parameter, and pages by number. */
function refusing(status: number, service: Service, says: object = {}): Service {
	return (query, times) => {
		if (Object.keys(query).some((name) => !['limit', 'page'].includes(name))) return { status };
		return { body: { cursor: 'abc', ...says, ...(service(query, times).body as object) } };
	};
}

test.each<[string, Service]>([
	['by number', numbered({ count: 150, size: 100 })],
	['by number, with a total', numbered({ ...withTotal(150), size: 100 })],
	['by number, at a service that refuses large pages', upTo(50, numbered({ count: 150 }))],
	['by number, beside a cursor that gets 400', refusing(400, numbered({ count: 150, size: 50 }))],
	['by number, beside a cursor that gets 404', refusing(404, numbered({ count: 150, size: 50 }))],
	[
		'by cursor',
		({ cursor = 0 }) => {
			const data = recordsOf(range(Number(cursor), Math.min(150, Number(cursor) + 100)));
			return { body: { data, next_cursor: data.length < 100 ? null : 100 } };
		},
	],
])('a list that is paged %s is complete only with all of its records', async (_, service) => {
	for (const limit of [2, 50, 99, 100, 101, 149, Infinity]) {
		const { client } = clientOf(service);
		const { records, isComplete } = await readRecords(client, endpoints.listContacts, { limit });
		expect([limit, records.length, isComplete]).toEqual([
			limit,
			Math.min(limit, 150),
			limit === Infinity,
		]);
	}
});

describe('a pointer to the next page:', () => {
	/** What a page with the numbers from `start` on shows as the next page, and how the service reads it in a request. */
	const pointers: Array<[string, (start: number) => unknown, (asked: object) => unknown]> = [
		['an offset', (start) => start, ({ offset = 0 }: { offset?: number }) => offset],
		['the last ID', (start) => start - 1, ({ cursor = -1 }: { cursor?: number }) => +cursor + 1],
		['an ID for another parameter', (start) => start, ({ since = 0 }: { since?: number }) => since],
		[
			'the number of a page with another parameter',
			(start) => start / 10 + 1,
			({ pageNumber = 1 }: { pageNumber?: number }) => (pageNumber - 1) * 10,
		],
		[
			'a link with a page and a token',
			(start) => `?page=${start / 10 + 1}&token=t${start}`,
			({ page, token }: { page?: number; token?: string }) =>
				page === undefined ? 0 : Number(token?.slice(1)),
		],
	];
	test.each([
		...pointers.map((pointer) => ['next', ...pointer] as const),
		...['nextPage', 'pagination.next_page'].map((name) => [name, ...pointers[0]] as const),
	])(
		'%s as %s: the list is complete only with all of its records',
		async (name, kind, show, read) => {
			const { client } = clientOf((asked) => {
				const start = Number(read(asked));
				if (Number.isNaN(start)) return { status: 400 };
				const data = recordsOf(range(start, Math.min(start + 10, 50)));
				return { body: set({ data }, name, start < 40 ? show(start + 10) : null) };
			});
			const { records, isComplete, shortfall } = await readRecords(client, endpoints.listContacts);
			const isFollowed = !kind.includes('another parameter');
			expect([records.length, isComplete]).toEqual([isFollowed ? 50 : 10, isFollowed]);
			expect(shortfall !== undefined).toBe(kind.startsWith('an ID'));
		},
	);
});

describe('a next page that is named on every page', () => {
	/** What page `n` says about the next page. */
	const pointers: Array<[string, (n: number) => Answer]> = [
		['by its number', (n) => ({ body: { next_page: n + 1 } })],
		['by a link with its number', (n) => ({ body: { next: `/v1/webhooks?page=${n + 1}` } })],
		['by a link with more', (n) => ({ body: { next: `/v1/webhooks?page=${n + 1}&sort=id` } })],
		[
			'in a header',
			(n) => ({ headers: { link: `</v1/webhooks?status=on&page=${n + 1}>; rel="next"` } }),
		],
	];
	const ends = ['empty', 'last', 'ignored'] as const;
	test.each(
		pointers.flatMap(([name, says], index) =>
			ends.flatMap((end) =>
				(index === 0 ? [0, 3, 120] : [120]).map((count) => [name, end, count, says] as const),
			),
		),
	)(
		'%s (beyond the last page: %s) does not make records missing in a list of %i',
		async (_, end, count, says) => {
			const size = end === 'ignored' ? 120 : 50;
			const paged = numbered({ count, size, beyond: end === 'empty' ? 'empty' : 'last' });
			const { client } = clientOf((query, times) => {
				const { headers, body } = says(Number(query.page ?? 1));
				const { body: page } = paged(query, times);
				return { headers, body: { ...(page as object), ...(body as object) } };
			});
			const list = await readRecords(client, endpoints.listWebhooks);
			expect([list.records.length, list.shortfall]).toEqual([count, undefined]);
			// A service that repeats its first page may not know the name of the parameter.
			expect(list.isComplete).toBe(
				end === 'empty' || count === 0 || (end === 'last' && count > 50),
			);
		},
	);
});
