/**
 * Listing over pages, without knowing how the service pages.
 *
 * Neither the first page's number, nor the greatest page size, nor any metadata is specified. The first page is asked
 * for without a number; then page 1 either repeats it (pages count from 1) or is the second (they count from 0). An
 * empty, a repeated or a missing page is the end. A short page is not: it may be the service's own cap; nor is metadata
 * believed, since a `total` that means the page's own would lose the rest silently.
 */
import type { Endpoint } from '../api/endpoints';
import { type ServiceRecord, readId, readList } from '../api/read';
import type { Client } from './client';
import { ServiceError } from './errors';

/** What of a listing is wanted. */
export interface ListRequest {
	query?: Record<string, unknown>;
	/** Greatest number of records; all if absent. */
	limit?: number;
}

/** Page size asked for where the specification documents one. */
const pageSize = 100;

/**
 * Lists records, each exactly once, in the service's order.
 *
 * @throws ServiceError if a page cannot be had or holds no list
 */
export async function listRecords(client: Client, endpoint: Endpoint, { query = {}, limit = Infinity }: ListRequest = {}): Promise<ServiceRecord[]> {
	const records: ServiceRecord[] = [];
	for await (const page of listPages(client, endpoint, query, Math.min(limit, pageSize))) {
		for (const record of page) records.push(record);
		if (records.length >= limit) break;
	}
	return records.length > limit ? records.slice(0, limit) : records;
}

/** Yields the new records of one page after the other. */
async function* listPages(client: Client, endpoint: Endpoint, query: Record<string, unknown>, size: number): AsyncGenerator<ServiceRecord[]> {
	const limit = endpoint.documentsPaging ? { limit: size } : {};
	const load = async (page?: number) => await loadPage(client, endpoint, { ...limit, ...query, ...(page === undefined ? {} : { page }) });
	const seen = new Set<string>();
	const first = await load();
	yield keepNew(first.records, seen);
	if ('page' in query || first.records.length === 0) return;

	let previous = first;
	for (let number = 1; ; number++) {
		const page = await load(number).catch((error) => endOrThrow(error));
		if (page.records.length === 0) return;
		const repeatsFirst = page.print === first.print;
		if (repeatsFirst && number === 1) continue; // pages count from 1
		if (repeatsFirst || page.print === previous.print) return;
		yield keepNew(page.records, seen);
		previous = page;
	}
}

interface Page {
	records: ServiceRecord[];
	/** Tells two pages apart. */
	print: string;
}

const noPage: Page = { records: [], print: '' };

async function loadPage(client: Client, endpoint: Endpoint, query: Record<string, unknown>): Promise<Page> {
	const body = await client.call(endpoint, { query });
	const records = readList(body);
	if (!records) {
		throw new ServiceError('The service answered without a list', {
			kind: 'unknown',
			description: 'Check Base URL and Layout in the credential.',
		});
	}
	return { records, print: JSON.stringify(records) };
}

/** Some services answer a page beyond the last with 404, and one that does not page refuses the parameter. */
function endOrThrow(error: unknown): Page {
	const status = error instanceof ServiceError ? error.statusCode : undefined;
	if (status && [400, 404, 416, 422].includes(status)) return noPage;
	throw error;
}

/** Leaves out records that an earlier page held, which happens when others are added or removed meanwhile. */
function keepNew(records: ServiceRecord[], seen: Set<string>): ServiceRecord[] {
	return records.filter((record) => {
		const key = readId(record) ?? `no id ${seen.size}`;
		return seen.size < seen.add(key).size;
	});
}
