/** Fields that several operations share. */
import { maxTimeoutSeconds } from '../transport/deadline';
import {
	type Field,
	booleanField,
	choiceField,
	collectionField,
	jsonField,
	numberField,
	textField,
} from './fieldBuilders';

const phoneFormat =
	"with + or 00 and country code, written in any usual way. Numbers without country code need a 'Default Country'.";

/** Who gets a message. Source: specification, field `to`. */
export const recipientField = textField({
	displayName: 'Recipient Phone Number',
	name: 'to',
	required: true,
	placeholder: 'e.g. +49 170 1234567',
	description: `Phone number of the recipient ${phoneFormat}`,
});

/** Phone number of a contact. Source: specification, "Resources and their fields". */
export const phoneField = textField({
	displayName: 'Phone',
	name: 'phone',
	required: true,
	placeholder: 'e.g. +49 170 1234567',
	description: `Phone number of the contact ${phoneFormat}`,
});

/** Name of a contact. Source: specification, "Resources and their fields". */
export const contactNameField = textField({
	displayName: 'Name',
	name: 'name',
	placeholder: 'e.g. Anna Schmidt',
	description: 'Name of the contact',
});

/** What a template consists of. Category: `utility` is specified, the other values and the components are assumptions. */
export const templateContentFields = [
	textField({
		displayName: 'Name',
		name: 'name',
		required: true,
		placeholder: 'e.g. order_update',
		description: 'Name of the template',
	}),
	textField({
		displayName: 'Language',
		name: 'language',
		required: true,
		placeholder: 'e.g. en_US',
		description: 'Locale code of the template, e.g. en_US or de_DE',
	}),
	choiceField({
		displayName: 'Category',
		name: 'category',
		options: [
			{ name: 'Authentication', value: 'AUTHENTICATION', description: 'One-time passwords' },
			{ name: 'Marketing', value: 'MARKETING', description: 'Offers, news, invitations' },
			{ name: 'Utility', value: 'UTILITY', description: 'Orders, appointments, invoices' },
		],
		default: 'UTILITY',
		description: 'What the template is for',
	}),
	jsonField({
		displayName: 'Components (JSON)',
		name: 'componentsJson',
		placeholder: 'e.g. [{ "type": "BODY", "text": "Hello {{1}}" }]',
		description: 'The parts of the template as the service documents them',
	}),
] as const;

/** Whether a list gives all records. */
export const returnAllField = booleanField({
	displayName: 'Return All',
	name: 'returnAll',
	description: 'Whether to return all results or only up to a given limit',
});

/** Greatest number of records of a list. */
export const limitField = numberField({
	displayName: 'Limit',
	name: 'limit',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 50,
	displayOptions: { show: { returnAll: [false] } },
	description: 'Max number of results to return',
});

/** Whether the records of a list are shortened. */
export const simplifyField = booleanField({
	displayName: 'Simplify',
	name: 'simplify',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

export const defaultTimeoutSeconds = 30;

const concurrencyField = numberField({
	displayName: 'Simultaneous Requests',
	name: 'concurrency',
	typeOptions: { minValue: 1, maxValue: 400, numberPrecision: 0 },
	default: 24,
	description:
		'How many messages may be sent at the same time. Without this option, as many as the rate of the credential needs. Messages to the same person are always sent one after the other.',
});

const timeoutField = numberField({
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	typeOptions: { minValue: 1, maxValue: maxTimeoutSeconds },
	default: defaultTimeoutSeconds,
	description: 'How many seconds the service may take to respond to a request',
});

/** The collection Options at the end of every operation, with the options that are its own. */
export function optionsField(own: readonly Field[], sendsMessages: boolean): Field {
	const fields = [...own, ...(sendsMessages ? [concurrencyField] : []), timeoutField];
	const displayName = 'Options';
	return collectionField({ displayName, name: 'options', placeholder: 'Add Option', fields });
}
