import { endpoints } from '../../api/endpoints';
import { contactNameField, phoneField } from '../fields';
import { operation } from '../operation';
import { defaultCountryField, readPhoneValue } from '../phoneFields';

/** Creates a contact. Source: specification, POST /v1/contacts; the body is an assumption. */
export const createContact = operation({
	resource: 'contact',
	name: 'Create',
	value: 'create',
	action: 'Create contact',
	description: 'Create a contact',
	endpoint: endpoints.createContact,
	fields: [phoneField, contactNameField],
	options: [defaultCountryField],
	request: ({ phone: written, name, options }, settings) => {
		const { phone, hints } = readPhoneValue(written, phoneField, options, settings);
		return { body: { phone, name: name.trim() || undefined }, hints };
	},
});
