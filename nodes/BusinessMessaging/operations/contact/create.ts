import { endpoints } from '../../api/endpoints';
import { contactNameField, phoneField } from '../fields';
import { operation } from '../operation';
import { phoneNumber } from '../phone';

/** Creates a contact. Source: specification, POST /v1/contacts; the body is an assumption. */
export const createContact = operation({
	resource: 'contact',
	name: 'Create',
	value: 'create',
	action: 'Create a contact',
	description: 'Create a contact',
	endpoint: endpoints.createContact,
	fields: [phoneField, contactNameField],
	request: ({ phone, name }) => ({ body: { phone: phoneNumber(phone), name: name || undefined } }),
});
