/**
 * Reads lists without knowing how the service pages. A cursor that the first page shows is followed; where a total shows
 * that there is more, the other pages are read several at a time; else one after the other until nothing new comes. If
 * records are missing then, since others have moved some meanwhile, pages are read again. What is missing still is said.
 */
import { chunk, identity, range, uniq } from 'lodash';
import { sleep } from 'n8n-workflow';

import { type Endpoint, recordName, routeOf } from '../api/endpoints';
import { type ServiceRecord, fieldNames, readId, readList, readTotal } from '../api/read';
import type { ApiResponse, Client } from './client';
import { type Query, readPaging } from './cursor';
import { ServiceError, isRefusedContent } from './errors';

/** What of a list is wanted: all, at most `limit` records, or no more than the page that the query names. */
export interface ListRequest {
	query?: Query;
	limit?: number;
}

/** What was read of a list. */
export interface RecordList<T> {
	/** Each once, in the service's order; what others have moved while the list was read comes last. */
	records: T[];
	/** How many there are, if the service says so. */
	total?: number;
	/** Why there may be more. */
	gap?: ServiceError;
	/** Whether the service has shown that there are no more: by a total, a last cursor, or an end of its pages. */
	isComplete: boolean;
}

interface Page {
	/** How many records it holds, and how many of them are new. */
	rows: number;
	fresh: number;
	next: Query[];
	/** Why there is none. */
	error?: ServiceError;
}

/** Asked for where the specification documents a page size, until the service takes one. */
const pageSizes = [1_000, 100, undefined];
const maxAtOnce = 6;
/** Pages in a row without anything new that are the end. Where pages count from 1, page 1 is the first one again. */
const maxStale = 2;
const maxRetries = 2;
const retryDelayMs = 200;
const maxReadings = 3;

/** Lists records. @throws ServiceError if a page cannot be had, or the list is known to be incomplete */
export async function listRecords(
	client: Client,
	endpoint: Endpoint,
	request: ListRequest = {},
): Promise<ServiceRecord[]> {
	const { records, gap } = await readRecords(client, endpoint, request);
	if (gap) throw gap;
	return records;
}

/**
 * Reads what there is to be had of a list.
 *
 * @param shape what is made of each record as soon as its page has come
 * @throws ServiceError if a page cannot be had
 */
export async function readRecords<T = ServiceRecord>(
	client: Client,
	endpoint: Endpoint,
	{ query = {}, limit = Infinity }: ListRequest = {},
	shape: (record: ServiceRecord) => T = identity,
): Promise<RecordList<T>> {
	const list = new Listing(client, endpoint, query, limit, shape);
	const sizes = limit > 1 ? pageSizes.map((size) => size && Math.min(size, limit)) : [1];
	const isSized = endpoint.documentsPaging && !('limit' in query);
	const first = await list.readFirst(isSized ? uniq(sizes) : [undefined]);
	const isWhole = !('page' in query);
	if (isWhole && !(await list.followCursors(first))) await list.readNumbered(first);
	if (isWhole) await list.readAgain(first);
	const records = list.pages.flatMap((page) => page.records).slice(0, limit);
	const gap = isWhole ? list.gap(first) : undefined;
	return { records, total: list.total, gap, isComplete: !gap && list.hasEnd(first) };
}

/** One list while it is read. */
class Listing<T> {
	/** In the order in which they were asked for, each with what is new on it. */
	readonly pages: Array<{ query: Query; records: T[] }> = [];
	total?: number;
	private greatestTotal = 0;
	private size?: number;
	private count = 0;
	private readonly seen = new Set<string>();
	/** Whether a page held known records beside new ones: others have moved or added some. */
	private hasOverlap = false;
	private hasMore = false;
	/** Whether a page came that is empty or missing, or that has no further cursor. */
	private sawEnd = false;
	private refusal?: ServiceError;

	constructor(
		private readonly client: Client,
		private readonly endpoint: Endpoint,
		private readonly query: Query,
		private readonly limit: number,
		private readonly shape: (record: ServiceRecord) => T,
	) {}

	async readFirst([size, ...others]: Array<number | undefined>): Promise<Page> {
		this.size = size;
		const page = await this.read({}, 0);
		if (!page.error) return page;
		if (others.length === 0 || !isRefusedContent(page.error)) throw page.error;
		return await this.readFirst(others);
	}

	/** @returns whether there are any that lead on */
	async followCursors(first: Page): Promise<boolean> {
		for (const way of first.next.keys()) {
			let page = await this.read(first.next[way]);
			if (page.fresh === 0) continue;
			for (let stale = 0; page.next[way] && stale < maxStale && this.isShortOf(Infinity); ) {
				page = await this.read(page.next[way]);
				stale = page.fresh > 0 ? 0 : stale + 1;
			}
			this.refusal = page.error;
			this.sawEnd = !page.next[way];
			return true;
		}
		return false;
	}

	async readNumbered(first: Page): Promise<void> {
		let last = first;
		let { rows } = first; // so far, new or known
		for (let number = 1, stale = 0; rows > 0 && stale < maxStale && this.isShortOf(Infinity); ) {
			const total = this.totalBeyond(first);
			if (rows >= (total ?? Infinity)) return;
			const left = total ? Math.min(total - rows, this.limit - this.count) : 1;
			const atOnce = number > 1 ? Math.min(Math.ceil(left / first.rows), maxAtOnce) : 1;
			const asked = range(number, number + atOnce).map(async (page) => await this.read({ page }));
			for (const page of await Promise.all(asked)) {
				const isFirstAgain = number === 1 && page.fresh < page.rows / 2;
				if (!isFirstAgain) rows += page.rows;
				if (page.fresh > 0) [last, stale] = [page, 0];
				else stale = page.rows > 0 ? stale + 1 : maxStale;
				// Where a page is missing after one that is not full, that one is the last.
				const isFull = last.rows >= (last === first ? (this.size ?? Infinity) : first.rows);
				if (isRefusedContent(page.error) && (isFull || total)) this.refusal = page.error;
			}
			number += atOnce;
		}
	}

	/** Reads pages again, the first one before all others: what has been moved or added to the front is there. */
	async readAgain(first: Page): Promise<void> {
		const [front, ...others] = this.pages.filter(({ records }) => records.length > 0);
		const isPushed = this.hasOverlap && !this.totalBeyond(first);
		let expected = isPushed ? Infinity : this.greatestTotal;
		for (let reading = 1; reading < maxReadings && this.isShortOf(expected); reading++) {
			const before = this.count;
			for (const batch of [[front], ...chunk(others, isPushed ? 1 : maxAtOnce)]) {
				if (!this.isShortOf(expected)) return;
				const pages = batch.map(async ({ query }) => await this.read(query));
				const isNews = (await Promise.all(pages)).some(({ fresh }) => fresh > 0);
				if (isPushed && !isNews) return;
			}
			if (this.count === before) return;
			expected = this.total ?? 0;
		}
	}

	gap(first: Page): ServiceError | undefined {
		const { count, refusal } = this;
		const total = this.totalBeyond(first);
		const mayHaveMore = this.hasMore || refusal !== undefined;
		if (!this.isShortOf(total ?? (mayHaveMore ? Infinity : 0))) return undefined;
		const given = total ? `${count} of ${total}` : `only the first ${count}`;
		const why = refusal
			? `It refused a page: ${refusal.message}.`
			: 'It shows no way to the others.';
		return new ServiceError(`The service gave ${given} ${recordName(this.endpoint)}s`, {
			kind: 'refused',
			description: `${why} Ask for fewer, e.g. with a filter or Query Parameters.`,
			statusCode: refusal?.statusCode,
		});
	}

	hasEnd(first: Page): boolean {
		return this.sawEnd || this.count >= (this.totalBeyond(first) ?? Infinity);
	}

	/** The total, unless it may be the first page's own. It may have fallen to that many since. */
	private totalBeyond({ rows }: Page): number | undefined {
		return this.greatestTotal > rows ? this.total : undefined;
	}

	private isShortOf(expected: number): boolean {
		return this.count < Math.min(expected, this.limit);
	}

	/** Reads one page and keeps what is new on it. The same record twice on one page is what the service means. */
	private async read(query: Query, retries = maxRetries): Promise<Page> {
		const page = { query, records: [] as T[] };
		this.pages.push(page);
		const response = await this.fetch(query, retries);
		if (response instanceof ServiceError) {
			this.sawEnd = true;
			return { rows: 0, fresh: 0, next: [], error: response };
		}
		const kind = recordName(this.endpoint);
		const records = readList(response.body, kind) ?? noList(kind, response.body);
		const own = new Set<string>();
		for (const record of records) {
			const key = readId(record, kind) ?? JSON.stringify(record);
			if (this.seen.has(key) && !own.has(key)) continue;
			this.seen.add(key);
			own.add(key);
			page.records.push(this.shape(record));
		}
		const [rows, fresh] = [records.length, page.records.length];
		this.count += fresh;
		this.sawEnd ||= rows === 0;
		this.hasOverlap ||= fresh > 0 && fresh < rows;
		this.total = readTotal(response.body, response.headers) ?? this.total;
		this.greatestTotal = Math.max(this.greatestTotal, this.total ?? 0);
		const { config } = this.client;
		const url = `${config.root}${routeOf(this.endpoint, config.apiPath).path}`;
		const { hasMore, next } = readPaging(response, url);
		if (fresh > 0 || rows === 0) this.hasMore = hasMore;
		return { rows, fresh, next };
	}

	/** @returns the error of a page that is missing, or that the service refuses time and again */
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

function noList(kind: string, body: unknown): never {
	throw new ServiceError(`The response has no list of ${kind}s that the node could find`, {
		kind: 'configuration',
		description: `It has these fields: ${fieldNames(body)}. Check 'Base URL' and 'API Path' in the credential.`,
	});
}
