/**
 * Reads the response to a send. The specification promises an ID for texts; all else that means yes or no is an
 * assumption: docs/api-assumptions.md, "What says yes and no after a send".
 */
import { isObject } from 'lodash';

import { type ServiceRecord, isRecord, textOrJson } from '../jsonValues';
import { bareId, hasMessageId, nothing, readMessageId } from './readMessageId';
import { type ServiceResponse, plainName, readFlag } from './readResponse';

/** The meaning of a response to a send. */
export interface SendReading {
	sendStatus: 'sent' | 'notSent' | 'mayHaveBeenSent';
	messageId?: string;
	/** The fields that judge, each as `name: value`. */
	signs: string[];
}

/**
 * What a field means that judges. `weakNo`, the text of an error, is a no unless there is an ID. `doubt`, e.g. `sent: 0`
 * or an unknown code, is no yes, and beside a no it changes nothing. `uncertain` makes everything uncertain.
 */
type Meaning = 'yes' | 'no' | 'weakNo' | 'doubt' | 'uncertain';
type Sign = [name: string, value: unknown, meaning?: Meaning];

/** Names of fields, as `plainName` gives them. Records with other names, e.g. a contact, are not about the message. */
const envelope =
	/^(data|attributes|payload|items?|records?|body|recipients?|sms|embedded|output|outcome)$|(results?|responses?|messages?)(data)?$/;
const aboutCall = /^(meta(data)?|head(er)?s?|info)$/;
const affixes = /^(is|was|has|total|num(ber)?(of)?)|count$/g;
const success = /^(success|successful|succeeded|ok|okay|accepted)$/;
const progress = /^(sent|queued|enqueued|scheduled|submitted)$/;
const error =
	/^(err|errors?|errno|fail|failed|failures?|faults?|exceptions?|reject|rejected|rejections?)(code|message|msg|text|description|desc|details?|reason|name|type|info|title|number|status)?$/;
const status =
	/^(message|delivery|send|sms|response|result|request|return|ret)?(status|state|result|outcome|code)(code|name)?$/;
/** The fields of a status that is a record. */
const statusParts = /^(code|name|kind|type|group|groupname|value)$/;

/** Each word is the whole value of a field, as `plainName` gives it: words in a longer text make nothing certain. */
const yesWords = setOf(
	'ok okay success successful succeeded accepted queued enqueued sent submitted pending scheduled processing',
	'processed sending delivered read created received buffered done completed no_error no_errors',
);
const noWords = setOf(
	'error failed fail failure rejected refused denied declined invalid undelivered undeliverable unsent not_sent',
	'not_accepted nok blocked blacklisted canceled cancelled suppressed skipped opted_out unsubscribed no_credit',
);
const maxRecords = 1_000;

/** Whether the service has taken a message. Only a yes or a no that nothing contradicts is certain. */
export function readSend(response: ServiceResponse): SendReading {
	const { signs, records } = judge(response);
	const messageId = readMessageId(response, records);
	const has = (meaning: Meaning) => signs.some(([, , one]) => one === meaning);
	const hasId = messageId !== undefined;
	const isNo = !has('yes') && (has('no') || (has('weakNo') && !hasId));
	const isYes = (has('yes') || hasId) && !has('no') && !has('weakNo') && !has('doubt');
	const certain = isNo ? 'notSent' : 'sent';
	return {
		sendStatus: (isYes || isNo) && !has('uncertain') ? certain : 'mayHaveBeenSent',
		messageId,
		signs: signs.flatMap(([name, value, meaning]) =>
			meaning && !isObject(value) ? `${name}: ${textOrJson(value).trim()}` : [],
		),
	};
}

/** A part of a response, and what is said about it: whether it may be the message, and whether its fields are about the message. */
interface Part {
	value: unknown;
	isMessage: boolean;
	isAbout: boolean;
}

/** The fields of a response that judge, and its records that may be the message, the outermost first. */
function judge({ statusCode, body }: ServiceResponse): { signs: Sign[]; records: ServiceRecord[] } {
	if (!isObject(body))
		return { signs: [['response', body, ofBare(body, statusCode)]], records: [] };
	const signs: Sign[] = [];
	const records: ServiceRecord[] = [];
	const parts: Part[] = [{ value: body, isMessage: true, isAbout: true }];
	for (const part of parts) {
		if (parts.length > maxRecords) return { signs: [['response', body, 'uncertain']], records };
		if (isRecord(part.value)) {
			if (part.isMessage) records.push(part.value);
			signs.push(...signsOf(part.value, part.isAbout));
		}
		parts.push(...partsOf(part));
	}
	return { signs, records };
}

function signsOf(record: ServiceRecord, isAbout: boolean): Sign[] {
	return Object.entries(record).flatMap(([name, value]): Sign[] => {
		const key = plainName(name);
		const meaning = meaningOf(key, value);
		if (isAbout) return [[name, value, meaning]];
		// A contact may be blocked. But where a switch says that something has failed, it may be the message.
		const isFailedSwitch = meaning === 'no' && success.test(key.replace(affixes, ''));
		return isFailedSwitch ? [[name, value, 'uncertain']] : [];
	});
}

/** The lists and records inside a part, except errors. */
function partsOf({ value, ...place }: Part): Part[] {
	if (Array.isArray(value))
		return value.filter(isObject).map((one: unknown) => ({ value: one, ...place }));
	if (!isRecord(value)) return [];
	return Object.entries(value).flatMap(([name, inner]) => {
		const key = plainName(name);
		if (!isObject(inner) || isError(key)) return [];
		const isEnvelope = envelope.test(key);
		const isMessage = place.isMessage && isEnvelope;
		const isAbout = place.isAbout && (isEnvelope || aboutCall.test(key));
		return [{ value: inner, isMessage, isAbout }];
	});
}

/** What a field means; undefined if it does not judge. */
function meaningOf(name: string, value: unknown): Meaning | undefined {
	const bare = name.replace(affixes, '');
	if (isError(name)) return ofError(value);
	if (progress.test(bare) || (success.test(bare) && name.endsWith('count')))
		return ofSwitch(value, 'doubt');
	if (success.test(bare)) return ofSwitch(value, 'no');
	if (status.test(name)) return ofStatus(value, name);
	// A text of this name may be the customer's, and so may a no.
	const isText = /^(message|msg)$/.test(name) && typeof value === 'string';
	return isText && yesWords.has(plainName(value)) ? 'yes' : undefined;
}

function isError(name: string): boolean {
	const bare = name.replace(affixes, '');
	return error.test(bare) || noWords.has(bare);
}

/** A boolean, a count, a list, or the time at which something happened. */
function ofSwitch(value: unknown, no: 'no' | 'doubt'): Meaning | undefined {
	if (isRecord(value)) return undefined;
	const count = Array.isArray(value) ? value.length : numberIn(value);
	if (count !== undefined) return count > 0 ? 'yes' : no;
	if (/^\s*\d{4}-\d\d-\d\d/.test(textOrJson(value))) return 'yes';
	const meaning = ofText(value, 'uncertain');
	return meaning === 'no' ? no : meaning;
}

/** A status or a code. A record with an ID is the message itself: its name, type and value may be the customer's. */
function ofStatus(value: unknown, name: string): Meaning | undefined {
	if (isRecord(value)) {
		const isMessage = envelope.test(name) && hasMessageId(value);
		const meaningIn = (names: RegExp) =>
			strongest(
				Object.keys(value).map((part) =>
					names.test(plainName(part)) ? ofStatus(value[part], plainName(part)) : undefined,
				),
			);
		if (isMessage) return meaningIn(/^groupname$/);
		return meaningIn(statusParts) ?? meaningIn(/^description$/);
	}
	if (Array.isArray(value)) return strongest(value.map((one: unknown) => ofStatus(one, name)));
	const code = numberIn(value);
	const isCode = name.endsWith('code');
	if (code === undefined) return ofText(value, isCode ? 'doubt' : 'uncertain');
	return ofCode(code, { zero: isCode ? 'yes' : 'doubt', other: 'doubt' });
}

/** An error: no, unless it is empty or says that there is none. Its text may say anything, e.g. "No problems". */
function ofError(value: unknown): Meaning | undefined {
	if (isObject(value)) {
		const meaning = strongest(Object.values(value).map(ofError));
		const isList = Array.isArray(value); // of refused recipients, or of texts
		if (isList && meaning === 'weakNo') return 'no';
		return meaning === 'yes' ? undefined : meaning; // a zero beside other values means nothing
	}
	const code = numberIn(value);
	if (code !== undefined) return ofCode(code, { zero: 'yes', other: 'no' });
	const flag = readFlag(value);
	if (flag !== undefined) return flag ? 'no' : 'yes';
	return ofText(value, 'weakNo');
}

/** A code: from 400 to 499 and below 0 it is a no, as an HTTP status a 2xx says nothing new, and after 408 and 5xx nobody knows. */
function ofCode(code: number, { zero, other }: Record<'zero' | 'other', Meaning>) {
	if (code === 0) return zero;
	if (code >= 200 && code < 300) return undefined;
	if (code === 408 || (code >= 500 && code < 600)) return 'uncertain';
	return code < 0 || (code >= 400 && code < 500) ? 'no' : other;
}

function ofText(value: unknown, other: Meaning): Meaning | undefined {
	const text = textOrJson(value);
	if (nothing.test(text)) return undefined;
	if (/time.?d?.?out/i.test(text)) return 'uncertain';
	const flag = readFlag(value);
	if (flag === true || yesWords.has(plainName(text))) return 'yes';
	return flag === false || noWords.has(plainName(text)) ? 'no' : other;
}

/** A response that is no record: a text, a number, a boolean, an ID, or an empty body. */
function ofBare(body: unknown, statusCode: number): Meaning | undefined {
	// The statuses Created, Accepted and No Content mean yes. A 200 without the promised ID may come from any program
	// between n8n and the service.
	if (body === undefined) return [201, 202, 204].includes(statusCode) ? 'yes' : undefined;
	return bareId(body) === undefined ? ofStatus(body, '') : undefined;
}

function numberIn(value: unknown): number | undefined {
	const text = textOrJson(value).trim();
	return /^-?\d+$/.test(text) ? Number(text) : undefined;
}

function strongest(all: Array<Meaning | undefined>): Meaning | undefined {
	return (['uncertain', 'no', 'weakNo', 'doubt', 'yes'] as const).find((one) => all.includes(one));
}

function setOf(...lines: string[]): Set<string> {
	return new Set(lines.flatMap((line) => line.split(' ').map(plainName)));
}
