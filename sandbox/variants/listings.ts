/** Listings of a service that pages in its own way. */
import { invalid, notFound } from '../errors';
import type { Page } from '../paging';
import type { Contacts } from '../state/contacts';
import type { Choice } from './table';

/** Paging as the contract reads it. */
export interface PageQuery {
	page?: number;
	limit?: number;
}

/**
 * One page of a listing.
 *
 * @param load the page as the sandbox itself would give it
 * @throws HttpError beyond the last page, if the service is like that
 */
export function listPage<T>(
	choice: Choice,
	query: PageQuery,
	load: (page?: number) => Page<T>,
): Page<T> {
	const page = load(query.page);
	const isBeyond = page.data.length === 0 && page.page > 1;
	switch (isBeyond ? choice['last-page'] : 'empty') {
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

const addedPhone = 15_559_990_000;

/** Changes the contacts between the first and the second page of a listing, as other users of the service might. */
export class ConcurrentEdits {
	private isListing = false;
	private added = 0;

	constructor(
		private readonly choice: Choice,
		private readonly contacts: Contacts,
	) {}

	/** Called before a page is read. */
	beforePage({ page = 1 }: PageQuery): void {
		const { contacts } = this;
		if (page === 1) this.isListing = true;
		if (page !== 2 || !this.isListing) return;
		this.isListing = false;
		const [first] = contacts.all;
		if (this.choice['list-changes'] === 'removed' && first) contacts.delete(first.id);
		if (this.choice['list-changes'] === 'added')
			contacts.moveToFront(contacts.create({ phone: `+${addedPhone + this.added++}` }));
	}
}
