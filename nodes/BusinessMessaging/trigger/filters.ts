/** Filters decide which events start an execution. A filter applies only to the kinds of event that have its field. */

import { eventKinds } from '../api/events';
import { foldText, trimPunctuation } from '../foldText';
import { quoted, splitList, textOrJson } from '../jsonValues';
import { choiceField, collectionField, textField } from '../operations/fields';
import { samePhoneKey } from '../phone/compare';
import { InputError } from '../transport/errors';
import type { SimpleEvent } from '../webhooks/simpleEvent';

/** The field for the filters. */
export const filtersField = collectionField({
	displayName: 'Filters',
	name: 'filters',
	placeholder: 'Add Filter',
	description:
		'Only events that pass all filters start the workflow. Filters for messages do not affect receipts, and Status does not affect messages.',
	fields: [
		textField({
			displayName: 'Exclude Senders',
			name: 'excludedSenders',
			placeholder: 'e.g. +49 170 1234567, +1555*',
			description:
				'Ignore messages from these phone numbers, separated by commas. A * at the end matches any further digits.',
		}),
		textField({
			displayName: 'First Word',
			name: 'firstWords',
			placeholder: 'e.g. stop, help, order',
			description:
				'Only messages that begin with one of these words, separated by commas. Upper and lower case, accents, punctuation and a leading slash are ignored.',
		}),
		choiceField({
			displayName: 'Intent',
			name: 'intent',
			options: [
				{ name: 'Any', value: 'any' },
				{ name: 'No Opt-In or Opt-Out', value: 'none', description: 'All other messages' },
				{ name: 'Opt-In', value: 'optIn', description: 'A word such as START, and nothing else' },
				{ name: 'Opt-Out', value: 'optOut', description: 'A word such as STOP, and nothing else' },
			],
			default: 'none',
			description:
				'Starts the workflow only if the message has this intent, in any of 36 languages. With Simplify, the field <code>intent</code> of the item shows the intent.',
		}),
		textField({
			displayName: 'Only Run If',
			name: 'onlyRunIf',
			placeholder: 'e.g. {{ $json.body.data.text.length > 20 }}',
			description:
				'Start only if this expression is true. Deliveries with several events always pass. Can use <code>body</code> and <code>headers</code>. Requires n8n 2.30 or newer.',
		}),
		textField({
			displayName: 'Senders',
			name: 'senders',
			placeholder: 'e.g. +49 170 1234567, +1555*',
			description:
				'Only messages from these phone numbers, separated by commas. A * at the end matches any further digits.',
		}),
		textField({
			displayName: 'Status',
			name: 'statuses',
			placeholder: 'e.g. read, failed',
			description: 'Only delivery receipts with one of these statuses, separated by commas',
		}),
		textField({
			displayName: 'Text Contains',
			name: 'textContains',
			placeholder: 'e.g. invoice, bill',
			description:
				'Only messages that contain at least one of these texts, separated by commas. Case and accents do not matter.',
		}),
	],
});

/** The values of the filters as the user wrote them, by the name of the field; an expression may give a list. */
export type Filters = Record<string, unknown>;

/** @throws InputError for a local phone number: senders are compared with their country codes */
export function checkSenders(senders: unknown): void {
	const local = entries(senders).find((entry) => /^\(?0(?!0)[\d\s().\-/]+\*?$/.test(entry));
	if (local)
		throw new InputError(
			`"${quoted(local)}" in 'Filters' has no country code`,
			'Write it with + and the country code, e.g. +49 170 1234567.',
		);
}

/** Whether an event starts an execution. */
export function passesFilters(filters: Filters, event: SimpleEvent): boolean {
	// A customer's message always counts as having a sender and a text, even if the service sends none. A receipt's
	// sender and text are ours, so filters on them do not apply.
	const isIncoming = event.event === 'message.received';
	const isOurs = !isIncoming && eventKinds.some(({ value }) => value === event.event);
	const lacks = (field: unknown) => isOurs || (field === undefined && !isIncoming);
	return (
		runs(filters) &&
		(lacks(event.from) || passesSenders(filters, event)) &&
		(lacks(event.text) || passesTexts(filters, event)) &&
		(!isReceipt(event) || passesReceipts(filters, event))
	);
}

/** Whether an event is about a message that we sent. A service may use any names for its kinds of event. */
export function isReceipt({ event, messageId }: SimpleEvent): boolean {
	return event !== 'message.received' && (event.startsWith('message.') || messageId !== undefined);
}

/** Whether the expression lets the event pass, as in n8n's Webhook node: any value that counts as true does. */
function runs(filters: Filters): boolean {
	if (!('onlyRunIf' in filters)) return true;
	const { onlyRunIf: value } = filters;
	// A space or line break after the expression makes its value a text.
	return typeof value === 'string' ? !['', 'false'].includes(value.trim()) : Boolean(value);
}

function passesSenders({ senders, excludedSenders }: Filters, event: SimpleEvent): boolean {
	const written = textOrJson(event.from);
	const from = phoneKey(written);
	const id = phoneKey(event.senderId ?? '');
	const forms = [from, plainPhone(written), withNinthDigit(from), id];
	const startsWith = (start: string) => forms.some((number) => number.startsWith(start));
	const isSender = (entry: string) =>
		entry.endsWith('*')
			? startsWith(plainPhone(entry.slice(0, -1)))
			: [from, id].includes(phoneKey(entry));
	return isAny(senders, isSender) && !entries(excludedSenders).some(isSender);
}

function passesTexts(filters: Filters, event: SimpleEvent): boolean {
	const text = folded(textOrJson(event.text));
	return (
		isAny(filters.textContains, (part) => text.includes(folded(part))) &&
		isAny(filters.firstWords, (word) => firstWord(word) === firstWord(text)) &&
		['', 'any', event.intent ?? 'none'].includes(textOrJson(filters.intent))
	);
}

function passesReceipts({ statuses }: Filters, event: SimpleEvent): boolean {
	// The service may write UNDELIVERED in an event that is a message.failed.
	const states = [event.status, event.event.split('.').at(-1)].map((one) =>
		folded(textOrJson(one)),
	);
	return isAny(statuses, (one) => states.includes(folded(one)));
}

/** Whether one of the entries matches; an empty list matches every event. */
function isAny(value: unknown, fits: (entry: string) => boolean): boolean {
	const written = entries(value);
	return written.length === 0 || written.some(fits);
}

function entries(value: unknown): string[] {
	return [value].flat().flatMap((one) => splitList(textOrJson(one)));
}

function folded(text: string): string {
	return foldText(text).trim();
}

function firstWord(text: string): string {
	const [word] = folded(text).split(/\s/);
	return trimPunctuation(word.replace(/^\//, '')) || word;
}

/** A key that all spellings of a phone number share; other senders stay as they are. */
function phoneKey(phone: string): string {
	return plainPhone(samePhoneKey(phone));
}

/** Adds the ninth digit of Brazilian mobile numbers: many services leave it out, but all people write it. */
function withNinthDigit(digits: string): string {
	return digits.replace(/^(55\d\d)([6-9]\d{7})$/, '$19$2');
}

/** The digits of a phone number without `+` or `00`. */
function plainPhone(phone: string): string {
	const isPhone = /^[+\d\s().\-/]+$/.test(phone);
	return isPhone ? phone.replace(/\D/g, '').replace(/^00/, '') : folded(phone);
}
