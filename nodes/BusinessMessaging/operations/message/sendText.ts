import { endpoints } from '../../api/endpoints';
import { includeOtherField, recipientField, textField } from '../fields';
import { operation } from '../operation';
import { defaultCountryField, readPhoneValue, recipientOf } from '../phoneFields';
import { audienceField, readAudience } from '../sending/audienceRules';
import { campaignFields, campaignOptions, readCampaign } from '../sending/campaign';
import {
	fallbackFields,
	lookUpFallbacks,
	readFallback,
	reviewFallback,
	sendTextOrFallback,
} from '../sending/fallback';
import { applyMode, modeFields } from '../sending/mode';

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
			hint: 'If somebody has not written to you lately, most services deliver only templates',
		}),
		...fallbackFields,
		...modeFields,
		...campaignFields,
		audienceField,
	],
	options: [...campaignOptions, defaultCountryField, includeOtherField],
	request: (values, settings) => {
		const { phone, hints } = readPhoneValue(values.to, recipientField, values.options, settings);
		const audience = readAudience(values, settings);
		const campaign = readCampaign(values);
		const fallback = readFallback(values, settings);
		const rules = { campaign, audience, fallback };
		const body = { to: phone, text: values.text };
		return applyMode({ body, rules, hints }, values, settings);
	},
	prepare: lookUpFallbacks,
	review: reviewFallback,
	recipientOf,
	run: sendTextOrFallback,
});
