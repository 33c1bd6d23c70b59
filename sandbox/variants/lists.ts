/** Lists of a service that pages in its own way. */
import { mapValues } from 'lodash';

import type { Choice } from '.';
import type { Page } from '../answers';
import { invalid, notFound } from '../errors';
import type { Contacts } from '../state/contacts';

/** Paging as the contract reads it. */
export interface PageQuery {
	page?: number;
	limit?: number;
}

/** What a page of a list is made of. */
export interface ListAnswer {
	body: unknown;
	headers: Record<string, string>;
}

/** The last page that a service gives which refuses deep ones. */
const deepestPage = 2;
const addedPhone = 15_559_990_000;

/** Whether a list is followed by cursors. */
export function hasCursors({ paging }: Choice): boolean {
	return paging !== 'pages' && paging !== 'none';
}

/** The cursor of a page. It is opaque to the caller. */
const cursorOf = (page: number) => `c${page}`;

/** The number of a cursor's page; undefined without a cursor. @throws HttpError 422 */
export function pageOfCursor(cursor: unknown): number | undefined {
	if (cursor === undefined) return undefined;
	const [, number] = (typeof cursor === 'string' && /^c(\d+)$/.exec(cursor)) || [];
	if (number === undefined) throw invalid('cursor', 'is not one of this list');
	return Number(number);
}

/** Pages of one sandbox, with what happens between the first and the second one of a list. */
export class Pages {
	/** Whether a first page was given, and no second one since. */
	private isListing = false;
	private added = 0;

	constructor(
		private readonly choice: Choice,
		private readonly contacts: Contacts,
	) {}

	/** One page of a list, made of those that the sandbox itself would give. @throws HttpError for what the service refuses */
	give<T>(query: PageQuery, load: (page?: number) => Page<T>): Page<T> {
		const { page: number = 1 } = query;
		this.beforePage(number);
		const page = load(query.page);
		const isBeyond = page.data.length === 0 && page.page > 1;
		switch (isBeyond ? this.choice['last-page'] : 'empty') {
			case 'empty':
				return page;
			case 'not-found':
				throw notFound(`There is no page ${page.page}`);
			case 'bad-request':
				throw invalid('page', 'There is no such page');
			case 'repeated':
				return load(Math.ceil(page.total / page.limit));
			case 'first':
				return load(1);
		}
	}

	private beforePage(number: number): void {
		const refused = this.choice['refused-pages'];
		if (refused === 'deep' && number > deepestPage)
			throw invalid('page', `must be at most ${deepestPage}`);
		if (number === 1) this.isListing = true;
		if (number !== 2 || !this.isListing) return;
		this.isListing = false;
		this.change();
		if (refused === 'transient') throw invalid('page', 'cannot be read just now');
	}

	/** Changes the contacts as other users of the service might. */
	private change(): void {
		const { contacts } = this;
		const [first, last] = [contacts.all[0], contacts.all.at(-1)];
		const change = this.choice['list-changes'];
		if (change === 'removed' && first) contacts.delete(first.id);
		if (change === 'moved' && last) contacts.moveToFront(last);
		if (change === 'added')
			contacts.moveToFront(contacts.create({ phone: `+${addedPhone + this.added++}` }));
	}
}

/** A page, or a list without pages, as the service shows it. */
export function describeList(
	choice: Choice,
	resource: string,
	{ data, ...numbers }: Partial<Page<unknown>> & { data: unknown[] },
): ListAnswer {
	const isBare = choice['list-envelope'] === 'bare';
	const { next, headers } = describeNext(choice, isBare, numbers);
	const total = choice['page-metadata'] === 'header' ? numbers.total : undefined;
	const lists = {
		data: { data },
		bare: data,
		items: { items: data },
		results: { results: data },
		named: { [resource]: data },
		nested: { data: { items: data } },
		embedded: { _embedded: { [resource]: data } },
	};
	const list = lists[choice['list-envelope']];
	return {
		body: isBare ? list : { ...list, ...describeNumbers(choice, numbers), ...next },
		headers: { ...headers, ...(total !== undefined && { 'x-total-count': String(total) }) },
	};
}

function describeNumbers(
	choice: Choice,
	{ page, ...others }: Omit<Partial<Page<unknown>>, 'data'>,
): object {
	const number = page === undefined || hasCursors(choice) ? {} : { page: page - firstPage(choice) };
	const numbers = { ...others, ...number };
	return {
		flat: numbers,
		nested: { meta: numbers },
		text: mapValues(numbers, String),
		header: {},
		absent: {},
	}[choice['page-metadata']];
}

/** By how much the contract's page number is greater. */
export function firstPage(choice: Choice): number {
	return choice['page-base'] === '0' ? 1 : 0;
}

/** How a page shows the next one. */
function describeNext(
	choice: Choice,
	isBare: boolean,
	{ page = 1, limit = 0, total = 0 }: Omit<Partial<Page<unknown>>, 'data'>,
): { next?: object; headers?: Record<string, string> } {
	if (!hasCursors(choice)) return {};
	const cursor = page * limit < total ? cursorOf(page + 1) : null;
	const address = cursor && `?cursor=${cursor}`;
	if (isBare || choice.paging === 'link')
		return address ? { headers: { link: `<${address}>; rel="next"` } } : {};
	const forms: Partial<Record<Choice['paging'], object>> = {
		next: { next: cursor },
		next_cursor: { next_cursor: cursor },
		'cursor.next': { cursor: { next: cursor } },
		'links.next': { links: { next: address } },
	};
	return { next: forms[choice.paging] };
}
