import { endpoints } from '../../api/endpoints';
import { textField } from '../fieldBuilders';
import { recipientField, sendOnceField } from '../fields';
import { operation, sentMessage } from '../operation';
import { defaultCountryOption, readPhoneValue } from '../phone';
import { recipientOf } from './recipient';
import { readSendOnce } from './sendOnce';

/** Sends a free-text message. Source: specification, POST /v1/messages/send. */
export const sendText = operation({
	resource: 'message',
	name: 'Send Text',
	value: 'sendText',
	action: 'Send a text message',
	description: 'Send a free-text message to a phone number',
	endpoint: endpoints.sendText,
	fields: [
		recipientField,
		textField({
			displayName: 'Text',
			name: 'text',
			required: true,
			typeOptions: { rows: 4 },
			placeholder: 'e.g. Thank you for your order!',
			description: 'Text of the message',
			hint: 'To somebody who has not written to you lately, most services deliver templates only',
		}),
		sendOnceField,
	],
	options: [defaultCountryOption],
	request: ({ to, text, sendOnce, options }, settings) => {
		const { phone, hints } = readPhoneValue(to, recipientField, options, settings);
		return { body: { to: phone, text }, hints, sendOnce: readSendOnce(sendOnce) };
	},
	recipientOf,
	output: sentMessage,
});
