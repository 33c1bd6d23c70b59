/** The item with which an execution starts. */
import type { IDataObject } from 'n8n-workflow';
import { omit, pick, pickBy } from 'lodash';

import { type EventEnvelope } from '../api/events';
import { kindOf, readStatus } from '../reading/readEvents';
import { textOrJson, isRecord } from '../jsonValues';
import { asMilliseconds, plainName, readId } from '../reading/readResponse';
import { isPhoneKey, samePhoneKey, toE164 } from '../phone/compare';
import { isPersonId, readPhone } from '../phone/readPhone';
import { type Intent, intentOf } from './intent';

/** The fields of an event under fixed names, the same as in the output of the send operations; absent ones are left out. */
export interface SimpleEvent {
	event: string;
	/** Sender of an incoming message: a phone number in E.164, valid as a recipient; without a number, the sender's ID. */
	from?: unknown;
	/** The service's ID of the sender of an incoming message, if it shows one. */
	senderId?: string;
	/** Recipient of a message that was sent; a phone number is in E.164. */
	to?: unknown;
	text?: unknown;
	/** Opt-in or opt-out, if the text of an incoming message is nothing but such a phrase. */
	intent?: Intent;
	/** The ID of the message: for a message that we sent, the one that the send returned. */
	messageId?: string;
	status?: unknown;
	/** Time of the event as the service writes it. */
	time?: unknown;
}

/** Reads the usual fields of an event. Some services put a message's own fields one level deeper, under `message`. */
export function readEvent({ event: name, data, ...envelope }: EventEnvelope): SimpleEvent {
	const event = kindOf({ event: name, data });
	const message = isRecord(data.message) ? data.message : {};
	const written =
		readTextField(data.text) ??
		readTextField(message.text) ??
		readTextField(message.content) ??
		readTextField(message.body);
	const text = textOrJson(written) === '' ? (readTap([data, message]) ?? written) : written;
	const fields = {
		...readSender(event, fromIn(data), [data, message]),
		to: readPhoneNumber(data.to ?? message.to),
		text,
		intent: event === 'message.received' ? intentOf(text) : undefined,
		messageId: readMessageId(event, data),
		status: data.status ?? readStatus(data),
		time: readTime(data) ?? readTime(message) ?? readTime(envelope),
	};
	return { event, ...pickBy(fields, (value) => value !== undefined) };
}

/** Fields with a person's phone number; phone_number counts as phoneNumber. Assumption: the usual names. */
const numberNames = ['phone', 'phoneNumber', 'number', 'msisdn', 'waId', 'address'].map(plainName);

/** Services send a number with or without the plus, as text or number, alone or with other fields of the person. */
function readPhoneNumber(value: unknown): unknown {
	const written = isRecord(value) ? numberIn(value) : value;
	const isText = typeof written === 'string' || typeof written === 'number';
	return isText ? toE164(String(written)) : value;
}

function numberIn(person: Record<string, unknown>): unknown {
	return valuesOf(person, numberNames).find((value) => textOrJson(value) !== '');
}

/** A number as it is dialled within a country. Shorter numbers are those of businesses. */
const localNumber = /^\s*\(?\d(?:[\s().\-/]*\d){5,14}\s*$/;

/** The number of a sender that may be a local one; undefined if it has a country code or is no number. */
export function localSenderOf({ event, data }: EventEnvelope): string | undefined {
	if (kindOf({ event, data }) !== 'message.received') return undefined;
	const number = textOrJson(readPhoneNumber(fromIn(data)));
	return localNumber.test(number) ? number : undefined;
}

/**
 * A message whose sender's local number is in E.164: otherwise, a reply from it would not reach its question. Any other
 * event stays as it is. @param country ISO code
 */
export function withCountryCode(event: EventEnvelope, country: string): EventEnvelope {
	const { e164: phone } = readPhone(localSenderOf(event) ?? '', country);
	if (phone === undefined) return event;
	const given = fromIn(event.data);
	const from = isRecord(given) ? { phone, ...omit(given, 'phone') } : phone;
	return { ...event, data: { ...event.data, from } };
}

function fromIn({ from, message }: EventEnvelope['data']): unknown {
	return from ?? (isRecord(message) ? message.from : undefined);
}

/** The values of the fields with these names, in the order of the names. */
function valuesOf(record: Record<string, unknown>, wanted: string[]): unknown[] {
	const names = Object.keys(record);
	const found = wanted.map((one) => names.find((name) => plainName(name) === one));
	return found.map((name) => record[name ?? '']);
}

/** Fields that may hold the ID of a person: inside the person's object, and beside `from`. Assumption: the usual names. */
const idNames = ['userId', 'bsuid', 'lid', 'id'].map(plainName);
const senderIdNames = ['fromUserId', 'senderUserId', 'fromId', 'senderId'].map(plainName);
const maxId = 128;

/** The sender of a message. A service may hide a person's number behind an ID, or show both. */
function readSender(
	event: string,
	given: unknown,
	places: Array<Record<string, unknown>>,
): Pick<SimpleEvent, 'from' | 'senderId'> {
	const from = readPhoneNumber(given);
	if (event !== 'message.received') return { from };
	const named = isRecord(given) ? valuesOf(given, idNames) : [];
	const beside = places.flatMap((place) => valuesOf(place, senderIdNames));
	const ids = [...named, ...beside].map((value) => (isRecord(value) ? '' : textOrJson(value)));
	const isId = (id: string) => id !== '' && id.length <= maxId && !toE164(id).startsWith('+');
	const senderId = ids.find(isId) ?? (isPersonId(textOrJson(from)) ? textOrJson(from) : undefined);
	return { from: isRecord(from) || from == null ? (senderId ?? from) : from, senderId };
}

/** The sender of a message: the key of the phone, or without a number, the ID. Undefined for any other event. */
export function senderIn({ event: kind, from, senderId }: SimpleEvent): string | undefined {
	if (kind !== 'message.received') return undefined;
	const key = samePhoneKey(textOrJson(from));
	return (isPhoneKey(key) ? key : senderId) ?? (key || undefined);
}

/** Names of the fields that describe the quoted message or hold its ID. Assumption: the usual names. */
const quoteName =
	/^(?:context(?:info)?|quoted?|(?:in)?replyto|(?:original)?replied(?:to)?|replycontext|stanza)(?:message|msg|stanza)?(?:s?id|uuid)?$/;

/** The ID of the message that an incoming message quotes. */
export function quotedIn(record: Record<string, unknown>): string | undefined {
	for (const [name, value] of Object.entries(record)) {
		if (!quoteName.test(plainName(name))) continue;
		const inner = isRecord(value) ? (readId(value) ?? quotedIn(value)) : textOrJson(value);
		if (inner) return inner;
	}
	return undefined;
}

/** The ID of the message. `id` may also be the ID of the event, or of another thing that the event is about. */
function readMessageId(event: string, data: EventEnvelope['data']): string | undefined {
	const named = readId(pick(data, 'messageId', 'message_id'));
	if (named !== undefined || !isAboutMessage(event)) return named;
	return readId(pick(data, 'message')) ?? readId(data);
}

/** Whether `id` is the ID of the message, unless another field names it. */
function isAboutMessage(event: string): boolean {
	return event.startsWith('message.');
}

/** A text, either alone or one or two levels deeper, as in `text.body` and `content.text`. */
function readTextField(value: unknown, depth = 0): unknown {
	if (!isRecord(value)) return value;
	return depth > 1 ? undefined : readTextField(value.body ?? value.text, depth + 1);
}

/** Fields for a tap on a button or list entry, for its label, and around them. Assumption: the usual names. */
const tapNames = [
	...['button', 'buttonReply', 'listReply', 'quickReply', 'quickReplyButton'],
	...['buttonText', 'buttonTitle', 'listTitle'],
].map(plainName);
const labelNames = ['title', 'text', 'displayText', 'label'].map(plainName);
const aroundTap = ['interactive', 'content'].map(plainName);

/** The label of the button or entry that a person has tapped; undefined without a tap. */
function readTap(places: Array<Record<string, unknown>>): string | undefined {
	const inside = (outer: typeof places) =>
		outer.flatMap((place) => valuesOf(place, aroundTap)).filter(isRecord);
	const inner = inside(places);
	const taps = [...places, ...inner, ...inside(inner)].flatMap((place) =>
		valuesOf(place, tapNames),
	);
	const labels = taps.flatMap((tap) => (isRecord(tap) ? valuesOf(tap, labelNames) : [tap]));
	return labels.find((label): label is string => typeof label === 'string' && label.trim() !== '');
}

/** Fields with the time of an event, clearest first; occurred_at counts as occurredAt. Assumption: the usual names. */
const timeNames = [
	...['timestamp', 'occurredAt', 'eventTime', 'messageTimestamp', 'time', 'dateTime', 'receivedAt'],
	...['createdAt', 'createdDateTime', 'dateCreated', 'sentAt', 'date', 'updatedAt'],
].map(plainName);

/** Those of these names that are about the event itself, and not about the record in it. */
const ofEvents = ['timestamp', 'occurredAt', 'eventTime', 'updatedAt'].map(plainName);

/** The field with an event's time. @param isAboutRecord whether the event is about a record that has its own times */
export function timeField(
	record: Record<string, unknown>,
	isAboutRecord = false,
): string | undefined {
	const names = Object.keys(record).filter((name) => isTime(record[name]));
	const wanted = isAboutRecord ? ofEvents : timeNames;
	const found = wanted.map((one) => names.find((name) => plainName(name) === one));
	return found.find((name) => name !== undefined);
}

function isTime(value: unknown): boolean {
	return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

/** The time in a payload or record, as the service writes it. */
export function readTime(record: Record<string, unknown>): unknown {
	return record[timeField(record) ?? ''];
}

/** Services may round times down to days, minutes or seconds; these are the lengths in ms. */
const precisions = [86_400_000, 60_000, 1_000];

/** The latest possible time of an event, ms since 1970: its time may be rounded down. NaN without a time. */
export function latestTimeOf({ time: written }: SimpleEvent): number {
	const time = asMilliseconds(written);
	const precision = precisions.find((one) => time % one === 0) ?? 1;
	return time + precision - 1;
}

/** The simplified event: the usual fields first, then all others as the service sent them. */
export function simplify(envelope: EventEnvelope, fields = readEvent(envelope)): IDataObject {
	const { from, to } = envelope.data;
	const people = {
		...(isRecord(from) && from !== fields.from && { fromDetails: from }),
		...(isRecord(to) && to !== fields.to && { toDetails: to }),
	};
	const renamed = [
		timeField(envelope.data) ?? '',
		isAboutMessage(fields.event) && textOrJson(envelope.data.id) === fields.messageId ? 'id' : '',
	];
	const others = omit(envelope.data, [...renamed, ...Object.keys(fields)]);
	return { ...fields, ...people, ...others } as IDataObject;
}
