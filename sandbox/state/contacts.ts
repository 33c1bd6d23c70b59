/** Contacts and their segments. */
import { pull } from 'lodash';

import { conflict } from '../errorResponses';
import { newId } from '../ids';
import { Records } from './records';

/** A contact as the service shows it. Fields that a caller adds are stored as they are. */
export type Contact = {
	id: string;
	/** E.164; no two contacts have the same one (assumption). */
	phone: string;
	name: string | null;
	segments: string[];
	createdAt: string;
	updatedAt: string;
};

/** Fields that a caller may set. */
export type ContactFields = { phone?: string; name?: string; segments?: string[] };

/** All contacts, with an index by phone number. */
export class Contacts extends Records<Contact> {
	protected readonly kind = 'contact';

	private readonly byPhone = new Map<string, Contact>();

	/** @throws HttpError 409 if another contact has the phone number */
	create(fields: ContactFields & { phone: string }): Contact {
		this.refuseTaken(fields.phone);
		const now = new Date().toISOString();
		const own = { id: newId('con'), createdAt: now, updatedAt: now };
		const contact: Contact = { name: null, ...fields, segments: fields.segments ?? [], ...own };
		this.all.push(contact);
		this.byPhone.set(contact.phone, contact);
		return contact;
	}

	/** Sets fields; empties all others if `replaces`. @throws HttpError 404; 409 if another contact has the number */
	update(id: string, fields: ContactFields, replaces = false): Contact {
		const contact = this.find(id);
		if (fields.phone !== undefined && fields.phone !== contact.phone)
			this.refuseTaken(fields.phone);
		this.byPhone.delete(contact.phone);
		const { createdAt } = contact;
		if (replaces) {
			for (const name of Object.keys(contact)) Reflect.deleteProperty(contact, name);
			Object.assign(contact, { phone: '', name: null, segments: [] });
		}
		Object.assign(contact, fields, { id, createdAt, updatedAt: new Date().toISOString() });
		this.byPhone.set(contact.phone, contact);
		return contact;
	}

	override delete(id: string): Contact {
		const contact = super.delete(id);
		this.byPhone.delete(contact.phone);
		return contact;
	}

	/** Moves a contact to the front of the list, like a service that lists the newest first. */
	moveToFront(contact: Contact): void {
		pull(this.all, contact);
		this.all.unshift(contact);
	}

	findByPhone(phone: string): Contact | undefined {
		return this.byPhone.get(phone);
	}

	/** The contacts of a segment; of all segments if none is given. */
	inSegment(segment: string | undefined): readonly Contact[] {
		if (segment === undefined) return this.all;
		return this.all.filter(({ segments }) => segments.includes(segment));
	}

	private refuseTaken(phone: string): void {
		if (this.byPhone.has(phone))
			throw conflict('phone', `There is already a contact with the phone number ${phone}`);
	}
}
