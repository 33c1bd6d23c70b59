/**
 * Reads lists without knowing how the service pages: by a cursor if the first page has one, several pages at a
 * time if there is a total, else one by one until nothing new comes. If records are missing because the list has
 * changed meanwhile, pages are read again. docs/adr/0008-listing.md
 */
import { chunk, clamp, findLast, range, sumBy } from 'lodash';
import { sleep } from 'n8n-workflow';

import { type Endpoint, recordName } from '../api/endpoints';
import { type ServiceRecord, fieldNames, readId, readList, readTotal } from '../api/read';
import type { ApiResponse, Client } from './client';
import { type Paging, type Query, readPaging } from './cursor';
import { InputError, ServiceError, isRefusedContent } from './errors';

/** All records of a list, at most `limit` of them, or only the page in the query. */
export interface ListRequest {
	query?: Query;
	limit?: number;
}

/** What was read of a list. */
export interface RecordList {
	/** Each once, in the service's order; those that moved while the list was read come last. */
	records: ServiceRecord[];
	/** The total, if the service shows one. */
	total?: number;
	/** Why there may be more. */
	gap?: ServiceError;
	/** Whether the list is certainly complete: by a total, the last cursor, or the end of its pages. */
	isComplete: boolean;
}

interface Page extends Partial<Paging> {
	query: Query;
	/** The number of its records, and the new ones. */
	rows: number;
	records: ServiceRecord[];
	/** Why the page is missing. */
	refusal?: ServiceError;
}

/** Tried in this order if the specification documents a page size, until the service accepts one. */
const pageSizes = [1_000, 100, undefined];
const maxAtOnce = 6;
/** Number of pages without new records after which the list ends. If pages count from 1, page 1 is the first page again. */
const maxStale = 2;
const maxRetries = 2;
const retryDelayMs = 200;

/** Reads a list, as far as possible. @throws ServiceError if the first page or a permission is missing */
export async function readRecords(
	client: Client,
	endpoint: Endpoint,
	{ query = {}, limit = Infinity }: ListRequest = {},
): Promise<RecordList> {
	const isSized = endpoint.documentsPaging && !('limit' in query);
	const sizes = limit > 1 ? pageSizes.map((size) => size && Math.min(size, limit)) : [1];
	const list = new Listing(client, endpoint, query, limit);
	await list.readFirst(isSized ? sizes : []);
	if (!('page' in query)) await list.readOthers();
	return list.result();
}

/** One list while it is read. */
class Listing {
	private readonly pages: Page[] = [];
	/** The IDs or contents of the records that were read. */
	private readonly seen = new Set<string>();
	private size?: number;
	private total?: number;
	private greatestTotal = 0;
	/** Whether a page was empty or missing, or had no next cursor. */
	private sawEnd = false;
	/** Why a page is missing although it seems to exist. */
	private refusal?: ServiceError;
	private gap?: ServiceError;

	constructor(
		private readonly client: Client,
		private readonly endpoint: Endpoint,
		private readonly query: Query,
		private readonly limit: number,
	) {}

	async readFirst([size, ...others]: Array<number | undefined>): Promise<void> {
		this.size = size;
		const page = await this.readPage({}, 0);
		if (!page.refusal) return void this.pages.push(page);
		if (others.length === 0 || !isRefusedContent(page.refusal)) throw page.refusal;
		await this.readFirst(others.filter((other) => other !== size));
	}

	async readOthers(): Promise<void> {
		const isByCursor = await this.followCursors();
		if (!isByCursor) await this.readNumbered();
		const hasLastCursor = isByCursor && this.sawEnd;
		const shown = this.pages.filter(({ refusal }) => !refusal);
		const last = findLast(shown, ({ rows, records }) => records.length > 0 || rows === 0);
		await this.readAgain();
		this.gap = this.findGap(last?.hasMore && !hasLastCursor);
	}

	result(): RecordList {
		const { total, gap } = this;
		const hasEnd = this.sawEnd || this.count >= (this.totalBeyondFirst ?? Infinity);
		const records = this.pages.flatMap((page) => page.records).slice(0, this.limit);
		return { records, total, gap, isComplete: !gap && hasEnd };
	}

	/** @returns whether a cursor led to new records */
	private async followCursors(): Promise<boolean> {
		const { next = [] } = this.pages[0];
		for (const [way, first] of next.entries()) {
			let [page] = await this.read([first]);
			if (page.records.length === 0) continue;
			for (let stale = 0; page.next?.[way] && stale < maxStale && this.isShortOf(Infinity); ) {
				[page] = await this.read([page.next[way]]);
				stale = page.records.length > 0 ? 0 : stale + 1;
			}
			this.refusal = page.refusal;
			this.sawEnd = !page.next?.[way];
			return true;
		}
		return false;
	}

	private async readNumbered(): Promise<void> {
		const [first] = this.pages;
		let last = first; // with anything new
		let { rows } = first; // so far, new or known
		for (let number = 1, stale = 0; rows > 0 && stale < maxStale && this.isShortOf(Infinity); ) {
			const total = this.totalBeyondFirst;
			if (total && rows >= total && !last.hasMore) return; // some services count no further than e.g. 10,000
			const left = total && number > 1 ? Math.min(total, this.limit) - rows : 1;
			const numbers = range(number, number + clamp(Math.ceil(left / first.rows), 1, maxAtOnce));
			for (const page of await this.read(numbers.map((one) => ({ page: one })))) {
				const isFirstAgain = page.query.page === 1 && page.records.length < page.rows / 2;
				if (!isFirstAgain) rows += page.rows;
				if (page.records.length > 0) [last, stale] = [page, 0];
				else stale = page.rows > 0 ? stale + 1 : maxStale;
				// After a page that is not full, a missing page is the end.
				const isFull = last.rows >= (last === first ? (this.size ?? Infinity) : first.rows);
				if (isRefusedContent(page.refusal) && (isFull || total)) this.refusal = page.refusal;
			}
			number += numbers.length;
		}
	}

	/** Reads pages again, beginning with the first: records usually move to the front. */
	private async readAgain(): Promise<void> {
		const news = this.pages.filter(({ records }) => records.length > 0);
		// A page with known and new records shows that the list has changed. A last page with one record may have only a known one.
		const hasOverlap = this.pages.some(
			({ rows, records }) => records.length < rows && (records.length > 0 || rows === 1),
		);
		const isPushed = !this.totalBeyondFirst && hasOverlap;
		const expected = isPushed ? Infinity : this.greatestTotal;
		const [front = {}, ...others] = news.map(({ query }) => query);
		for (const batch of [[front], ...chunk(others, isPushed ? 1 : maxAtOnce)]) {
			if (!this.isShortOf(expected)) return;
			const pages = await this.read(batch);
			if (isPushed && pages.every(({ records }) => records.length === 0)) return;
		}
	}

	private findGap(hasMore = false): ServiceError | undefined {
		const { count, refusal, totalBeyondFirst: total } = this;
		const mayHaveMore = hasMore || refusal !== undefined;
		if (!this.isShortOf(total ?? (mayHaveMore ? Infinity : 0))) return undefined;
		const given = total ? `${count} of ${total}` : `only the first ${count}`;
		const noWay = 'Its response does not say how to get the next page';
		const why = refusal ? `It refused a page: ${refusal.message}` : noWay;
		return new ServiceError(`The service returned ${given} ${recordName(this.endpoint)}s`, {
			kind: 'refused',
			description: `${why}. Request fewer records, e.g. with a filter or Query Parameters.`,
			statusCode: refusal?.statusCode,
		});
	}

	/** The total, unless it may only count the first page. */
	private get totalBeyondFirst(): number | undefined {
		return this.greatestTotal > this.pages[0].rows ? this.total : undefined;
	}

	private get count(): number {
		return sumBy(this.pages, ({ records }) => records.length);
	}

	private isShortOf(expected: number): boolean {
		return this.count < Math.min(expected, this.limit);
	}

	/** Reads pages side by side. */
	private async read(queries: Query[]): Promise<Page[]> {
		const pages = await Promise.all(queries.map(async (query) => await this.readPage(query)));
		this.pages.push(...pages);
		return pages;
	}

	/** Reads one page. Equal records on one page count as different, on two pages as the same. */
	private async readPage(query: Query, retries = maxRetries): Promise<Page> {
		const response = await this.fetch(query, retries);
		if (response instanceof ServiceError) {
			this.sawEnd = true;
			return { query, rows: 0, records: [], refusal: response };
		}
		const kind = recordName(this.endpoint);
		const all = readList(response.body, kind);
		if (!all) {
			throw new InputError(
				`The node found no list of ${kind}s in the response`,
				`It has these fields: ${fieldNames(response.body)}. Check 'Base URL' and 'API Path' in the credential.`,
			);
		}
		const keys = all.map((record) => readId(record, kind) ?? JSON.stringify(record));
		const records = all.filter((_, index) => !this.seen.has(keys[index]));
		keys.forEach((key) => this.seen.add(key));
		this.sawEnd ||= all.length === 0;
		this.total = readTotal(response.body, response.headers) ?? this.total;
		this.greatestTotal = Math.max(this.greatestTotal, this.total ?? 0);
		return { query, rows: all.length, records, ...readPaging(response) };
	}

	/** @returns the error, if the page is missing or is refused several times */
	private async fetch(query: Query, retries: number): Promise<ApiResponse | ServiceError> {
		const limit = this.size === undefined ? {} : { limit: this.size };
		const request = { query: { ...limit, ...this.query, ...query } };
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
