/** Audience Rules: who does not get a message. */
import { IANAZone } from 'luxon';

import { mapInTurns } from '../../yieldToN8n';
import { type ServiceRecord, quoted, splitList, textOrJson } from '../../jsonValues';
import { samePhoneKey } from '../../phone/compare';
import { readPhone } from '../../phone/readPhone';
import { fieldNames } from '../../reading/readResponse';
import { InputError } from '../../transport/errors';
import {
	type ValuesOf,
	booleanField,
	choiceField,
	collectionField,
	dateField,
	groupField,
	numberField,
	textField,
} from '../fields';
import { readDateTime } from '../readDateTime';

/** Minutes since midnight. A period that closes before it opens ends on the next day. */
export interface Period {
	opens: number;
	closes: number;
}

/** The days and hours in which people may be written to. */
export interface SendWindow {
	/** Days on which the window opens, 1 for Monday to 7 for Sunday. */
	days: number[];
	periods: Period[];
	/** IANA time zone; empty for the recipient's own. */
	zone: string;
}

/** Who does not get a message, as the fields of an item say. */
export interface Audience {
	duplicates: 'sendAll' | 'sendFirst' | 'stop';
	/** The numbers of people who are left out, as written; undefined without this rule. */
	excludeNumbers?: string;
	/** Their phones, as `samePhoneKey` gives them. They are read once for all items, before the first message. */
	excluded?: Set<string>;
	/** Whether people in the data table *Opt-outs* are left out; undefined if the user has not chosen. */
	excludesOptOuts?: boolean;
	/** Name of the segment whose contacts are left out; empty for none. */
	excludedSegment: string;
	/** Whether the segment and the list of numbers may contain nobody. */
	allowsEmptyList: boolean;
	/** The *Default Country*, for contacts of the segment with a local number. */
	country: string;
	window?: SendWindow;
	/** ISO 8601; without an offset, in the recipient's own time zone. */
	notBefore?: string;
	cap?: Cap;
	/** The maximum number of people who get a message in this run. */
	maxRecipients?: number;
}

/** The maximum number of messages to one person in a calendar day, week or month (UTC). */
export interface Cap {
	messages: number;
	per: 'day' | 'week' | 'month';
}

/** Days for each value of the field, 1 for Monday to 7 for Sunday. */
const daysOf = {
	everyDay: [1, 2, 3, 4, 5, 6, 7],
	mondayToFriday: [1, 2, 3, 4, 5],
	mondayToSaturday: [1, 2, 3, 4, 5, 6],
	sundayToThursday: [7, 1, 2, 3, 4],
};

/** The field of the rules. */
export const audienceField = collectionField({
	displayName: 'Audience Rules',
	name: 'audienceRules',
	placeholder: 'Add Rule',
	description:
		'Who does not get the message. People who are left out stay in the output as items with a reason.',
	fields: [
		booleanField({
			displayName: 'Allow Empty List',
			name: 'allowEmptyList',
			description:
				'Whether to send even if the excluded segment is empty, or no row of Exclude Numbers has a phone number',
		}),
		choiceField({
			displayName: 'Duplicates',
			name: 'duplicates',
			options: [
				{
					name: 'Send All',
					value: 'sendAll',
					description: 'Send a message for each item. With Send Once, for each campaign only once.',
				},
				{
					name: 'Send First',
					value: 'sendFirst',
					description:
						'Only the first item of a recipient is sent, also if the node runs in a loop',
				},
				{
					name: 'Stop With Error',
					value: 'stop',
					description:
						'An error, before anything is sent. With On Error: Continue, only the later items fail. Not possible in a loop.',
				},
			],
			default: 'sendFirst',
			description: 'What happens if several items have the same recipient',
		}),
		textField({
			displayName: 'Exclude Numbers',
			name: 'excludeNumbers',
			typeOptions: { rows: 2 },
			placeholder: 'e.g. +49 170 1234567, +44 7700 900123',
			description:
				'Phone numbers that get no message, separated by commas or line breaks. Can also be a list from an expression.',
		}),
		booleanField({
			displayName: 'Exclude Opt-Outs',
			name: 'excludeOptOuts',
			default: true,
			description:
				'Whether to leave out the people in the data table Opt-outs. Send Once leaves them out anyway, and Send and Wait unless this is off.',
		}),
		textField({
			displayName: 'Exclude Segment',
			name: 'excludeSegment',
			placeholder: 'e.g. opted-out',
			description: 'Name of a segment whose contacts get no message',
		}),
		groupField({
			displayName: 'Frequency Cap',
			name: 'frequencyCap',
			description:
				'The maximum number of messages to one person. Counts those with Send Once or a Frequency Cap, from the data table Business Messaging Campaigns.',
			fields: [
				numberField({
					displayName: 'Messages',
					name: 'messages',
					typeOptions: { minValue: 1, maxValue: 20, numberPrecision: 0 },
					default: 1,
					description: 'How many messages a person may get',
				}),
				choiceField({
					displayName: 'Per',
					name: 'per',
					options: [
						{ name: 'Day', value: 'day' },
						{ name: 'Month', value: 'month' },
						{ name: 'Week', value: 'week', description: 'From Monday to Sunday' },
					],
					default: 'week',
					description:
						'The calendar period in which messages are counted. It begins at midnight UTC.',
				}),
			],
		}),
		numberField({
			displayName: 'Maximum Recipients',
			name: 'maxRecipients',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 100,
			description:
				'How many people get a message in this run. The others are skipped. With Send Once, the next run continues with them.',
		}),
		dateField({
			displayName: 'Not Before',
			name: 'notBefore',
			description:
				"When the first messages may go out. Without a time zone, it is in the time zone of Send Window if that has one, otherwise in the recipient's own.",
		}),
		groupField({
			displayName: 'Send Window',
			name: 'sendWindow',
			description: 'When messages may be sent, in the time zone of the recipient',
			fields: [
				choiceField({
					displayName: 'Days',
					name: 'days',
					options: [
						{ name: 'Every Day', value: 'everyDay' },
						{ name: 'Monday to Friday', value: 'mondayToFriday' },
						{ name: 'Monday to Saturday', value: 'mondayToSaturday' },
						{ name: 'Sunday to Thursday', value: 'sundayToThursday' },
					],
					default: 'mondayToSaturday',
					description: 'Days on which messages may be sent',
				}),
				textField({
					displayName: 'Hours',
					name: 'hours',
					default: '09:00–20:00',
					placeholder: 'e.g. 09:00–12:00, 14:00–18:00',
					description:
						'When messages may be sent. If there are several time ranges, put commas between them.',
				}),
				textField({
					displayName: 'Time Zone',
					name: 'timeZone',
					placeholder: 'e.g. America/New_York',
					description:
						'The time zone of these hours. If empty, the phone number decides. If a number can be in several zones, the window must be open in all of them.',
				}),
			],
		}),
	],
});

/** Nobody writes a number with more characters. */
const maxNumberLength = 100;
/** What stands between the numbers of *Exclude Numbers*. */
const betweenNumbers = /[,;\n[\]"]/;

type Rules = ValuesOf<readonly [typeof audienceField]>['audienceRules'];
type WindowValues = NonNullable<NonNullable<Rules['sendWindow']>['values']>[number];

/** The rules of an item, if any. @throws InputError for an invalid time or time zone, or a list that has lost its rows */
export function readAudience(
	{ audienceRules: rules, options }: { audienceRules: Rules; options: { defaultCountry?: string } },
	settings: {
		defaultCountry: string;
		rowsOf?: (path: string) => ServiceRecord[];
		oneOfRows?: (path: string) => { node: string; count: number } | undefined;
	},
): Audience | undefined {
	if (Object.keys(rules).length === 0) return undefined;
	const [window] = rules.sendWindow?.values ?? [];
	const [cap] = rules.frequencyCap?.values ?? [];
	const country = options.defaultCountry ?? settings.defaultCountry;
	const allowsEmptyList = rules.allowEmptyList ?? false;
	const { excludeNumbers } = rules;
	const isEmpty = excludeNumbers !== undefined && !/[^\s,;[\]"]/.test(excludeNumbers);
	if (isEmpty && !allowsEmptyList)
		refuseLostRows(settings.rowsOf?.('audienceRules.excludeNumbers') ?? []);
	if (excludeNumbers !== undefined && hasOneNumber(excludeNumbers))
		refuseOneRow(settings.oneOfRows?.('audienceRules.excludeNumbers'));
	return {
		duplicates: rules.duplicates ?? 'sendAll',
		excludeNumbers,
		excludesOptOuts: rules.excludeOptOuts,
		excludedSegment: rules.excludeSegment?.trim() ?? '',
		allowsEmptyList,
		country,
		...(window && { window: readWindow(window) }),
		notBefore:
			readDateTime('Not Before', rules.notBefore, 'utc') && textOrJson(rules.notBefore).trim(),
		...(cap && { cap: { messages: cap.messages ?? 1, per: cap.per ?? 'week' } }),
		maxRecipients: rules.maxRecipients,
	};
}

/** Whether there is one number. A list of thousands is not split: this is asked for each item. */
function hasOneNumber(written: string): boolean {
	return written.length <= maxNumberLength && splitList(written, betweenNumbers).length === 1;
}

/** @throws InputError if an expression has made no number of its rows: its column is probably mistyped */
function refuseLostRows(rows: ServiceRecord[]): void {
	if (rows.length === 0) return;
	const count = rows.length === 1 ? '1 row' : `${rows.length} rows`;
	throw new InputError(
		`'Exclude Numbers' is empty, although its expression uses ${count}`,
		`Check the name of the column in the expression. The first row has the fields ${fieldNames(rows[0])}. If nobody has opted out yet, switch on 'Allow Empty List' in 'Audience Rules'.`,
	);
}

/** @throws InputError if an expression takes the number of one row of a list, as n8n writes it when a column is dragged */
function refuseOneRow(rows: { node: string; count: number } | undefined): void {
	if (!rows) return;
	throw new InputError(
		`'Exclude Numbers' has only one number, although the node "${rows.node}" has ${rows.count} rows`,
		`The others would get the message. Write {{ $('${rows.node}').all().map(row => row.json.phone).filter(Boolean) }}, with the name of your column in place of phone.`,
	);
}

function readWindow({
	days = 'mondayToSaturday',
	hours = '09:00–20:00',
	timeZone = '',
}: WindowValues): SendWindow {
	const zone = timeZone.trim();
	if (zone && !IANAZone.isValidZone(zone))
		throw new InputError(
			`'Time Zone' of 'Send Window' cannot be "${quoted(zone)}"`,
			'Enter a name such as Europe/Berlin or America/New_York.',
		);
	return { days: daysOf[days], periods: hours.split(/[,;]/).map(readPeriod), zone };
}

function readPeriod(written: string): Period {
	const [opens, closes, ...others] = written.split(/[-–—]|\bto\b/).map(readTime);
	// Only the end of a period may be 24:00. A period that ends when it begins has no length, or is a whole day.
	const isPeriod = opens < 24 * 60 && closes <= 24 * 60 && opens !== closes;
	if (isPeriod && others.length === 0) return { opens, closes };
	throw new InputError(
		`'Hours' of 'Send Window' cannot contain "${quoted(written)}"`,
		'Enter periods such as 09:00–12:00, 14:00–18:00. A whole day is 00:00–24:00.',
	);
}

/** Minutes since midnight; NaN for anything but a time. */
function readTime(written: string): number {
	const [, hour, minute] = /^\s*(\d{1,2}):([0-5]\d)\s*$/.exec(written) ?? [];
	return Number(hour) * 60 + Number(minute);
}

/** Reads excluded numbers, maybe thousands, as `samePhoneKey` gives them. @throws InputError for an unreadable one */
export async function readNumbers(written: string, country: string): Promise<Set<string>> {
	const entries = splitList(written, betweenNumbers);
	return new Set(await mapInTurns(entries, (entry) => readNumber(entry, country)));
}

/** @throws InputError, because a person whose number cannot be read would otherwise get the message */
function readNumber(entry: string, country: string): string {
	const reading = readPhone(entry, country);
	if (reading.e164 !== undefined) return samePhoneKey(reading.e164);
	throw new InputError(
		`"${quoted(entry)}" in 'Exclude Numbers' ${reading.problem}`,
		'Correct or remove the number. Otherwise this person might get the message.',
	);
}
