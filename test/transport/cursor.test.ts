/** Lists of services that page by what each page shows of the next one. */
import { range } from 'lodash';

import { endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import {
	type ListRequest,
	listRecords,
	readRecords,
} from '../../nodes/BusinessMessaging/transport/lists';
import { type Service, clientOf, numbered } from '../support/pagedService';

/** Lists contacts with the node's code. @returns the identifiers that came, and what was asked for */
async function list(service: Service, request: ListRequest = {}) {
	const { client, asked } = clientOf(service);
	const records = await listRecords(client, endpoints.listContacts, request);
	return { ids: records.map(({ id }) => id), asked };
}

/** What a list that is not whole says. */
async function gapOf(service: Service) {
	const { client, asked } = clientOf(service);
	const { records, gap } = await readRecords(client, endpoints.listContacts);
	return { count: records.length, message: gap?.message, asked };
}

const url = 'https://api.example.com/v1/contacts';

/** A service that pages by a token, and gives its first page for whatever else it is asked. */
function byToken(
	parameter: string,
	show: (token: string | undefined) => object,
	headers?: (token?: string) => object,
): Service {
	return (asked) => {
		const start = Number(String(asked[parameter] ?? 'at-0').replace(/^at-/, ''));
		const token = start + 10 < 50 ? `at-${start + 10}` : undefined;
		const data = range(start, Math.min(start + 10, 50)).map((id) => ({ id }));
		return { body: { data, ...show(token) }, headers: { ...headers?.(token) } };
	};
}
const link = (token?: string) => (token ? `${url}?limit=10&after=${token}` : null);

test.each<[string, Service]>([
	['next_cursor', byToken('cursor', (token) => ({ next_cursor: token ?? null }))],
	['nextCursor in meta', byToken('cursor', (token) => ({ meta: { nextCursor: token ?? '' } }))],
	['next', byToken('cursor', (next) => ({ next }))],
	['next as the parameter', byToken('next', (next) => ({ next }))],
	['cursor.next', byToken('cursor', (next) => ({ cursor: { next } }))],
	['nextPageToken', byToken('pageToken', (token) => ({ nextPageToken: token }))],
	['next_page_token', byToken('page_token', (token) => ({ next_page_token: token }))],
	['next_offset', byToken('offset', (token) => ({ next_offset: token }))],
	[
		'paging.cursors.after',
		byToken('after', (after) => ({ paging: { cursors: { after, before: 'x' } } })),
	],
	[
		'paging.next.after',
		byToken('after', (after) => ({ paging: after ? { next: { after, link: 'x' } } : {} })),
	],
	[
		'cursor with has_more',
		byToken('cursor', (token) => ({ cursor: token ?? 'at-50', has_more: token !== undefined })),
	],
	['a URL under next', byToken('after', (token) => ({ next: link(token) }))],
	[
		'a URL under links.next',
		byToken('after', (token) => ({ links: { self: url, next: link(token) } })),
	],
	[
		'a URL under _links.next.href',
		byToken('after', (token) => ({ _links: { next: { href: link(token) } } })),
	],
	[
		'a URL without a host',
		byToken('after', (token) => ({ next: link(token)?.replace('https://api.example.com', '') })),
	],
	[
		'a Link header',
		byToken(
			'after',
			() => ({}),
			(token) => (token ? { link: `<${url}>; rel="first", <${link(token)}>; rel="next"` } : {}),
		),
	],
])('%s', async (_, service) => {
	const given = await list(service);
	expect(given.ids).toEqual(range(50));
	expect(given.asked.length).toBeLessThanOrEqual(7);
});

test('are followed beside a total, and to the end', async () => {
	const service = byToken('cursor', (next_cursor) => ({
		next_cursor,
		total: 50,
		has_more: next_cursor !== undefined,
	}));
	expect((await list(service)).ids).toEqual(range(50));
	expect((await list(service, { limit: 25 })).ids).toEqual(range(25));
});

test('that lead to another place are not followed, and that there is more is said', async () => {
	for (const elsewhere of [
		'https://evil.example.org/v1/contacts',
		'https://api.example.com/v2/contacts',
	]) {
		const given = await gapOf(
			byToken('after', (token) => ({ next: token && `${elsewhere}?after=${token}` })),
		);
		expect(given).toMatchObject({
			count: 10,
			message: 'The service gave only the first 10 contacts',
		});
		expect(given.asked.every(({ after }) => after === undefined)).toBe(true);
	}
});

test('that lead nowhere are said', async () => {
	const stuck = byToken('unheard-of', () => ({
		next_cursor: 'at-10',
		total: 50,
		has_more: true,
	}));
	expect(await gapOf(stuck)).toMatchObject({ message: 'The service gave 10 of 50 contacts' });
});

test('are not looked for where pages are numbered', async () => {
	const pages = await list(({ page = 1 }) => ({
		body: {
			...(numbered({ count: 50 })({ page }, 0).body as object),
			total: 50,
			current_page: page,
			next_page: Number(page) < 5 ? Number(page) + 1 : null,
			next_page_url: Number(page) < 5 ? `${url}?page=${Number(page) + 1}` : null,
		},
	}));
	expect([pages.ids, pages.asked.map(({ page }) => page)]).toEqual([
		range(50),
		[undefined, 1, 2, 3, 4, 5],
	]);
});
