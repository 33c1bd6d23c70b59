/**
 * Listing over pages, without knowing how the service pages.
 *
 * Neither the first page's number, nor the greatest page size, nor any metadata is specified. The first page is asked
 * for without a number; then page 1 either repeats it (pages count from 1) or is the second (they count from 0). An empty
 * page is the end, as is a missing one, or pages without anything new. A short page is not: it may be the service's own cap; nor is
 * metadata believed, since a `total` that means the page's own would lose the rest silently. It only tells how many pages
 * may be asked for at once, and that others have removed records. Pages are taken in their order, whichever comes first.
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
/** Greatest number of pages asked for ahead of the one that is awaited. */
const mostAhead = 4;

/**
 * Lists records, each exactly once, in the service's order.
 *
 * @throws ServiceError if a page cannot be had or holds no list; no request is under way any more then
 */
export async function listRecords(client: Client, endpoint: Endpoint, { query = {}, limit = Infinity }: ListRequest = {}): Promise<ServiceRecord[]> {
	const records: ServiceRecord[] = [];
	const sizes = limit > 1 ? pageSizes.map((size) => size && Math.min(size, limit)) : [1]; // no service finds 1 too many
	const listing = new Listing(client, endpoint, query);
	try {
		for await (const page of listPages(listing, endpoint.documentsPaging ? uniq(sizes) : [undefined], limit === Infinity)) {
			for (const record of page) records.push(record);
			if (records.length >= limit) break;
		}
	} finally {
		await listing.settle();
	}
	return records.length > limit ? records.slice(0, limit) : records;
}

/**
 * Yields the new records of one page after the other.
 *
 * @param sizes are tried until the service takes one
 * @param wantsAll whether further pages may be asked for while one is on its way
 */
async function* listPages(listing: Listing, sizes: PageSizes, wantsAll: boolean): AsyncGenerator<ServiceRecord[]> {
	const first = await listing.begin(sizes);
	yield listing.keepNew(first);
	if (listing.isFixed || first.records.length === 0) return;

	let { total } = first;
	let isFull = total !== undefined; // how large a page is shows with the second one
	let isStale = false; // whether the page before had nothing new
	let pushed = 0; // records that others have pushed down onto the next page, by as many in front that are not read
	for (let number = 1; ; number++) {
		const coming = listing.take(number);
		const left = (total ?? Infinity) - listing.count - pushed;
		if (wantsAll && isFull) listing.askAhead(number, Math.ceil(left / first.records.length) - 1);
		const page = await coming;
		const fresh = listing.keepNew(page);
		// Page 1 repeats the first where pages count from 1. A later one that repeats is the end, unless so many were added
		// meanwhile that all of it was read before.
		const isKnown = fresh.length === 0 && number > 1;
		const reached = listing.count + pushed;
		const isEnd = page.records.length === 0 || (isKnown && (isStale || reached >= (page.total ?? total ?? Infinity)));
		// Others have removed records meanwhile, so that what followed has moved up, onto pages that were read before.
		const hasShrunk = (page.total ?? Infinity) < (total ?? 0) || (isEnd && reached < (total ?? 0));
		if (hasShrunk) yield await listing.findMoved(number, page);
		if (isEnd) return;
		yield fresh;
		if (fresh.length === 0) listing.spare--;
		if (number > 1 && fresh.length > 0 && fresh[0] !== page.records[0]) {
			pushed += page.records.length - fresh.length;
			if (page.total === undefined) listing.forgetCome(); // from before that: without what was pushed onto them
		}
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
	/** Whether it was asked for before the page before had come, and so may be the older one. */
	isEarly?: boolean;
}

/** One listing under way. */
class Listing {
	/** How many requests there may still be beyond the fewest possible: of 3, one is for the page that shows the end. */
	spare = 2;
	private readonly seen = new Set<string>();
	private size?: number;
	private readonly ahead = new Map<number, Promise<Page>>();
	private readonly come = new Set<number>();

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
			this.spare--;
			return await this.begin(others);
		});
	}

	/**
	 * Asks for pages beyond one that is on its way.
	 *
	 * @param needed how many there certainly are; Infinity if nobody knows, when they may turn out to be too many
	 */
	askAhead(number: number, needed: number): void {
		const last = number + (needed === Infinity ? this.spare : Math.min(needed, mostAhead));
		for (let next = number + 1; next <= last; next++) {
			if (this.ahead.has(next)) continue;
			const page = this.loadOrEnd(next).then((early) => {
				this.come.add(next);
				return { ...early, isEarly: true };
			});
			page.catch(() => {}); // whoever takes it gets the error
			this.ahead.set(next, page);
		}
	}

	/** A page; without records beyond the last one. */
	async take(number: number): Promise<Page> {
		const page = await (this.ahead.get(number) ?? this.loadOrEnd(number));
		this.ahead.delete(number);
		return page;
	}

	/** Waits until nothing is under way. */
	async settle(): Promise<void> {
		await Promise.allSettled(this.ahead.values());
	}

	/** Has those pages ahead that have come asked for again. */
	forgetCome(): void {
		for (const number of this.ahead.keys()) if (this.come.has(number)) this.ahead.delete(number);
	}

	private async load(page?: number): Promise<Page> {
		const numbers = { ...(this.size !== undefined && { limit: this.size }), ...this.query, ...(page !== undefined && { page }) };
		const body = await this.client.call(this.endpoint, { query: numbers });
		const records = readList(body);
		if (records) return { records, total: readTotal(body) };
		throw new ServiceError('The service answered without a list', {
			kind: 'unknown',
			description: 'Check Base URL and Layout in the credential.',
		});
	}

	private async loadOrEnd(page: number): Promise<Page> {
		return await this.load(page).catch(endOrThrow);
	}

	/** Leaves out records that an earlier page held, which happens when others are added meanwhile. */
	keepNew({ records }: Page): ServiceRecord[] {
		const own: string[] = [];
		return records.filter((record) => {
			const key = keyOf(record);
			const { size } = this.seen;
			if (this.seen.add(key).size === size) return own.includes(key); // the same twice on this page is the service's own
			own.push(key);
			return true;
		});
	}

	/**
	 * What was on neither of two pages, as there were fewer records when the second was given: it has moved onto the first
	 * meanwhile; or, if the second was given before the first, and records were added in between, onto the second.
	 */
	async findMoved(number: number, { isEarly }: Page): Promise<ServiceRecord[]> {
		const moved = await this.readAgain(number - 1);
		return isEarly && moved.length === 0 ? await this.readAgain(number) : moved;
	}

	/** What is new on a page that was read before; goes back from one page as far as there is nothing known on it. */
	private async readAgain(page: number): Promise<ServiceRecord[]> {
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
