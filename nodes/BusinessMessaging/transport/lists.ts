/** Reads lists without knowing how the service pages, until a page brings nothing new: docs/adr/0008-listing.md */
import { chunk, clamp, findLast, isEqual, range } from 'lodash';
import { sleep } from 'n8n-workflow';

import { type Endpoint, recordName } from '../api/endpoints';
import type { ServiceRecord } from '../jsonValues';
import { fieldNames, readList, readTotals, recordKey } from '../reading/readResponse';
import { BoundedMap } from '../boundedMap';
import type { ApiResponse, Client } from './client';
import { type Query, readPaging } from '../reading/readPaging';
import { InputError, ServiceError, isRefusedContent } from './errors';
import { type Page, Walk, maxStale } from './pages';
import { Totals } from '../reading/totals';

/** The query of a list, and how many records are wanted. If the query contains a page, only this page is read. */
export interface ListRequest {
	query?: Query;
	limit?: number;
}

/** What was read of a list. */
export interface RecordList {
	/** Each record once, in the service's order. Records that moved while the list was read come last. */
	records: ServiceRecord[];
	/** For each record, the query of its page. */
	pageQueries: Query[];
	/** The number of all records, if the response contains a figure that agrees with the records that were read, or that is greater. */
	total?: number;
	/** Why there may be more records. */
	shortfall?: ServiceError;
	/** Whether a total, the last cursor, or the end of the pages shows that the list is complete, and nothing contradicts it. */
	isComplete: boolean;
}

type Size = number | undefined;

/** Page sizes in the order in which they are tried, until the service accepts one; only if the specification documents a page size. */
const pageSizes: Size[] = [1_000, 100, undefined];
/** The sizes still to be tried at services that have refused the greatest size, by address, key and endpoint. */
const sizesLeft = new BoundedMap<string, Size[]>({ maxSize: 100, maxAgeMs: 10 * 60_000 });
/** Attempts with one size, if other sizes are left. */
const sizeAttempts = 2;
const maxAtOnce = 6;
const maxRetries = 2;
const retryDelayMs = 200;
/** Usual sizes of a page. A list that has exactly one of them, and ignores the number of the page, may have been cut. */
const usualSizes = [20, 25, 50, 100, 200, 250, 500, 1_000];
/** Search engines do not count further, and refuse pages beyond it. */
const cappedTotal = 10_000;

const maxRecords = 500_000;
const maxPages = 10_000;
/** The greatest number of pages with few records, unless the total on the first page explains them. */
const maxSmallPages = 1_000;
const smallPage = 50;

/** Reads a list, as far as possible. @throws ServiceError if the first page cannot be read, or a permission is missing */
export async function readRecords(
	client: Client,
	endpoint: Endpoint,
	request: ListRequest = {},
): Promise<RecordList> {
	const { query = {}, limit = Infinity } = request;
	const isSized = endpoint.documentsPaging && !('limit' in query);
	const sizes = limit > 1 ? (sizesLeft.get(sizesKey(client, endpoint)) ?? pageSizes) : [1];
	const list = new Listing(client, endpoint, request);
	await list.readFirst(isSized ? sizes : [undefined]);
	if (!('page' in query)) await list.readOthers();
	return list.result();
}

function sizesKey({ config }: Client, { path }: Endpoint): string {
	return `${config.id} ${path}`;
}

class Listing {
	private readonly pages: Page[] = [];
	private readonly seen = new Set<string>();
	/** Whether different records of a page have the same key, so that those of other pages may be left out. */
	private isAmbiguous = false;
	private readonly totals = new Totals();
	private readonly limit: number;
	private size: Size;
	private count = 0;
	private pagesWithNews = 0;
	/** Whether a page was empty or missing, had no next cursor, or the last pages had nothing new. */
	private sawEnd = false;
	/** Whether a page was empty or missing. */
	private sawNothing = false;
	/** The greatest number of pages or records, if the list goes on beyond it. */
	private stoppedAfter?: string;
	/** Why a page is missing although it seems to exist. */
	private refusal?: ServiceError;
	private shortfall?: ServiceError;
	/** Whether the last page says that there is another one, and no cursor or empty page shows that it is the last. */
	private mayHaveMore = false;

	constructor(
		private readonly client: Client,
		private readonly endpoint: Endpoint,
		private readonly request: ListRequest,
	) {
		this.limit = request.limit ?? Infinity;
	}

	/** Reads the first page with the first size that the service accepts. @param isReduced whether it has refused a greater size */
	async readFirst([size, ...others]: Size[], isReduced = false): Promise<void> {
		this.size = size && Math.min(size, this.limit);
		const smaller = others.filter((other) => other === undefined || other < this.limit);
		const attempts = smaller.length > 0 ? sizeAttempts : undefined;
		const page = await this.readPage({}, 0, attempts).catch(asMissingPage);
		if (page.refusal) {
			if (smaller.length === 0 || !mayBeTooLarge(page.refusal)) throw page.refusal;
			this.sawEnd = this.sawNothing = false;
			return await this.readFirst(smaller, true);
		}
		this.pages.push(page);
		if (isReduced) sizesLeft.set(sizesKey(this.client, this.endpoint), [size, ...others]);
	}

	async readOthers(): Promise<void> {
		const isByCursor = await this.followCursors();
		if (!isByCursor) await this.readNumbered();
		const hasLastCursor = isByCursor && this.sawEnd;
		const last = findLast(
			this.pages,
			({ rows, records, refusal }) => records.length > 0 || (rows === 0 && !refusal),
		);
		if (!this.stoppedAfter) await this.readAgain();
		const hasMore = !hasLastCursor && last?.hasMore === true;
		const hasEnd = this.sawEnd && (this.sawNothing || this.pagesWithNews > 1);
		this.mayHaveMore = hasMore || (!hasEnd && last?.hasNumber === true);
		this.shortfall = this.findShortfall(hasMore);
	}

	result(): RecordList {
		const { shortfall, limit, size, request, pages } = this;
		const hasAll = this.sawEnd || this.count === this.total?.latest;
		const isComplete = !shortfall && !this.mayHaveMore && this.count <= limit && hasAll;
		const agreeing = isComplete && this.totals.has(this.count) ? this.count : undefined;
		const sized = { ...(size !== undefined && { limit: size }), ...request.query };
		const queried = pages.flatMap(({ query, records }) => {
			const pageQuery = { ...sized, ...query };
			return records.map(() => pageQuery);
		});
		return {
			records: pages.flatMap(({ records }) => records).slice(0, limit),
			pageQueries: queried.slice(0, limit),
			total: this.total?.latest ?? agreeing,
			shortfall,
			isComplete,
		};
	}

	/** Reads pages by following cursors. @returns whether a cursor led to new records */
	private async followCursors(): Promise<boolean> {
		const { next = [] } = this.pages[0];
		for (const [way, first] of next.entries()) {
			if (!this.mayGoOn()) return false;
			const { count, sawEnd, sawNothing } = this;
			const last = await this.followCursor(way, first);
			if (!last) continue;
			if (this.count > count) {
				this.refusal = last.refusal;
				this.sawEnd = !last.next?.[way] || (last.records.length === 0 && !last.hasMore);
				return true;
			}
			// A refusal of a cursor does not show where the list ends.
			if (last.refusal) Object.assign(this, { sawEnd, sawNothing });
		}
		return false;
	}

	/** Follows one kind of cursor. @returns the last page; undefined if the service ignores the cursor, and repeats the first page */
	private async followCursor(way: number, first: Query): Promise<Page | undefined> {
		const { count } = this;
		let [page] = await this.read([first]);
		if (page.rows > 0 && this.count === count) return undefined;
		for (let stale = 0; page.next?.[way] && stale < maxStale && this.mayGoOn(); ) {
			[page] = await this.read([page.next[way]]);
			stale = page.records.length > 0 ? 0 : stale + 1;
		}
		return page;
	}

	/** Reads pages by their numbers. A figure that may be the total decides how many pages are read at once, but not where the list ends. */
	private async readNumbered(): Promise<void> {
		const walk = new Walk(this.pages[0]);
		for (let number = 1; walk.stale < this.mostStale(walk) && this.mayGoOn(); ) {
			const total = this.total?.latest;
			const numbers = this.nextNumbers(number, walk.rows);
			const queries = numbers.map((one) => ({ page: one }));
			for (const page of await this.read(queries, this.hasAll ? 0 : maxRetries)) {
				const isAfterFull = walk.step(page, this.size);
				if (isRefusedContent(page.refusal) && (isAfterFull || total)) this.refusal = page.refusal;
			}
			number += numbers.length;
		}
		this.sawEnd ||= walk.stale > 0;
	}

	/** After how many pages without new records the list has ended: one, if as many records came as a figure says. */
	private mostStale({ rows }: Walk): number {
		return this.hasAll || rows >= (this.total?.latest ?? Infinity) ? 1 : maxStale;
	}

	/** The numbers of the pages to read next: as many as the total explains, but first a single one. */
	private nextNumbers(number: number, rows: number): number[] {
		const total = this.total?.latest;
		const left = total && number > 1 ? Math.min(total, this.limit) - rows : 1;
		return range(number, number + clamp(Math.ceil(left / this.pages[0].rows), 1, maxAtOnce));
	}

	/** Reads pages again, beginning with the first, because records usually move to the front. */
	private async readAgain(): Promise<void> {
		const news = this.pages.filter(({ records }) => records.length > 0);
		// A page with known and new records shows that the list has changed. A last page with one record may show it with
		// only a known one.
		const hasOverlap = this.pages.some(
			({ rows, records }) => records.length < rows && (records.length > 0 || rows === 1),
		);
		const isPushed = !this.total && hasOverlap;
		const expected = isPushed ? Infinity : (this.total?.greatest ?? 0);
		const [front = {}, ...others] = news.map(({ query }) => query);
		for (const batch of [[front], ...chunk(others, isPushed ? 1 : maxAtOnce)]) {
			if (!this.isShortOf(expected)) return;
			const pages = await this.read(batch);
			if (isPushed && pages.every(({ records }) => records.length === 0)) return;
		}
	}

	private findShortfall(hasMore: boolean): ServiceError | undefined {
		if (this.stoppedAfter) {
			const list = `The node stopped listing ${recordName(this.endpoint)}s`;
			return this.shortfallError(
				`${list} after ${this.stoppedAfter}`,
				'The node reads no more, and every page contained more records',
			);
		}
		const { count, refusal } = this;
		if (this.isAmbiguous && this.pages.length > 1)
			return this.shortfallError(
				`Several ${recordName(this.endpoint)}s of the service have the same ID, so the list may not be complete`,
				'The node recognizes records by their ID',
			);
		const isCapped = refusal !== undefined && this.total?.latest === cappedTotal;
		const total = isCapped ? undefined : this.total?.latest;
		const mayHaveMore = hasMore || refusal !== undefined || this.isCut;
		if (!this.isShortOf(total ?? (mayHaveMore ? Infinity : 0))) return undefined;
		const given = total === undefined ? `only the first ${count}` : `${count} of ${total}`;
		const noWay = 'Its response does not say how to get the next page';
		const why = refusal ? `It refused a page: ${refusal.message}` : noWay;
		return this.shortfallError(`The service returned ${given} ${recordName(this.endpoint)}s`, why);
	}

	private shortfallError(message: string, why: string): ServiceError {
		return new ServiceError(message, {
			kind: 'refused',
			description: `${why}.`,
			statusCode: this.refusal?.statusCode,
		});
	}

	/** Whether all other pages repeat the first, although it looks full or like one of several: the list may be cut. */
	private get isCut(): boolean {
		const [{ rows, isPaged }, ...others] = this.pages;
		const isUsual =
			usualSizes.includes(rows) && isPaged === undefined && !this.totals.hasSaid(rows);
		const isPart = (rows === this.size || isPaged === true || isUsual) && rows === this.count;
		return isPart && others.length > 0 && !this.sawNothing;
	}

	private get total() {
		return this.totals.of(this.count, this.pages[0]?.rows ?? 0);
	}

	/** Whether a figure says that no record is left. The next page has to confirm this. */
	private get hasAll(): boolean {
		return this.count >= (this.total?.latest ?? Infinity);
	}

	private isShortOf(expected: number): boolean {
		return this.count < Math.min(expected, this.limit);
	}

	private mayGoOn(): boolean {
		const { count, pagesWithNews } = this;
		const isExplained = count <= this.totals.announced || count >= pagesWithNews * smallPage;
		const greatest = isExplained ? maxPages : maxSmallPages;
		if (!this.isShortOf(Infinity)) return false;
		if (pagesWithNews >= greatest) this.stoppedAfter = `${greatest.toLocaleString('en')} pages`;
		if (count >= maxRecords) this.stoppedAfter = `${maxRecords.toLocaleString('en')} records`;
		return !this.stoppedAfter;
	}

	private async read(queries: Query[], retries = maxRetries): Promise<Page[]> {
		const pages = await Promise.all(
			queries.map(async (query) => await this.readPage(query, retries)),
		);
		this.pages.push(...pages);
		return pages;
	}

	/** Reads one page. Equal records on the same page count as different ones; on two pages, they count as the same record. */
	private async readPage(query: Query, retries: number, attempts?: number): Promise<Page> {
		const response = await this.fetch(query, retries, attempts);
		if (response instanceof ServiceError) {
			this.sawEnd = true;
			this.sawNothing = true;
			return { query, rows: 0, records: [], refusal: response };
		}
		const kind = recordName(this.endpoint);
		const all = readList(response.body, kind);
		if (!all) {
			throw new InputError(
				`The node found no list of ${kind}s in the response`,
				`The response has these fields: ${fieldNames(response.body)}. Check 'Base URL' and 'API Path' in the credential.`,
			);
		}
		const keys = all.map((record) => recordKey(record, kind));
		const contents = new Map(all.map((record, index) => [keys[index], record]));
		this.isAmbiguous ||= all.some((one, index) => !isEqual(one, contents.get(keys[index])));
		const records = all.filter((_, index) => !this.seen.has(keys[index]));
		keys.forEach((key) => this.seen.add(key));
		this.count += records.length;
		if (records.length > 0) this.pagesWithNews++;
		if (all.length === 0) this.sawEnd = this.sawNothing = true;
		this.totals.add(readTotals(response.body, response.headers, kind));
		return { query, rows: all.length, records, ...readPaging(response, Number(query.page ?? 1)) };
	}

	/** Requests one page. @returns the error, if the page is missing or was refused several times */
	private async fetch(
		query: Query,
		retries: number,
		attempts?: number,
	): Promise<ApiResponse | ServiceError> {
		const limit = this.size === undefined ? {} : { limit: this.size };
		const request = { query: { ...limit, ...this.request.query, ...query }, attempts };
		const response = await this.client.fetch(this.endpoint, request).catch(asNoPage);
		if (!isRefusedContent(response) || retries === 0) return response;
		await sleep(retryDelayMs);
		return await this.fetch(query, retries - 1);
	}
}

/** @throws the error, unless it says that a page is missing or refused */
function asNoPage(error: unknown): ServiceError {
	const isMissing = error instanceof ServiceError && [404, 416].includes(error.statusCode ?? 0);
	if (isMissing || isRefusedContent(error)) return error;
	throw error;
}

/** @throws any error that does not come from the service */
function asMissingPage(error: unknown): Page {
	if (error instanceof ServiceError) return { query: {}, rows: 0, records: [], refusal: error };
	throw error;
}

/** Whether a smaller page may succeed, because the service refused the request, failed to answer it, or sent too large a response. */
function mayBeTooLarge(error: unknown): boolean {
	const hasFailed = error instanceof ServiceError && (error.statusCode ?? 0) >= 500;
	return hasFailed || isRefusedContent(error);
}
