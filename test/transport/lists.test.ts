/** Lists of services that page in different ways: each record once, or a word that there are more. */
import { range } from 'lodash';

import { type Endpoint, endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import {
	type ListRequest,
	listRecords,
	readRecords,
} from '../../nodes/BusinessMessaging/transport/lists';
import { type Paging, type Service, clientOf, numbered } from '../support/pagedService';

/** Lists with the node's code. @returns the identifiers that came, and what was asked for */
async function list(service: Service, request: ListRequest = {}, endpoint?: Endpoint) {
	const { client, asked, most } = clientOf(service);
	const records = await listRecords(client, endpoint ?? endpoints.listContacts, request);
	const ids = records.map(({ id }) => id);
	return { ids, asked, pages: asked.map(({ page }) => page), atOnce: most.atOnce };
}

/** What a list that is not whole says. */
async function gapOf(service: Service, endpoint: Endpoint = endpoints.listContacts) {
	const { client, asked } = clientOf(service);
	const { records, gap } = await readRecords(client, endpoint);
	return { count: records.length, message: gap?.message, description: gap?.description, asked };
}

const withTotal = (count: number) => ({ count, says: { total: count } });

describe('pages by number', () => {
	test.each<[string, Paging, unknown[], number]>([
		['from 1', { count: 35 }, [undefined, 1, 2, 3, 4, 5], 1],
		['from 0', { count: 35, base: 0 }, [undefined, 1, 2, 3, 4], 1],
		['from 1, with a total', withTotal(35), [undefined, 1, 2, 3, 4], 3],
		['from 0, with a total', { ...withTotal(35), base: 0 }, [undefined, 1, 2, 3], 2],
		['the total as text', { count: 35, says: { total: '35' } }, [undefined, 1, 2, 3, 4], 3],
		[
			'the total far inside',
			{ count: 35, says: { meta: { page: { totalCount: 35 } } } },
			[undefined, 1, 2, 3, 4],
			3,
		],
		[
			'a total of the page alone',
			{ count: 35, says: { total: 10 } },
			[undefined, 1, 2, 3, 4, 5],
			1,
		],
		[
			'the last page again and again',
			{ count: 35, beyond: 'last' },
			[undefined, 1, 2, 3, 4, 5, 6],
			1,
		],
		['404 beyond the last', { count: 35, beyond: 404 }, [undefined, 1, 2, 3, 4, 5], 1],
		['416 beyond the last', { count: 35, beyond: 416 }, [undefined, 1, 2, 3, 4, 5], 1],
		['nothing at all', { count: 0 }, [undefined], 1],
		['one page', { count: 10 }, [undefined, 1, 2], 1],
	])('%s', async (_, paging, pages, atOnce) => {
		const given = await list(numbered(paging));
		expect(given.ids).toEqual(range(paging.count));
		expect([given.pages, given.atOnce]).toEqual([pages, atOnce]);
	});

	test('are asked for several at once where a total shows that they are there', async () => {
		const given = await list(numbered(withTotal(500)));
		expect(given.ids).toEqual(range(500));
		expect([given.atOnce, given.pages.length]).toEqual([6, 51]);
	});

	test('may be short before the end', async () => {
		const sizes = [10, 10, 3, 3, 3, 0];
		const starts = sizes.map((_, n) => sizes.slice(0, n).reduce((sum, size) => sum + size, 0));
		const service =
			(says: object): Service =>
			({ page = 0 }) => {
				const start = starts[Number(page)] ?? 29;
				const ids = range(start, start + (sizes[Number(page)] ?? 0));
				return { body: { data: ids.map((id) => ({ id })), ...says } };
			};
		expect((await list(service({}))).ids).toEqual(range(29));
		expect((await list(service({ total: 29 }))).ids).toEqual(range(29));
	});

	test('a page that the user has chosen is the only one', async () => {
		const given = await list(numbered(withTotal(35)), { query: { page: 2 } });
		expect([given.ids, given.pages]).toEqual([range(10, 20), [2]]);
	});

	test('no more are read than a limit needs', async () => {
		const given = await list(numbered(withTotal(500)), { limit: 25 });
		expect([given.ids, given.pages]).toEqual([range(25), [undefined, 1, 2, 3]]);
		expect((await list(numbered({ count: 500 }), { limit: 10 })).pages).toEqual([undefined]);
	});
});

describe('the size of a page', () => {
	const limits = async (request: ListRequest, greatest = Infinity, endpoint?: Endpoint) =>
		await list(
			({ page, limit }) =>
				Number(limit ?? 1) > greatest
					? { status: 422, body: { message: 'limit' } }
					: numbered({ count: 25, base: 0 })({ page }, 0),
			request,
			endpoint,
		);

	test.each<[ListRequest, number, unknown[]]>([
		[{}, Infinity, [1_000, 1_000, 1_000, 1_000]],
		[{}, 100, [1_000, 100, 100, 100, 100]],
		[{}, 50, [1_000, 100, undefined, undefined, undefined, undefined]],
		[{ limit: 25 }, Infinity, [25, 25, 25]],
		[{ limit: 5_000 }, Infinity, [1_000, 1_000, 1_000, 1_000]],
		[{ limit: 25 }, 20, [25, undefined, undefined, undefined]],
		[{ query: { limit: 7 } }, Infinity, [7, 7, 7, 7]],
	])('of %j at a service that takes at most %d', async (request, greatest, sizes) => {
		const { asked, ids } = await limits(request, greatest);
		expect(asked.map(({ limit }) => limit)).toEqual(sizes);
		expect(ids).toEqual(range(Math.min(25, request.limit ?? 25)));
	});

	test('is left to the service where none is specified', async () => {
		const { asked } = await limits({}, Infinity, endpoints.listWebhooks);
		expect(asked).toEqual([{}, { page: 1 }, { page: 2 }, { page: 3 }]);
	});

	test('is not changed where the user has chosen it, nor after a refusal of the key', async () => {
		await expect(limits({ query: { limit: 30 } }, 20)).rejects.toMatchObject({ statusCode: 422 });
		await expect(list(() => ({ status: 403, body: {} }))).rejects.toMatchObject({
			statusCode: 403,
		});
	});
});

describe('a page that is refused', () => {
	const refusing =
		(
			service: Service,
			isRefused: (page: number, times: number) => boolean,
			answer = { status: 400, body: { message: 'page must be <= 10' } as object },
		): Service =>
		(asked, times) =>
			isRefused(Number(asked.page ?? 1), times) ? answer : service(asked, times);
	const deep = (page: number) => page > 10;

	test('is said with how many records were read of how many', async () => {
		const given = await gapOf(refusing(numbered(withTotal(250)), deep));
		expect(given).toMatchObject({
			count: 100,
			message: 'The service gave 100 of 250 contacts',
			description: expect.stringContaining('page must be <= 10'),
		});
		expect(given.asked.length).toBeLessThan(40);
	});

	test('is said where the refusal comes as a success', async () => {
		const answer = { status: 200, body: { success: false, message: 'page must be <= 10' } };
		expect(await gapOf(refusing(numbered(withTotal(250)), deep, answer))).toMatchObject({
			message: 'The service gave 100 of 250 contacts',
		});
	});

	test('is said where no total shows whether there are more, after a full page', async () => {
		expect(await gapOf(refusing(numbered({ count: 250 }), deep))).toMatchObject({
			count: 100,
			message: 'The service gave only the first 100 contacts',
			description: expect.stringContaining('page must be <= 10'),
		});
	});

	test('is the end after a page that was not full', async () => {
		expect((await list(numbered({ count: 35, beyond: 400 }))).ids).toEqual(range(35));
		expect((await list(numbered({ count: 3, beyond: 400 }))).ids).toEqual(range(3));
		expect(
			(await list(numbered({ count: 3, beyond: 400, base: 0 }), {}, endpoints.listWebhooks)).ids,
		).toEqual(range(3));
	});

	test.each([
		['with a total', withTotal(200)],
		['without', { count: 200 }],
	])('for a moment is asked for again, %s', async (_, paging) => {
		let refusals = 0;
		const service = refusing(numbered(paging), (page) => page === 7 && refusals++ < 2);
		expect((await list(service)).ids).toEqual(range(200));
	});

	test('for want of a right ends the list with its error', async () => {
		await expect(list(numbered({ count: 35, beyond: 403 }))).rejects.toMatchObject({
			statusCode: 403,
			message: 'The API key is not allowed to do this: There is no such page (HTTP 403)',
		});
	});
});

describe('what a service says but does not give', () => {
	test.each([
		[{ total: 500, has_more: true }, 'The service gave 10 of 500 contacts'],
		[{ total: 500 }, 'The service gave 10 of 500 contacts'],
		[{ count: 10, has_more: true }, 'The service gave only the first 10 contacts'],
		[{ pagination: { hasNextPage: true } }, 'The service gave only the first 10 contacts'],
	])('with %j and one page for every request is said', async (says, message) => {
		const given = await gapOf(() => numbered({ count: 10, says })({}, 0));
		expect(given).toMatchObject({ count: 10, message });
		expect(given.asked.length).toBeLessThan(15);
	});

	test('is no matter once there are as many as the user wants', async () => {
		const { client } = clientOf(() => numbered({ count: 10, says: { total: 500 } })({}, 0));
		expect(await readRecords(client, endpoints.listContacts, { limit: 10 })).toMatchObject({
			gap: undefined,
		});
	});

	test('is not claimed of a list that ends where its total says', async () => {
		expect(await gapOf(numbered({ ...withTotal(40), beyond: 400 }))).toMatchObject({
			count: 40,
			message: undefined,
		});
	});
});

describe('a list that others change meanwhile', () => {
	/** A list of so many records that is changed before a request. */
	const changing = (
		count: number,
		size: number,
		says: (list: number[]) => object,
		change: (list: number[], times: number) => void,
	): Service => {
		const now = range(count);
		return ({ page = 1 }, times) => {
			change(now, times);
			const start = (Number(page) - 1) * size;
			return { body: { data: now.slice(start, start + size).map((id) => ({ id })), ...says(now) } };
		};
	};
	const total = (now: number[]) => ({ total: now.length });
	const toFront = (id: number, when: number) => (now: number[], times: number) => {
		if (times === when) now.unshift(...now.splice(now.indexOf(id), 1));
	};

	test.each([
		['with a total', total],
		['without one', () => ({})],
	])('gives a record that moves to the front, %s', async (_, says) => {
		const given = await list(changing(1_000, 100, says, toFront(950, 4)));
		expect(new Set(given.ids)).toEqual(new Set(range(1_000)));
		expect(given.ids).toHaveLength(1_000);
		expect(given.pages.length).toBeLessThanOrEqual(14);
	});

	test('gives what has moved up after another record was removed', async () => {
		const given = await list(changing(100, 10, total, (now, times) => times === 3 && now.shift()));
		expect(given.ids).toEqual(expect.arrayContaining(range(1, 100)));
		expect(given.ids).toHaveLength(100);
	});

	test('gives what is added in front', async () => {
		const given = await list(
			changing(100, 10, total, (now, times) => times === 3 && now.unshift(-1)),
		);
		expect(new Set(given.ids)).toEqual(new Set(range(-1, 100)));
		expect(given.pages.length).toBeLessThanOrEqual(11 + 3);
	});

	test('is read again a bounded number of times, and what is missing is said', async () => {
		const given = await gapOf(
			changing(
				100,
				10,
				() => ({ total: 101 }),
				() => undefined,
			),
		);
		expect(given).toMatchObject({ count: 100, message: 'The service gave 100 of 101 contacts' });
		expect(given.asked.length).toBeLessThan(40);
	});

	test('needs no further request where the total falls to the size of the first page', async () => {
		const service: Service = ({ page = 1 }, times) => {
			const rows = (times < 3 ? range(4) : range(1, 4)).map((id) => ({ id }));
			const isFirst = page === 1 || times > 2; // beyond the last page it comes again
			return { body: { data: isFirst ? rows.slice(0, 3) : rows.slice(3), total: rows.length } };
		};
		const given = await list(service);
		expect(given).toMatchObject({ ids: range(4), pages: [undefined, 1, 2] });
	});

	test('needs no second reading after a record was removed that was still to come', async () => {
		const given = await gapOf(changing(100, 10, total, (now, times) => times === 3 && now.pop()));
		expect(given).toMatchObject({ count: 99, message: undefined });
	});
});

describe('records', () => {
	test('without an identifier are told apart by all that they hold', async () => {
		const rows = [{ phone: '1' }, { phone: '2' }, { phone: '3' }];
		const { ids } = await list(({ page = 1 }) => ({
			body: Number(page) === 1 ? rows.slice(0, 2) : Number(page) === 2 ? rows.slice(1) : [],
		}));
		expect(ids).toHaveLength(3);
	});

	test('with an identifier named after the list are known by it', async () => {
		const rows = (times: number) =>
			range(4).map((contact_id) => ({ contact_id, account_id: 7, times }));
		const { client } = clientOf((_, times) => ({ body: rows(times) }));
		expect(await listRecords(client, endpoints.listContacts)).toHaveLength(4);
	});

	test('twice on one page are what the service means; on a later page they are the same', async () => {
		const pages = [[{ id: 1 }, { id: 1 }, { id: 2 }], [{ id: 2 }, { id: 3 }, { id: 3 }], []];
		const given = await list(({ page = 0 }) => ({ body: pages[Number(page)] ?? [] }));
		expect(given.ids).toEqual([1, 1, 2, 3, 3]);
	});

	test('that cannot be found are said, with the fields that came', async () => {
		await expect(
			list(() => ({ body: { greeting: 'Hello', token: 'secret' } })),
		).rejects.toMatchObject({
			message: 'The response has no list of contacts that the node could find',
			description: expect.stringContaining('greeting, token'),
		});
		await expect(
			list(() => ({ body: { people: [{ id: 1 }], groups: [{ id: 2 }] } })),
		).rejects.toMatchObject({
			description: expect.stringContaining('people, groups'),
		});
	});
});
