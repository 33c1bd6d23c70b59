import { endpoints } from '../../api/endpoints';
import { collectionField, contactNameField, phoneField, recordField } from '../fields';
import { readRecord } from '../../reading/readResponse';
import { operation, record } from '../operation';
import { defaultCountryField, readPhoneValue } from '../phoneFields';
import { notePhonesMoved } from '../contactIndex';

/** Updates a contact. Source: specification, PATCH or PUT /v1/contacts/:id; the body is an assumption. */
export const updateContact = operation({
	resource: 'contact',
	name: 'Update',
	value: 'update',
	action: 'Update contact',
	description: 'Change fields of a contact',
	endpoint: endpoints.updateContact,
	fields: [
		recordField({
			displayName: 'Contact',
			name: 'contactId',
			required: true,
			description: 'The contact to change',
			searchListMethod: 'searchContacts',
			idPlaceholder: 'e.g. contact_123',
		}),
		collectionField({
			displayName: 'Update Fields',
			name: 'updateFields',
			placeholder: 'Add Field',
			fields: [contactNameField, phoneField],
		}),
	],
	options: [defaultCountryField],
	request: ({ contactId, updateFields: { name, phone: written }, options }, settings) => {
		const { phone, hints } =
			written === undefined ? {} : readPhoneValue(written, phoneField, options, settings);
		return { id: contactId, body: { name, phone }, hints };
	},
	run: async (client, request) => {
		const movesPhone = Object.entries(request.body ?? {}).some(
			([field, value]) => value !== undefined && /phone|mobile|number/i.test(field),
		);
		const update = client.call(endpoints.updateContact, request);
		// Also after a failure, because the update may have taken effect.
		const response = await update.finally(() => movesPhone && notePhonesMoved(client));
		const contact = readRecord(response, 'contact');
		const isPut = client.methodOf(endpoints.updateContact) === 'PUT';
		// With PATCH, a contact without a name probably never had one.
		const lost = [
			...('phone' in contact && !contact.phone ? ['phone number'] : []),
			...(isPut && 'name' in contact && !contact.name ? ['name'] : []),
		];
		if (lost.length > 0)
			client.hints.add(
				`The contact "${request.id}" has no ${lost.join(' and no ')} now. If it had one, the service replaces the whole contact with the fields that you send: send all its fields, e.g. under 'Additional Fields'.`,
			);
		return record(response, 'contact');
	},
});
