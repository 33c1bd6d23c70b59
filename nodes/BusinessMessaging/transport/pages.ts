/**
 * Listing over pages, without knowing how the service pages.
 *
 * Neither the first page's number, nor the greatest page size, nor any metadata is specified. The first page is asked
 * for without a number; then page 1 either repeats it (pages count from 1) or is the second (they count from 0). An empty
 * page is the end, as is a missing one, or pages without anything new. A short page is not: it may be the service's own cap; nor is
 * metadata believed, since a `total` that means the page's own would lose the rest silently.
 */
import { uniq } from 'lodash';

import type { Endpoint } from '../api/endpoints';
import { type ServiceRecord, readId, readList, readTotal } from '../api/read';
import type { Client } from './client';
import { ServiceError, isRefusedContent } from './errors';

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
 * @throws ServiceError if a page cannot be had or holds no list
 */
export async function listRecords(client: Client, endpoint: Endpoint, { query = {}, limit = Infinity }: ListRequest = {}): Promise<ServiceRecord[]> {
	const records: ServiceRecord[] = [];
	const sizes = limit > 1 ? pageSizes.map((size) => size && Math.min(size, limit)) : [1]; // no service finds 1 too many
	const listing = new Listing(client, endpoint, query);
	for await (const page of listPages(listing, endpoint.documentsPaging ? uniq(sizes) : [undefined], limit === Infinity)) {
		for (const record of page) records.push(record);
		if (records.length >= limit) break;
	}
	return records.length > limit ? records.slice(0, limit) : records;
}

/**
 * Yields the new records of one page after the other.
 *
 * @param sizes are tried until the service takes one
 * @param wantsAll whether the next page may be asked for while one is on its way
 */
async function* listPages(listing: Listing, sizes: PageSizes, wantsAll: boolean): AsyncGenerator<ServiceRecord[]> {
	const first = await listing.begin(sizes);
	yield listing.keepNew(first);
	if (listing.isFixed || first.records.length === 0) return;

	let { total } = first;
	let isFull = total !== undefined; // how large a page is shows with the second one
	let isStale = false; // whether the page before had nothing new
	for (let number = 1; ; number++) {
		const coming = listing.take(number);
		if (wantsAll && isFull && listing.count + first.records.length < (total ?? Infinity)) listing.askAhead(number + 1);
		const page = await coming;
		const fresh = listing.keepNew(page);
		// Page 1 repeats the first where pages count from 1. A later one that repeats is the end, unless so many were added
		// meanwhile that all of it was read before.
		const isKnown = fresh.length === 0 && number > 1;
		const isEnd = page.records.length === 0 || (isKnown && (isStale || listing.count >= (page.total ?? total ?? Infinity)));
		// Others have removed records meanwhile, so that what followed has moved up, onto pages that were read before.
		const hasShrunk = (page.total ?? Infinity) < (total ?? 0) || (isEnd && listing.count < (total ?? 0));
		if (hasShrunk) yield await listing.readAgain(number - 1);
		if (isEnd) return;
		yield fresh;
		total = page.total ?? total;
		isFull = !isKnown && page.records.length >= first.records.length;
		isStale = isKnown;
	}
}

type PageSizes = Array<number | undefined>;

interface Page {
	records: ServiceRecord[];
	/** How many records there are on all pages, if the service says so. */
	total?: number;
}

/** One listing under way. */
class Listing {
	private readonly seen = new Set<string>();
	private size?: number;
	private ahead?: { number: number; page: Promise<Page> };

	constructor(
		private readonly client: Client,
		private readonly endpoint: Endpoint,
		private readonly query: Record<string, unknown>,
	) {}

	/** Whether the user has chosen a page. */
	get isFixed(): boolean {
		return 'page' in this.query;
	}

	/** How many records have been found. */
	get count(): number {
		return this.seen.size;
	}

	/** The first page, of the first size that the service takes. */
	async begin([size, ...others]: PageSizes): Promise<Page> {
		this.size = size;
		const page = this.load();
		if (others.length === 0 || 'limit' in this.query) return await page;
		return await page.catch(async (error) => {
			if (!isRefusedContent(error)) throw error;
			return await this.begin(others);
		});
	}

	/** Asks for a page that will be taken next. */
	askAhead(number: number): void {
		this.ahead = { number, page: this.load(number).catch(endOrThrow) };
		this.ahead.page.catch(() => {}); // whoever takes it gets the error
	}

	/** A page; without records beyond the last one. */
	async take(number: number): Promise<Page> {
		return await (this.ahead?.number === number ? this.ahead.page : this.load(number).catch(endOrThrow));
	}

	async load(page?: number): Promise<Page> {
		const numbers = { ...(this.size !== undefined && { limit: this.size }), ...this.query, ...(page !== undefined && { page }) };
		const body = await this.client.call(this.endpoint, { query: numbers });
		const records = readList(body);
		if (records) return { records, total: readTotal(body) };
		throw new ServiceError('The service answered without a list', {
			kind: 'unknown',
			description: 'Check Base URL and Layout in the credential.',
		});
	}

	/** Leaves out records that an earlier page held, which happens when others are added meanwhile. */
	keepNew({ records }: Page): ServiceRecord[] {
		const keys = records.map(keyOf);
		const fresh = records.filter((_, index) => !this.seen.has(keys[index]));
		for (const key of keys) this.seen.add(key);
		return fresh;
	}

	/** What has moved onto pages that were read before; goes back from one page as far as there is nothing known on it. */
	async readAgain(page: number): Promise<ServiceRecord[]> {
		const again = await this.load(page || undefined).catch(endOrThrow);
		const fresh = this.keepNew(again);
		const isAllNew = page > 0 && fresh.length > 0 && fresh.length === again.records.length;
		return isAllNew ? [...(await this.readAgain(page - 1)), ...fresh] : fresh;
	}
}

/** What tells a record from others: its identifier, or all of it where the service shows none. */
function keyOf(record: ServiceRecord): string {
	return readId(record) ?? JSON.stringify(record);
}

/** Some services answer a page beyond the last with 404, and one that does not page refuses the parameter. */
function endOrThrow(error: unknown): Page {
	const isMissing = error instanceof ServiceError && [404, 416].includes(error.statusCode ?? 0);
	if (isMissing || isRefusedContent(error)) return { records: [] };
	throw error;
}
