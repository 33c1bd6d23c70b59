import type { IDataObject } from 'n8n-workflow';

import { endpoints } from '../../api/endpoints';
import { type ServiceRecord, readId } from '../../api/read';
import { samePhoneKey } from '../../phone/compare';
import type { Client } from '../../transport/client';
import { ServiceError } from '../../transport/errors';
import { listRecords } from '../../transport/lists';
import { asText } from '../asText';
import { contactNameField, phoneField } from '../fields';
import { operation, record } from '../operation';
import { defaultCountryOption } from '../phone';
import { createContact } from './create';

type ContactsByPhone = Map<string, ServiceRecord>;

/** Creates a contact, or updates the one with the same phone number. One listing serves all items. */
export const upsertContact = operation({
	resource: 'contact',
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update a contact',
	description: 'Create a new contact, or update the current one if it already exists (upsert)',
	endpoint: endpoints.createContact,
	fields: [phoneField, contactNameField],
	options: [defaultCountryOption],
	request: createContact.request,
	prepare: loadContacts,
	run: async (client, { body = {}, idempotencyKey }, contacts): Promise<IDataObject[]> => {
		const phone = asText(body.phone);
		const known = contacts.get(samePhoneKey(phone));
		const answer = known
			? await client.call(endpoints.updateContact, { id: idOf(known), body })
			: await client.call(endpoints.createContact, { body, idempotencyKey });
		const [contact] = record(answer);
		contacts.set(samePhoneKey(phone), { ...known, ...contact });
		return [contact];
	},
});

async function loadContacts(client: Client): Promise<ContactsByPhone> {
	const contacts: ContactsByPhone = new Map();
	for (const contact of await listRecords(client, endpoints.listContacts)) {
		const key = samePhoneKey(asText(contact.phone));
		if (key && !contacts.has(key)) contacts.set(key, contact);
	}
	return contacts;
}

function idOf(contact: ServiceRecord): string {
	const id = readId(contact, 'contact');
	if (id !== undefined) return id;
	throw new ServiceError('The contact exists, but the service does not show its ID', {
		kind: 'configuration',
		description: 'Use the operation Update with the ID from the service.',
	});
}
