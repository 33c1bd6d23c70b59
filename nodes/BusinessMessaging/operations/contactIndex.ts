/** The contacts of a service by phone number, kept for ten minutes. Why and how: docs/adr/0009-contact-index.md */
import { chunk, isEmpty, isEqual, uniq } from 'lodash';

import { endpoints } from '../api/endpoints';
import { type ServiceRecord, textOrJson } from '../jsonValues';
import { fieldNames, readId, readList, readRecord } from '../reading/readResponse';
import { BoundedMap } from '../boundedMap';
import { withLock } from '../mutex';
import { isPhoneKey, samePhoneKey } from '../phone/compare';
import { readPhone } from '../phone/readPhone';
import type { Client } from '../transport/client';
import type { Query } from '../reading/readPaging';
import { InputError, ServiceError } from '../transport/errors';
import { type RecordList, readRecords } from '../transport/lists';

/** A contact as it was last read. Times are in ms of a monotonic clock. */
export interface Contact {
	/** Empty if the list shows no ID, undefined if the response to the creation showed none. */
	id: string | undefined;
	/** The contact's fields, if its phone number is one of those that the run needs; otherwise empty. */
	record: ServiceRecord;
	/** An index of `ContactIndex.pages`; undefined for a contact that was just created. */
	page?: number;
	readAt: number;
}

const maxAgeMs = 10 * 60_000;
/** The greatest number of contacts in an index that is kept. */
const maxContacts = 250_000;
/** How many contacts at each end of the list are searched for new ones. */
const endSize = 100;
/** How long a contact that was read in a run counts as known, ms. After that, its page is read again. */
const maxUnreadMs = 60_000;
const maxAtOnce = 6;
/** How many contacts are searched on other pages. If more have moved, all contacts are listed again. */
const maxMoved = 10;

/** By address, key and Default Country. */
const indexes = new BoundedMap<string, ContactIndex>({ maxSize: 5, maxAgeMs });
/** When phone numbers were last changed by this process, by address and key. */
const movedAt = new BoundedMap<string, number>({ maxSize: 1_000, maxAgeMs: 3_600_000 });

/** Notes that a phone number may have moved from one contact to another, so that all contacts are listed again. */
export function notePhonesMoved({ config }: Client): void {
	movedAt.set(config.id, performance.now());
}

class ContactIndex {
	/** By phone number, in the order of the list. */
	readonly contacts = new Map<string, Contact[]>();
	pages: Query[] = [];
	/** The index of the last page of the whole list. Pages after it were read later. */
	lastPage = 0;
	/** The names of the fields of a contact, for errors. */
	fields = '';
	/** Whether several contacts have the same ID, so that an update may reach another one. */
	hasSharedIds = false;
	/** Whether the phone number of a contact cannot be read, e.g. because it is a local one. */
	hasUnreadable = false;
	listedAt = 0;
	/** How many contacts there are, and whether a total in the response agreed with this number. */
	count = 0;
	hasTotal = false;

	/** @param country the Default Country of local numbers in the list */
	constructor(readonly country: string) {}

	/** Replaces the index by a complete list. @throws ServiceError if the list is not complete */
	set(list: RecordList, wanted: Set<string>): void {
		const { records, pageQueries, total, shortfall } = list;
		if (shortfall) throw shortfall;
		this.fields = fieldNames(records[0]);
		this.contacts.clear();
		this.hasUnreadable = false;
		this.pages = uniq(pageQueries);
		this.lastPage = Math.max(0, this.pages.length - 1);
		const pageOf = new Map(this.pages.map((page, index) => [page, index]));
		this.listedAt = performance.now();
		records.forEach((record, index) => this.learn(record, wanted, pageOf.get(pageQueries[index])));
		this.hasTotal = total === records.length;
		const ids = new Map<string, string>();
		this.hasSharedIds = records.some((record) => {
			const [id, key] = [readId(record, 'contact'), this.keyOf(record)];
			const other = id === undefined ? key : (ids.get(id) ?? key);
			if (id !== undefined) ids.set(id, key);
			return other !== key;
		});
		if (records.length > 0 && this.contacts.size === 0)
			throw this.unreadable(
				'The node cannot read the phone numbers of the contacts in the service',
				"Use the operations 'Create' and 'Update' instead.",
			);
		this.count = records.length;
	}

	learnAll({ records, pageQueries }: RecordList, wanted: Set<string>): void {
		records.forEach((record, index) =>
			this.learn(record, wanted, this.numberOf(pageQueries[index])),
		);
	}

	/** The index of a page; a new page is added. */
	numberOf(query: Query): number {
		const known = this.pages.findIndex((page) => page === query || isEqual(page, query));
		return known >= 0 ? known : this.pages.push(query) - 1;
	}

	/** Adds a contact, or updates a known one. */
	learn(record: ServiceRecord, wanted: Set<string>, page?: number): void {
		const key = this.keyOf(record);
		if (key === '') return;
		this.hasUnreadable ||= !isPhoneKey(key);
		const id = readId(record, 'contact') ?? '';
		const contact = { id, record: wanted.has(key) ? record : {}, page, readAt: performance.now() };
		const others = this.contacts.get(key) ?? [];
		const known = others.find((other) => other.id === id || other.id === undefined);
		if (known) Object.assign(known, contact, { page: page ?? known.page });
		else this.count++;
		this.contacts.set(key, known ? others : [...others, contact]);
	}

	/** A number with an extension is another phone. A local number is read with the Default Country. */
	keyOf({ phone }: ServiceRecord): string {
		const text = textOrJson(phone);
		const key = samePhoneKey(text);
		if (/^\+\d+$/.test(text)) return key;
		const { e164, extension } = readPhone(text, isPhoneKey(key) ? '' : this.country);
		if (e164 === undefined) return key;
		return extension === undefined ? samePhoneKey(e164) : `${e164} x${extension}`;
	}

	unreadable(message: string, advice: string): InputError {
		const shown = `The contacts of the service have these fields: ${this.fields}.`;
		return new InputError(message, `${shown} ${advice}`);
	}
}

/** The contacts that one run creates or updates. */
export class Contacts {
	private readonly startedAt = performance.now();

	private constructor(
		private readonly client: Client,
		private readonly index: ContactIndex,
		/** The phone numbers of the run. */
		private readonly wanted: Set<string>,
	) {}

	/** Uses the kept index if it can be brought up to date, else a new one. */
	static async open(client: Client, phones: string[], country = ''): Promise<Contacts> {
		const { id } = client.config;
		return await withLock(`contacts ${id}`, async () => {
			const known = indexes.get(indexKey(client, country));
			const contacts = new Contacts(
				client,
				known ?? new ContactIndex(country),
				new Set(phones.map(samePhoneKey)),
			);
			const isKnown = known !== undefined && (await contacts.refresh([...contacts.wanted]));
			if (!isKnown) await contacts.list();
			return contacts;
		});
	}

	/**
	 * The contacts with a phone number, in the order of the list. Each was read in this run, at most a minute ago.
	 *
	 * @throws InputError if the service does not show the ID of one of them, or shows one ID for several contacts
	 */
	async find(phone: string): Promise<Array<Contact & { id: string }>> {
		const key = samePhoneKey(phone);
		while (!this.isFresh(key)) {
			const page = this.of(key)[0]?.page ?? '';
			const lock = `contacts ${this.client.config.id} ${page}`;
			const isFound = await withLock(lock, async () => await this.refresh([key]));
			if (!isFound) await this.listAgain(phone);
		}
		return this.of(key).map((contact) => {
			const { id } = contact;
			if (this.index.hasSharedIds)
				throw this.index.unreadable(
					'The contact exists, but several contacts of the service have the same ID',
					'Change the contact on the website of the service.',
				);
			if (id) return { ...contact, id };
			throw this.index.unreadable(
				'The contact exists, but the node could not find its ID',
				"Use the operation 'Update' with the ID from the service.",
			);
		});
	}

	add(phone: string, fields: ServiceRecord, response: unknown): void {
		const record = readRecord(response, 'contact');
		const contact = { id: readId(record, 'contact'), record: { ...fields, ...record } };
		this.index.contacts.set(samePhoneKey(phone), [{ ...contact, readAt: performance.now() }]);
		this.index.count++;
		if (this.index.hasUnreadable)
			this.client.hints.add(
				"Some contacts of the service have phone numbers that the node cannot read, e.g. without country code. A contact that seems new may be one of them. For local numbers, set 'Default Country' under 'Options'.",
			);
	}

	/**
	 * Lists all contacts again, unless this was done after the call of this method. If another run did it, the page of the
	 * contact is read again, because that run keeps only the fields of its own contacts. @throws ServiceError
	 */
	async listAgain(phone: string): Promise<void> {
		const askedAt = performance.now();
		const key = samePhoneKey(phone);
		await withLock(`contacts ${this.client.config.id}`, async () => {
			const isListed = this.index.listedAt >= askedAt;
			if (isListed && (this.isFresh(key) || (await this.refresh([key])))) return;
			await this.list();
		});
	}

	private async list(): Promise<void> {
		const { index, client } = this;
		index.set(await readRecords(client, endpoints.listContacts), this.wanted);
		const key = indexKey(client, index.country);
		if (index.count <= maxContacts) indexes.set(key, index);
		else indexes.delete(key);
	}

	private of(key: string): Contact[] {
		return this.index.contacts.get(key) ?? [];
	}

	/** Whether all contacts with a phone number were read recently: in this run, and after numbers were last moved. */
	private isFresh(key: string): boolean {
		const { movedAt: moved, startedAt, index } = this;
		const oldest = Math.max(startedAt, performance.now() - maxUnreadMs, moved);
		// Another run that reads the page empties the records of the phones that only this run needs.
		const isRead = ({ id, readAt, record }: Contact) =>
			id !== undefined && readAt >= oldest && !isEmpty(record);
		return index.listedAt >= moved && this.of(key).every(isRead);
	}

	private get movedAt(): number {
		return movedAt.get(this.client.config.id) ?? 0;
	}

	/** Reads contacts again on the pages where they were seen; false if that is not enough, e.g. if a number has moved. */
	private async refresh(keys: string[]): Promise<boolean> {
		const { index } = this;
		if (index.listedAt < this.movedAt) return false;
		const hasPlace = (key: string) => this.of(key).some(({ page }) => page !== undefined);
		if (!keys.every(hasPlace) && !(await this.readEnds(keys))) return false;
		const old = keys.filter((key) => !this.isFresh(key)).flatMap((key) => this.of(key));
		const pages = uniq(old.map(({ page = index.lastPage }) => page));
		if (pages.length * 2 > index.pages.length + 2) return false; // then listing all contacts is no more expensive
		const seen = new Set<string>();
		for (const batch of chunk(pages, maxAtOnce))
			await Promise.all(batch.map(async (page) => await this.readPage(page, seen)));
		// Contacts that were created or deleted meanwhile have moved others to a neighboring page.
		const moved = old.filter(({ id = '' }) => !seen.has(id)).slice(0, maxMoved);
		for (const { id = '', page = index.lastPage } of moved) {
			for (const near of [page + 1, page - 1, 0])
				if (!seen.has(id)) await this.readPage(near, seen);
		}
		return keys.every((key) => this.isFresh(key));
	}

	/** Reads one page again. @param seen gets the IDs on it */
	private async readPage(page: number, seen: Set<string>): Promise<void> {
		const { index, client } = this;
		const query = index.pages[page] as Query | undefined;
		if (!query) return;
		const body = await client.call(endpoints.listContacts, { query }).catch(asEmpty);
		for (const record of readList(body, 'contact') ?? []) {
			seen.add(readId(record, 'contact') ?? '');
			index.learn(record, this.wanted, page);
		}
	}

	/** Reads both ends of the list, where new contacts are; false if others are missing, as far as a total shows it. */
	private async readEnds(keys: string[]): Promise<boolean> {
		const { index, client, wanted } = this;
		const front = await readRecords(client, endpoints.listContacts, { limit: endSize });
		if (front.isComplete) {
			index.set(front, wanted);
			return true;
		}
		index.learnAll(front, wanted);
		if (front.shortfall) return false;
		if (!index.hasTotal) return true;
		const { total = 0 } = front;
		const last = Math.ceil(total / front.records.length);
		// One of these is the last page, depending on whether pages count from 0 or 1.
		for (const page of [last, last - 1]) {
			if (total === index.count && keys.every((key) => this.isFresh(key))) return true;
			await this.readPage(index.numberOf({ page, limit: endSize }), new Set());
		}
		return total === index.count;
	}
}

function indexKey({ config }: Client, country: string): string {
	return `${config.id} ${country}`;
}

/** An empty result for a page that the service no longer shows. @throws any other error */
function asEmpty(error: unknown): undefined {
	const { statusCode = 0 } = error instanceof ServiceError ? error : {};
	if (statusCode < 400 || statusCode >= 500 || [401, 403].includes(statusCode)) throw error;
}
