/** Which pages are asked for, in which order, of services that page in different ways. */
import { range } from 'lodash';

import { type Endpoint, endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import { readServiceConfig } from '../../nodes/BusinessMessaging/transport/serviceConfig';
import { Client } from '../../nodes/BusinessMessaging/transport/client';
import { type ListRequest, listRecords } from '../../nodes/BusinessMessaging/transport/pages';

const address = readServiceConfig({
	baseUrl: 'https://api.example.com',
	apiKey: 'not-a-real-key',
	requestsPerMinute: 1_000_000,
});

interface Asked {
	page?: unknown;
	limit?: unknown;
}

/** A service: what it answers, with a status other than 200 if it refuses. */
type Answer = (asked: Asked, times: number) => { status?: number; body: unknown };

/** Lists with the node's code. @returns the identifiers that came, the requests, and how many were out at once */
async function list(
	answer: Answer,
	request: ListRequest = {},
	endpoint: Endpoint = endpoints.listContacts,
) {
	const asked: Asked[] = [];
	let [out, mostAtOnce] = [0, 0];
	const client = new Client(async ({ query }) => {
		asked.push({ ...query });
		mostAtOnce = Math.max(mostAtOnce, ++out);
		const { status: statusCode = 200, body } = answer(query, asked.length);
		await new Promise(setImmediate);
		out--;
		return { statusCode, headers: {}, body: JSON.stringify(body) };
	}, address);
	const records = await listRecords(client, endpoint, request);
	return {
		ids: records.map(({ id }) => id),
		asked,
		pages: asked.map(({ page }) => page),
		mostAtOnce,
	};
}

interface Way {
	count: number;
	size?: number;
	base?: 0 | 1;
	says?: boolean;
	/** What is beyond the last page. */
	beyond?: 'empty' | 'last' | number;
}

/** A service with so many records, whose pages count from `base`. */
function service({ count, size = 10, base = 1, says = false, beyond = 'empty' }: Way): Answer {
	return ({ page = base }) => {
		const last = Math.max(0, Math.ceil(count / size) - 1);
		const number = Number(page) - base;
		if (number > last && typeof beyond === 'number')
			return { status: beyond, body: { message: 'Out of range' } };
		const shown = number > last && beyond === 'last' ? last : number;
		const data = range(count)
			.slice(shown * size, (shown + 1) * size)
			.map((id) => ({ id }));
		return { body: { data, ...(says && { total: count }) } };
	};
}

const all = (count: number) => range(count);

test.each<[string, Way, unknown[], number]>([
	['from 1, without a total', { count: 35 }, [undefined, 1, 2, 3, 4, 5], 1],
	['from 0, without a total', { count: 35, base: 0 }, [undefined, 1, 2, 3, 4], 1],
	['from 1, with a total', { count: 35, says: true }, [undefined, 1, 2, 3, 4, 5], 3],
	['from 0, with a total', { count: 35, base: 0, says: true }, [undefined, 1, 2, 3, 4], 3],
	[
		'the last page again and again',
		{ count: 35, beyond: 'last' },
		[undefined, 1, 2, 3, 4, 5, 6],
		1,
	],
	[
		'the last page again and again, with a total',
		{ count: 35, says: true, beyond: 'last' },
		[undefined, 1, 2, 3, 4, 5],
		3,
	],
	['404 beyond the last', { count: 35, beyond: 404 }, [undefined, 1, 2, 3, 4, 5], 1],
	['416 beyond the last', { count: 35, beyond: 416 }, [undefined, 1, 2, 3, 4, 5], 1],
	['400 beyond the last', { count: 35, beyond: 400 }, [undefined, 1, 2, 3, 4, 5], 1],
	[
		'a long list without a total, of which a page far ahead shows that it goes on',
		{ count: 170 },
		[undefined, 1, 2, 3, 4, 13, 5, 21, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18],
		5,
	],
	['nothing at all', { count: 0 }, [undefined], 1],
	['one page', { count: 10, says: true }, [undefined, 1, 2], 1],
])('%s', async (_, way, pages, mostAtOnce) => {
	const given = await list(service(way));
	expect(given.ids).toEqual(all(way.count));
	expect([given.pages, given.mostAtOnce]).toEqual([pages, mostAtOnce]);
});

test('at most five are out at once where a total tells how many there are', async () => {
	const given = await list(service({ count: 500, says: true }));
	expect(given.ids).toEqual(all(500));
	expect([given.mostAtOnce, given.pages.length]).toEqual([5, 52]);
});

test('a short page is not the end, and from then on one page is asked for after the other', async () => {
	const sizes = [10, 10, 3, 3, 3, 0];
	const given = await list(({ page = 0 }) => {
		const start = sizes.slice(0, Number(page)).reduce((sum, size) => sum + size, 0);
		return { body: range(start, start + (sizes[Number(page)] ?? 0)).map((id) => ({ id })) };
	});
	expect(given.ids).toEqual(all(29));
	expect(given.pages).toEqual([undefined, 1, 2, 3, 4, 5]);
});

test('any other refusal of a page ends the listing with its error', async () => {
	await expect(list(service({ count: 35, beyond: 403 }))).rejects.toMatchObject({
		statusCode: 403,
		message: 'The API key is not allowed to do this: Out of range (HTTP 403)',
	});
});

describe('the size of a page', () => {
	const limits = async (request: ListRequest, greatest = Infinity, endpoint?: Endpoint) => {
		const answer: Answer = ({ page, limit }) =>
			Number(limit ?? 1) > greatest
				? { status: 422, body: { message: 'limit' } }
				: service({ count: 25, base: 0 })({ page }, 0);
		return await list(answer, request, endpoint);
	};

	test.each<[ListRequest, number, unknown[]]>([
		[{}, Infinity, [1_000, 1_000, 1_000, 1_000]],
		[{}, 100, [1_000, 100, 100, 100, 100]],
		[{}, 50, [1_000, 100, undefined, undefined, undefined, undefined]],
		[{ limit: 25 }, Infinity, [25, 25, 25]],
		[{ limit: 5_000 }, Infinity, [1_000, 1_000, 1_000, 1_000]],
		[{ limit: 25 }, 20, [25, undefined, undefined, undefined]],
		[{ limit: 1 }, Infinity, [1]],
		[{ query: { limit: 7 } }, Infinity, [7, 7, 7, 7]],
	])('of %j at a service that takes at most %d', async (request, greatest, sizes) => {
		const { asked, ids } = await limits(request, greatest);
		expect(asked.map(({ limit }) => limit)).toEqual(sizes);
		expect(ids).toEqual(all(Math.min(25, request.limit ?? 25)));
	});

	test('is left to the service where none is specified', async () => {
		const { asked } = await limits({}, Infinity, endpoints.listWebhooks);
		expect(asked).toEqual([{}, { page: 1 }, { page: 2 }, { page: 3 }]);
	});

	test("is not tried again with the user's own", async () => {
		await expect(limits({ query: { limit: 30 } }, 20)).rejects.toMatchObject({ statusCode: 422 });
	});

	test('that is refused for another reason is not tried again', async () => {
		await expect(list(() => ({ status: 403, body: {} }))).rejects.toMatchObject({
			statusCode: 403,
		});
	});

	test.each([
		[1_000, true],
		[100, false],
		[50, false],
	])(
		'with %d taken, no page far ahead is asked for unless 3 further requests allow',
		async (greatest, isAllowed) => {
			const answer: Answer = ({ page, limit }) =>
				Number(limit ?? 1) > greatest
					? { status: 422, body: {} }
					: service({ count: 400 })({ page }, 0);
			const given = await list(answer);
			expect(given.ids).toEqual(all(400));
			expect(given.mostAtOnce > 1).toBe(isAllowed);
		},
	);
});

test('a page that the user has chosen is the only one', async () => {
	const given = await list(service({ count: 35 }), { query: { page: 2 } });
	expect([given.ids, given.pages]).toEqual([range(10, 20), [2]]);
});

test('a limit is kept to, and nothing is asked for ahead', async () => {
	const given = await list(service({ count: 500, says: true }), { limit: 25 });
	expect([given.ids, given.pages, given.mostAtOnce]).toEqual([all(25), [undefined, 1, 2, 3], 1]);
	expect((await list(service({ count: 500 }), { limit: 10 })).pages).toEqual([undefined]);
});

test('what is no list is said to be none', async () => {
	await expect(list(() => ({ body: { greeting: 'Hello' } }))).rejects.toMatchObject({
		message: 'The service answered without a list',
		description: 'Check Base URL and Layout in the credential.',
		kind: 'indeterminate',
	});
});

test('records without an identifier are told apart by all that they hold', async () => {
	const rows = [{ phone: '1' }, { phone: '2' }, { phone: '3' }];
	const { ids, pages } = await list(({ page = 1 }) => ({
		body: Number(page) === 1 ? rows.slice(0, 2) : Number(page) === 2 ? rows.slice(1) : [],
	}));
	expect([ids.length, pages]).toEqual([3, [undefined, 1, 2, 3]]);
});

test('the same identifier twice on one page is what the service means; on a later page it is a repetition', async () => {
	const pages = [[{ id: 1 }, { id: 1 }, { id: 2 }], [{ id: 2 }, { id: 3 }, { id: 3 }], []];
	expect((await list(({ page = 0 }) => ({ body: pages[Number(page)] ?? [] }))).ids).toEqual([
		1, 1, 2, 3, 3,
	]);
});

test('one that has moved onto a page which was read before is found there, also several pages back', async () => {
	const left = all(40);
	const answer: Answer = ({ page = 1 }, times) => {
		if (times === 5) left.splice(0, 12); // more than a page moves up
		return {
			body: {
				data: left.slice((Number(page) - 1) * 10, Number(page) * 10).map((id) => ({ id })),
				total: left.length,
			},
		};
	};
	const given = await list(answer);
	expect(new Set(given.ids)).toEqual(new Set(all(40)));
	expect(given.ids).toHaveLength(40);
});

test('one that is added in front while paging pushes the last one onto a further page, which is read', async () => {
	const now = all(30);
	const answer: Answer = ({ page = 1 }, times) => {
		if (times === 3) now.unshift(-1);
		return {
			body: {
				data: now.slice((Number(page) - 1) * 10, Number(page) * 10).map((id) => ({ id })),
				total: now.length,
			},
		};
	};
	expect((await list(answer)).ids).toEqual(all(30));
});
