import { endpoints } from '../../api/endpoints';
import { collectionField, contactNameField, phoneField, recordField } from '../fields';
import { operation } from '../operation';
import { defaultCountryField, readPhoneValue } from '../phone';

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
});
