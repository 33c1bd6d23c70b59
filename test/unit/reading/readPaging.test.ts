/** The next page of a list, in the forms that services use. */
import { readPaging } from '../../../nodes/BusinessMessaging/reading/readPaging';

const url = 'https://api.example.com/v1/contacts?limit=50';

/** What a page says about the rest of its list; only the fields in which it differs from a list without a next page. */
function pagingOf(body: unknown, { headers = {}, page = 1 } = {}): object {
	const paging = readPaging({ statusCode: 200, headers, body, url }, page);
	return Object.fromEntries(
		Object.entries(paging).filter(([, value]) => (Array.isArray(value) ? value[0] : value)),
	);
}

const token = (value: string, ...names: string[]) => ({
	hasMore: true,
	next: names.map((name) => ({ [name]: value })),
});

test('without a page, the first one is assumed', () => {
	const response = { statusCode: 200, headers: {}, body: { next_page: 2 }, url };
	expect(readPaging(response)).toEqual({
		hasMore: false,
		hasNumber: true,
		isPaged: undefined,
		next: [],
	});
});

test.each<[unknown, object]>([
	[{ next_cursor: 't' }, token('t', 'cursor', 'next_cursor', 'after')],
	[{ nextPageToken: 't' }, token('t', 'pageToken', 'nextPageToken', 'cursor', 'after')],
	[{ meta: { next_token: 't' } }, token('t', 'token', 'next_token', 'cursor', 'after')],
	[{ cursor_next: 't' }, token('t', 'cursor', 'cursor_next', 'after')],
	[{ next: 't' }, token('t', 'cursor', 'next', 'after')],
	[{ next: { id: 't' } }, token('t', 'id', 'cursor', 'after')],
	[{ next: { after: 't' } }, token('t', 'after', 'cursor')],
	[{ next: { page_token: 't' } }, token('t', 'page_token', 'cursor', 'after')],
	[{ next: { PageToken: 't' } }, token('t', 'PageToken', 'cursor', 'after')],
	[{ next_offset: 100 }, token('100', 'offset', 'next_offset', 'cursor', 'after')],
	// Text with a question mark that is no link.
	[{ next: 'a b?c=d' }, token('a b?c=d', 'cursor', 'next', 'after')],
	[{ next: 'a?b' }, token('a?b', 'cursor', 'next', 'after')],
	[{ next: 'a? b=c' }, token('a? b=c', 'cursor', 'next', 'after')],
	[{ next: 'see https:' }, token('see https:', 'cursor', 'next', 'after')],
	[{ next: 'https://[' }, token('https://[', 'cursor', 'next', 'after')],
])('%j leads to the next page with a token', (body, paging) => {
	expect(pagingOf(body)).toEqual(paging);
});

test.each<[unknown, object]>([
	[{ cursor: 't' }, token('t', 'cursor', 'after')],
	[{ paging: { cursors: { after: 't', before: 's' } } }, token('t', 'after', 'cursor')],
	[{ cursorsOfPage: { after: 't' } }, token('t', 'after', 'cursor')],
	[{ pageCursors: { after: 't' } }, token('t', 'after', 'cursor')],
	[{ continuationToken: 't' }, token('t', 'continuationToken', 'cursor', 'after')],
	[{ pageInfo: { endCursor: 't' } }, token('t', 'endCursor', 'cursor', 'after')],
])('%j may be the last page: it has a token, but does not say that there are more', (body, all) => {
	expect(pagingOf(body)).toEqual({ ...all, hasMore: undefined });
});

test.each([
	...['', ' ', '0', '-1', 'null', 'None', 'nil', 'undefined', 'false', '#', 0, -1, null, false],
	...[true, [], {}],
])('%j instead of a next page means that there is none', (next) => {
	expect(pagingOf({ next })).toEqual({});
	expect(pagingOf({ next_cursor: next })).toEqual({});
});

test.each([
	...[{}, [], 'x', undefined, { nextUp: 't' }, { my_next: 't' }, { previous: 't' }],
	...[{ after: { time: 't' } }, { cursors: 't' }, { data: [{ next: 't' }] }],
])('%j has no next page', (body) => {
	expect(pagingOf(body)).toEqual({});
});

describe('a switch says whether there are more', () => {
	test.each([
		...[{ has_more: true }, { hasNextPage: 'true' }, { meta: { more: 'TRUE' } }],
		...[{ truncated: true }, { has_next: true, more: false }, { has_more: 'many', more: true }],
	])('%j: there are', (body) => {
		expect(pagingOf(body)).toEqual({ hasMore: true });
	});

	test.each([
		...[{ has_more: false }, { hasMore: 'False' }, { is_truncated: false, more: true }],
		...[{ has_more: 'not true' }, { has_more: 'true or so' }, { has_more: 1 }],
	])('%j: there are none', (body) => {
		expect(pagingOf(body)).toEqual({});
	});

	test('no page follows a last one, even if it has a token or a number', () => {
		expect(pagingOf({ has_more: false, next: 't', cursor: 's', next_page: 2 })).toEqual({});
	});

	test('it counts more than a page number', () => {
		expect(pagingOf({ has_more: true, next_page: 2 })).toEqual({ hasMore: true, hasNumber: true });
	});
});

describe('the number of a page', () => {
	test.each<[object, number]>([
		[{ next_page: 2 }, 1],
		[{ nextPage: '2' }, 1],
		[{ next: 2 }, 1],
		[{ next: { page: 2 } }, 1],
		[{ next_page: 3 }, 2],
		[{ next_page: 1 }, 2],
		[{ next_page: 11 }, 10],
	])('%j on page %i is no token', (body, page) => {
		expect(pagingOf(body, { page })).toEqual({ hasNumber: true });
	});

	test.each<[object, object]>([
		[{ next_page: 3 }, token('3', 'next_page', 'cursor', 'after', 'offset')],
		[{ next: 100 }, token('100', 'next', 'cursor', 'after', 'offset')],
		[{ next_page: '2b' }, token('2b', 'page', 'next_page', 'cursor', 'after')],
		[{ next_page: 'b2' }, token('b2', 'page', 'next_page', 'cursor', 'after')],
		[{ next_page_key: 2 }, token('2', 'page_key', 'next_page_key', 'cursor', 'after')],
	])('%j on the first page is a token or an offset', (body, paging) => {
		expect(pagingOf(body)).toEqual(paging);
	});

	test('beside a token, there are more', () => {
		expect(pagingOf({ next_page: 2, next_cursor: 't' })).toEqual({
			...token('t', 'cursor', 'next_cursor', 'after'),
			hasNumber: true,
		});
	});
});

describe('a link to the next page', () => {
	test.each<[string, object]>([
		['https://api.example.com/v1/contacts?cursor=t&limit=50', { cursor: 't', limit: '50' }],
		['HTTPS://API.example.com/v1/contacts?cursor=t', { cursor: 't' }],
		['http://api.example.com/v1/contacts?cursor=t', { cursor: 't' }],
		['/v1/contacts?cursor=t', { cursor: 't' }],
		['contacts?cursor=t', { cursor: 't' }],
		['?cursor=t%20u', { cursor: 't u' }],
		['https://api.example.com/v1/contacts?page=b2', { page: 'b2' }],
		['https://api.example.com/v1/contacts?page=2b', { page: '2b' }],
	])('%s is followed with its parameters', (next, query) => {
		expect(pagingOf({ links: { next: { href: next } } })).toEqual({ hasMore: true, next: [query] });
	});

	test.each([
		'https://api.example.com/v1/contacts?page=2',
		'?page=2&limit=50',
		'?page=2&page_size=50',
		'?per_page=50&page=12',
	])('%s is only the number of a page', (next) => {
		expect(pagingOf({ next })).toEqual({ hasNumber: true });
	});

	test('with a number and something else, it is followed', () => {
		expect(pagingOf({ next: '?page=2&segment=vip' })).toEqual({
			hasNumber: true,
			next: [{ page: '2', segment: 'vip' }],
		});
	});

	test.each([
		'https://other.example.com/v1/contacts?cursor=t',
		'https://api.example.com/v1/segments?cursor=t',
		'https://api.example.com:8443/v1/contacts?page=2',
		'/v2/contacts?cursor=t',
		'https://other.example.com/next',
		'http://other.example.com/next',
	])('%s is not followed: it leads to another place', (next) => {
		expect(pagingOf({ next })).toEqual({ hasMore: true });
	});

	test.each<[Record<string, unknown>]>([
		[{ link: '<https://api.example.com/v1/contacts?cursor=t>; rel="next"' }],
		[{ Link: '<?cursor=t>; rel="next"' }],
		[{ link: '<?cursor=t>;rel=next' }],
		[{ link: '<?cursor=t>; title="more"; REL=Next' }],
		[{ link: '<?cursor=s>; rel="prev", <?cursor=t>; rel="next"' }],
		[{ link: '<?cursor=t>; rel="next", <?cursor=z>; rel="last"' }],
	])('is in the headers %j', (headers) => {
		expect(pagingOf([], { headers })).toEqual({ hasMore: true, next: [{ cursor: 't' }] });
	});

	test.each<[Record<string, unknown>]>([
		[{ link: '<?cursor=s>; rel="prev"' }],
		[{ link: '<?cursor=s>; rel="nextAll"' }],
		[{ link: '?cursor=s; rel="next"' }],
		[{}],
	])('is not in the headers %j', (headers) => {
		expect(pagingOf([], { headers })).toEqual({});
	});

	test('in a header comes before a token in the body', () => {
		const headers = { link: '<?cursor=t>; rel="next"' };
		const next = [{ cursor: 't' }, { cursor: 'u' }, { next_cursor: 'u' }, { after: 'u' }];
		expect(pagingOf({ next_cursor: 'u' }, { headers })).toEqual({ hasMore: true, next });
	});
});

describe('several pages', () => {
	test.each<[unknown, Record<string, unknown>]>([
		[{ total_pages: 2 }, {}],
		[{ meta: { pageCount: '12' } }, {}],
		[{ data: { pagination: { last_page: 3 } } }, {}],
		[[], { 'x-total-pages': '3' }],
		[[], { 'X-WP-TotalPages': '3' }],
	])('are in a list with %j and the headers %j', (body, headers) => {
		expect(pagingOf(body, { headers })).toEqual({ isPaged: true });
	});

	test.each<[unknown, Record<string, unknown>]>([
		[{ total_pages: 1 }, {}],
		[{ total_pages: 0 }, {}],
		[{ total_pages: 'many' }, {}],
		[{ landing: { pages: 3 } }, {}],
		[{ pages_read: 3 }, {}],
		[{ web_pages: 3 }, {}],
		[[], { 'x-total-pages': '1' }],
	])('are not in a list with %j and the headers %j', (body, headers) => {
		expect(pagingOf(body, { headers })).toEqual({});
	});
});
