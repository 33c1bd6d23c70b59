import { endpoints } from '../../api/endpoints';
import { textField } from '../fieldBuilders';
import { recipientField } from '../fields';
import { operation, sentMessage } from '../operation';
import { defaultCountryOption, readPhoneValue, recipientOf } from '../phone';
import { campaignFields, campaignOptions, readCampaign } from './campaign';

/** Sends a free-text message. Source: specification, POST /v1/messages/send. */
export const sendText = operation({
	resource: 'message',
	name: 'Send Text',
	value: 'sendText',
	action: 'Send text message',
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
		...campaignFields,
	],
	options: [...campaignOptions, defaultCountryOption],
	request: (values, settings) => {
		const { phone, hints } = readPhoneValue(values.to, recipientField, values.options, settings);
		return { body: { to: phone, text: values.text }, hints, campaign: readCampaign(values) };
	},
	recipientOf,
	output: sentMessage,
});
