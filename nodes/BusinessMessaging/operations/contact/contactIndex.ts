/** The contacts of a service by phone number, kept for ten minutes. docs/adr/0009-contact-index.md */
import { endpoints } from '../../api/endpoints';
import { type ServiceRecord, asText, fieldNames, readId, readRecord } from '../../api/read';
import { BoundedMap } from '../../boundedMap';
import { withLock } from '../../mutex';
import { samePhoneKey } from '../../phone/compare';
import type { Client } from '../../transport/client';
import { InputError } from '../../transport/errors';
import { readRecords } from '../../transport/lists';

const maxAgeMs = 10 * 60_000;
/** A larger index is not kept. */
const maxContacts = 250_000;
/** How many contacts at each end of the list are searched for new ones. */
const pageSize = 100;

/** By address and key. */
const kept = new BoundedMap<string, ContactIndex>({ maxSize: 5, maxAgeMs });

/** The contacts of one service. */
export class ContactIndex {
	/** IDs by phone number: empty if the list shows no ID, undefined if the response to the creation showed none. */
	private readonly ids = new Map<string, string | undefined>();
	private count = 0;
	private fields = '';

	/**
	 * The cached index if it has these phone numbers or can be updated; else a new one.
	 *
	 * @throws ServiceError if the list is incomplete
	 */
	static async open(client: Client, phones: string[]): Promise<ContactIndex> {
		const { id } = client.config;
		return await withLock(`contacts ${id}`, async () => {
			const known = kept.get(id);
			const knowsAll = known && phones.every((phone) => known.ids.has(samePhoneKey(phone)));
			if (known && (knowsAll || (await known.update(client)))) return known;
			const index = new ContactIndex();
			await index.list(client);
			if (index.count <= maxContacts) kept.set(id, index);
			return index;
		});
	}

	/**
	 * The ID of the contact with a phone number, undefined without a contact.
	 *
	 * @throws InputError if the service does not show its ID
	 */
	async find(client: Client, phone: string): Promise<string | undefined> {
		const key = samePhoneKey(phone);
		if (!this.ids.has(key)) return undefined;
		if (this.ids.get(key) === undefined) await this.list(client);
		const id = this.ids.get(key);
		if (id) return id;
		throw this.unreadable(
			'The contact exists, but the node could not find its ID',
			"Use the operation 'Update' with the ID from the service.",
		);
	}

	/** Adds a contact that was created. */
	add(phone: string, response: unknown): void {
		this.ids.set(samePhoneKey(phone), readId(readRecord(response, 'contact'), 'contact'));
		this.count++;
	}

	/** Lists all contacts again. @throws ServiceError */
	async list(client: Client): Promise<void> {
		const { records, gap } = await readRecords(client, endpoints.listContacts);
		if (gap) throw gap;
		this.fields = fieldNames(records[0]);
		this.ids.clear();
		this.learn(records);
		this.count = records.length;
		if (this.count > 0 && this.ids.size === 0)
			throw this.unreadable(
				'The contacts of the service show no phone number to compare with',
				"Use the operations 'Create' and 'Update' instead.",
			);
	}

	private unreadable(message: string, advice: string): InputError {
		const shown = `The contacts of the service have these fields: ${this.fields}.`;
		return new InputError(message, `${shown} ${advice}`);
	}

	/** Adds new contacts at both ends of the list. @returns whether the index then has as many as the list */
	private async update(client: Client): Promise<boolean> {
		const front = await readRecords(client, endpoints.listContacts, { limit: pageSize });
		const size = front.records.length;
		this.learn(front.records);
		if (front.gap) return false;
		if (front.total === undefined || front.total <= size) return true;
		const last = Math.ceil(front.total / size);
		// One of these is the last page, depending on whether pages count from 0 or 1.
		for (const page of [last - 1, last]) {
			if (front.total === this.count) return true;
			const query = { page, limit: pageSize };
			this.learn((await readRecords(client, endpoints.listContacts, { query })).records);
		}
		return front.total === this.count;
	}

	private learn(contacts: ServiceRecord[]): void {
		for (const contact of contacts) {
			const key = samePhoneKey(asText(contact.phone));
			if (key === '' || this.ids.has(key)) continue;
			this.ids.set(key, readId(contact, 'contact') ?? '');
			this.count++;
		}
	}
}
