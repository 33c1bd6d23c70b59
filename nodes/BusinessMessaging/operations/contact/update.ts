import { endpoints } from '../../api/endpoints';
import { collectionField, optional } from '../fieldBuilders';
import { contactField, contactNameField, phoneField } from '../fields';
import { operation } from '../operation';
import { phoneNumber } from '../phone';

/** Updates a contact. Source: specification, PATCH or PUT /v1/contacts/:id; the body is an assumption. */
export const updateContact = operation({
	resource: 'contact',
	name: 'Update',
	value: 'update',
	action: 'Update a contact',
	description: 'Change fields of a contact',
	endpoint: endpoints.updateContact,
	fields: [
		contactField,
		collectionField({
			displayName: 'Update Fields',
			name: 'updateFields',
			placeholder: 'Add Field',
			fields: [contactNameField, optional(phoneField)],
		}),
	],
	request: ({ contactId, updateFields: { name, phone } }) => ({
		id: contactId,
		body: { name, phone: phone === undefined ? undefined : phoneNumber(phone) },
	}),
});
