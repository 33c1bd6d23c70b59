/** Lists of a service with its own way of paging. */
import { range } from 'lodash';

import type { Choice } from '.';
import { invalid, notFound } from '../errorResponses';
import type { Page } from '../schemas';
import type { Contacts } from '../state/contacts';

/** The page that is requested, in the format of the contract. */
export interface PageQuery {
	page?: number;
	limit?: number;
}

const addedPhone = 15_559_990_000;

/** Whether a list is followed by cursors. */
export function hasCursors({ paging }: Choice): boolean {
	return paging === 'next_cursor';
}

/** The difference between the contract's page number and that of the variant. */
export function firstPage(choice: Choice): number {
	return choice['page-base'] === '0' ? 1 : 0;
}

/** The page number in a cursor; undefined without a cursor. @throws HttpError 422 */
export function pageOfCursor(cursor: unknown): number | undefined {
	if (cursor === undefined) return undefined;
	const number = typeof cursor === 'string' && /^c(\d+)$/.exec(cursor)?.[1];
	if (!number) throw invalid('cursor', 'is not one of this list');
	return Number(number);
}

/** The pages of one sandbox, and the changes between the first and the second page of a list. */
export class Pages {
	/** Whether a first page was requested, and no second one since. */
	private isListing = false;
	private added = 0;

	constructor(
		private readonly choice: Choice,
		private readonly contacts: Contacts,
	) {}

	/** One page of a list, made from the sandbox's own pages. @throws HttpError if the service refuses the request */
	give<T>(query: PageQuery, load: (page?: number) => Page<T>): Page<T> {
		const { page: number = 1 } = query;
		if (number === 2 && this.isListing) this.change();
		this.isListing = number === 1 || (this.isListing && number !== 2);
		const page = load(query.page);
		if (this.choice.paging === 'none') return wholeList(load);
		if (page.data.length > 0 || page.page === 1) return page;
		switch (this.choice['last-page']) {
			case 'empty':
				return page;
			case 'not-found':
				throw notFound(`There is no page ${page.page}`);
			case 'bad-request':
				throw invalid('page', 'There is no such page');
			case 'repeated':
				return load(Math.ceil(page.total / page.limit));
		}
	}

	/** Changes the contacts, as other users of the service might. */
	private change(): void {
		const { contacts } = this;
		const change = this.choice['list-changes'];
		if (change === 'removed' && contacts.all[0]) contacts.delete(contacts.all[0].id);
		if (change === 'added')
			contacts.moveToFront(contacts.create({ phone: `+${addedPhone + this.added++}` }));
	}
}

/** All records as a single page. */
function wholeList<T>(load: (page: number) => Page<T>): Page<T> {
	const { total, limit } = load(1);
	const data = range(Math.ceil(total / limit)).flatMap((index) => load(index + 1).data);
	return { data, page: 1, limit: Math.max(1, total), total };
}

/** A page, or a list without pages, in the format of the service. @param kind name of a record, e.g. `contact` */
export function describeList(
	choice: Choice,
	kind: string,
	{ data, page = 1, limit = 0, total }: Partial<Page<unknown>> & { data: unknown[] },
): { body: unknown; headers: Record<string, string> } {
	const isPage = total !== undefined;
	const cursor = isPage && page * limit < total ? `c${page + 1}` : null;
	const isBare = choice['list-envelope'] === 'bare';
	const headers = {
		...(isBare && hasCursors(choice) && cursor && { link: `<?cursor=${cursor}>; rel="next"` }),
		...(isPage && choice['page-metadata'] === 'header' && { 'x-total-count': String(total) }),
	};
	if (isBare) return { body: data, headers };
	const name = choice['list-envelope'] === 'named' ? `${kind}s` : 'data';
	const number = hasCursors(choice) ? {} : { page: page - firstPage(choice) };
	const body = {
		[name]: data,
		...(isPage && describePlace(choice, { limit, ...number }, total)),
		...(hasCursors(choice) && { next_cursor: cursor }),
	};
	return { body, headers };
}

/** The metadata beside the records of a page. @param place its limit and number */
function describePlace(choice: Choice, place: object, total: number): object {
	switch (choice['page-metadata']) {
		case 'flat':
			return { ...place, total };
		case 'low':
			return { ...place, total: Math.max(0, total - 1) };
		case 'others':
			return { ...place, meta: { total_opted_out: Math.ceil(total * 0.6) } };
		default:
			return {};
	}
}
