import type { ServiceRecord } from '../jsonValues';
import type { Paging, Query } from '../reading/readPaging';
import type { ServiceError } from './errors';

/** A page that was read, or is missing. */
export interface Page extends Partial<Paging> {
	query: Query;
	/** The number of records on the page, and those of them that are new. */
	rows: number;
	records: ServiceRecord[];
	refusal?: ServiceError;
}

/** A list ends after this many pages without new records. If pages count from 1, page 1 is the first page once more. */
export const maxStale = 2;

/** The way over the pages of a list by their numbers. */
export class Walk {
	/** The number of records so far, including known ones. */
	rows: number;
	/** The number of pages since the last one with new records. */
	stale: number;
	private last: Page;

	constructor(private readonly first: Page) {
		this.last = first;
		this.rows = first.rows;
		this.stale = first.rows > 0 ? 0 : maxStale;
	}

	/**
	 * Goes on to a page. Returns whether the last page with new records was full (`size` records were requested). If not,
	 * a missing page is the end of the list.
	 */
	step(page: Page, size = Infinity): boolean {
		const isFirstAgain = page.query.page === 1 && page.records.length < page.rows / 2;
		if (!isFirstAgain) this.rows += page.rows;
		if (page.records.length > 0) {
			this.last = page;
			this.stale = 0;
		} else this.stale = page.rows > 0 ? this.stale + 1 : maxStale;
		return this.last.rows >= (this.last === this.first ? size : this.first.rows);
	}
}
