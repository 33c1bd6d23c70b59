/**
 * Listing over pages, without knowing how the service pages.
 *
 * Neither the first page's number, nor the greatest page size, nor any metadata is specified. The first page is asked
 * for without a number; then page 1 either repeats it (pages count from 1) or is the second (they count from 0). An empty
 * page is the end, as is a missing one, or pages without anything new. A short page is not: it may be the service's own cap; nor is
 * metadata believed, since a `total` that means the page's own would lose the rest silently. It only tells how many pages
 * may be asked for at once, as a page far ahead does where there is none, and that others have removed records. Pages are taken
 * in their order, whichever comes first.
 */
import { identity, isEqual, uniq } from 'lodash';

import type { Endpoint } from '../api/endpoints';
import type { ServiceRecord } from '../api/read';
import type { Client } from './client';
import { Listing, type PageSizes } from './listing';
import { Overtaking } from './overtaking';

/** What of a listing is wanted. */
export interface ListRequest {
	query?: Record<string, unknown>;
	/** Greatest number of records; all if absent. */
	limit?: number;
}

/** Page sizes asked for where the specification documents one: a service that refuses one gets the next, in the end none. */
const pageSizes = [1_000, 100, undefined];

/**
 * Lists records, each exactly once, in the service's order.
 *
 * @param shape what is made of each, as soon as its page has come
 * @throws ServiceError if a page cannot be had or holds no list; no request is under way any more then
 */
export async function listRecords<T = ServiceRecord>(
	client: Client,
	endpoint: Endpoint,
	{ query = {}, limit = Infinity }: ListRequest = {},
	shape: (record: ServiceRecord) => T = identity,
): Promise<T[]> {
	const records: T[] = [];
	const sizes = limit > 1 ? pageSizes.map((size) => size && Math.min(size, limit)) : [1]; // no service finds 1 too many
	const listing = new Listing(client, endpoint, query);
	try {
		for await (const page of listPages(
			listing,
			endpoint.documentsPaging ? uniq(sizes) : [undefined],
			limit === Infinity,
		)) {
			for (const record of page) records.push(shape(record));
			if (records.length >= limit) break;
		}
	} finally {
		await listing.settle();
	}
	return records.length > limit ? records.slice(0, limit) : records;
}

type Pages = AsyncGenerator<ServiceRecord[], void>;

/**
 * Yields the new records of one page after the other.
 *
 * @param sizes are tried until the service takes one
 * @param wantsAll whether further pages may be asked for while one is on its way
 */
async function* listPages(listing: Listing, sizes: PageSizes, wantsAll: boolean): Pages {
	const first = await listing.begin(sizes);
	yield listing.keepNew(first);
	if (listing.isFixed || first.records.length === 0) return;
	const size = first.records.length;
	let { total } = first;
	let isFull = total !== undefined; // how large a page is shows with the second one
	let isStale = false; // whether the page before had nothing new
	const overtaking = new Overtaking();
	let pushed = 0; // records that others have pushed down onto the next page, by as many in front that are not read
	for (let number = 1; ; number++) {
		const isAhead = wantsAll && isFull;
		if (isAhead && total === undefined) listing.lookAhead(number, size);
		const coming = listing.take(number);
		const others = total && Math.ceil((total - listing.count - pushed) / size) - 1;
		if (isAhead) listing.askAhead(number, others);
		const page = await coming;
		const fresh = listing.keepNew(page);
		// Page 1 repeats the first where pages count from 1. A later one that repeats is the end, unless so many were added
		// meanwhile that all of it was read before.
		const isKnown = fresh.length === 0 && number > 1;
		const beginsKnown = number > 1 && page.records[0] !== fresh[0];
		const isFirstAgain = beginsKnown && isEqual(page.records[0], first.records[0]);
		const reached = listing.count + pushed;
		const isAll = reached >= (page.total ?? total ?? Infinity);
		const isDone = isStale || (isFirstAgain && number > 2) || isAll;
		const isEnd = page.records.length === 0 || (isKnown && isDone);
		// Others have removed records meanwhile, so that what followed has moved up, onto pages that were read before.
		const hasShrunk = (page.total ?? Infinity) < (total ?? 0) || (isEnd && reached < (total ?? 0));
		// Others have added records meanwhile, so that it begins with some of the page before.
		const isPushed = beginsKnown && !isFirstAgain;
		yield* listing.readAgain(overtaking.note(number, page.turn, isPushed));
		if (hasShrunk) yield await listing.findMoved(number, page);
		if (isEnd) return;
		yield fresh;
		if (listing.isLast(number, page, fresh)) return yield* listing.readAgain(overtaking.take());
		if (fresh.length === 0) listing.spare--;
		else if (isPushed) pushed += page.records.length - fresh.length;
		total = page.total ?? total;
		isFull = !isKnown && page.records.length >= size;
		isStale = isKnown;
	}
}
