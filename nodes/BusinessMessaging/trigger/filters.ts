/** Which events of the chosen kinds start an execution. A filter holds for the kinds of event that have its field. */
import { trimEnd } from 'lodash';

import { collectionField, textField } from '../operations/fieldBuilders';
import { compilePattern } from './linearPattern';
import type { SimpleEvent } from '../webhooks/simpleEvent';

/** The field for the filters. */
export const filtersField = collectionField({
	displayName: 'Filters',
	name: 'filters',
	placeholder: 'Add Filter',
	description: 'Events that do not pass start no execution',
	fields: [
		textField({
			displayName: 'Exclude Senders',
			name: 'excludedSenders',
			placeholder: 'e.g. +49 170 1234567, +1555*',
			description:
				'Phone numbers whose messages are not wanted, separated by commas. A * at the end stands for any further digits.',
		}),
		textField({
			displayName: 'First Word',
			name: 'commands',
			placeholder: 'e.g. stop, help, order',
			description:
				'Only messages that begin with one of these words, separated by commas. Upper and lower case are the same, a slash before and a punctuation mark after the word do not matter.',
		}),
		textField({
			displayName: 'Message IDs',
			name: 'messageIds',
			placeholder: 'e.g. {{ $json.messageId }}',
			description: 'Only delivery receipts of these messages, separated by commas',
		}),
		textField({
			displayName: 'Senders',
			name: 'senders',
			placeholder: 'e.g. +49 170 1234567, +1555*',
			description:
				'Only messages of these phone numbers, separated by commas. A * at the end stands for any further digits.',
		}),
		textField({
			displayName: 'Status',
			name: 'statuses',
			placeholder: 'e.g. read, failed',
			description: 'Only delivery receipts with one of these states, separated by commas',
		}),
		textField({
			displayName: 'Text Contains',
			name: 'textContains',
			placeholder: 'e.g. invoice, bill',
			description:
				'Only messages that contain at least one of these texts, separated by commas. Upper and lower case are the same.',
		}),
		textField({
			displayName: 'Text Equals',
			name: 'textEquals',
			placeholder: 'e.g. Yes',
			description:
				'Only messages with exactly this text. Upper and lower case and spaces around it do not matter.',
		}),
		textField({
			displayName: 'Text Matches',
			name: 'textMatches',
			placeholder: 'e.g. order #?\\d{4,}',
			description:
				'Only messages in which this regular expression is found. Upper and lower case are the same. References back and looking ahead or behind are not supported, so that no message can keep n8n busy.',
		}),
	],
});

/** What the filters say, as written by the user. */
export type Filters = Partial<
	Record<
		| 'senders'
		| 'excludedSenders'
		| 'textContains'
		| 'textEquals'
		| 'textMatches'
		| 'commands'
		| 'messageIds'
		| 'statuses',
		unknown
	>
>;

type Check = (event: SimpleEvent) => boolean;

/** A message of a customer has a sender and a text even if the service does not send them; all else is about our own messages. */
const isIncoming: Check = ({ event }) => event === 'message.received';

/** News of a message of ours; a service may name its kinds of event as it likes. */
const isReceipt: Check = (event) =>
	!isIncoming(event) && (event.event.startsWith('message.') || event.messageId !== undefined);

/**
 * Reads the filters.
 *
 * @returns whether an event passes
 * @throws InputError if the regular expression cannot be used
 */
export function compileFilters(filters: Filters): Check {
	const checks = [senderCheck(filters), textCheck(filters), receiptCheck(filters)];
	return (event) => checks.every((check) => check(event));
}

function senderCheck({ senders, excludedSenders }: Filters): Check {
	const wanted = entries(senders).map(phonePattern);
	const unwanted = entries(excludedSenders).map(phonePattern);
	return (event) => {
		if (event.from === undefined && !isIncoming(event)) return true;
		const from = plainPhone(written(event.from));
		const isAmong = (list: Array<(phone: string) => boolean>) =>
			list.some((matches) => matches(from));
		return (wanted.length === 0 || isAmong(wanted)) && !isAmong(unwanted);
	};
}

function textCheck({ textContains, textEquals, textMatches, commands }: Filters): Check {
	const checks: Array<(text: string) => boolean> = [];
	const [parts, whole, words] = [
		entries(textContains).map(folded),
		folded(textEquals),
		entries(commands).map(firstWord),
	];
	if (parts.length > 0) checks.push((text) => parts.some((part) => folded(text).includes(part)));
	if (whole !== '') checks.push((text) => folded(text) === whole);
	if (words.length > 0) checks.push((text) => words.includes(firstWord(text)));
	if (written(textMatches) !== '') checks.push(compilePattern(written(textMatches)));
	return (event) => {
		if (event.text === undefined && !isIncoming(event)) return true;
		return checks.every((check) => check(written(event.text)));
	};
}

function receiptCheck({ messageIds, statuses }: Filters): Check {
	const ids = entries(messageIds);
	const states = entries(statuses).map(folded);
	return (event) => {
		if (!isReceipt(event)) return true;
		const status = event.status ?? event.event.split('.').at(-1);
		return (
			(ids.length === 0 || ids.includes(event.messageId ?? '')) &&
			(states.length === 0 || states.includes(folded(status)))
		);
	};
}

function written(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function entries(value: unknown): string[] {
	return written(value)
		.split(/[,;\n]/)
		.map((entry) => entry.trim())
		.filter(Boolean);
}

function folded(value: unknown): string {
	return written(value).trim().toLowerCase();
}

function firstWord(text: string): string {
	return trimEnd((folded(text).split(/\s/)[0] ?? '').replace(/^\//, ''), '.,;:!?');
}

/** The digits of a phone number without `+` or `00`, as services write it in different ways; other senders as they are. */
function plainPhone(phone: string): string {
	const isPhone = /^[+\d\s().\-/]+$/.test(phone);
	return isPhone ? phone.replace(/\D/g, '').replace(/^00/, '') : phone.trim().toLowerCase();
}

function phonePattern(entry: string): (phone: string) => boolean {
	if (!entry.endsWith('*')) return (phone) => phone === plainPhone(entry);
	const start = plainPhone(entry.slice(0, -1));
	return (phone) => phone.startsWith(start);
}
