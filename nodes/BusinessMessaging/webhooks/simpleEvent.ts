/** What an execution starts with. */
import type { IDataObject } from 'n8n-workflow';
import { omit, pick, pickBy } from 'lodash';

import { type EventEnvelope, kindOf, readStatus } from '../api/events';
import { isRecord, readId } from '../api/read';
import { toE164 } from '../phone/compare';
import { type Intent, intentOf } from './intent';

/** Where services put the moment of an event. Assumption: the keys in common use. */
const timeKeys = ['timestamp', 'time', 'createdAt', 'created_at', 'occurredAt', 'sentAt', 'date'];

/** The fields of an event under fixed names, which are those that the send operations give; absent ones are left out. */
export interface SimpleEvent {
	event: string;
	/** Sender of an incoming message; a phone number is in E.164, so that it is a valid recipient. */
	from?: unknown;
	/** Recipient of a message that was sent, in E.164 too. */
	to?: unknown;
	text?: unknown;
	/** What the sender asks for, if the text of an incoming message says nothing else. */
	intent?: Intent;
	/** The identifier that the send returned, or that of the incoming message. */
	messageId?: string;
	status?: unknown;
	/** Moment of the event as the service writes it. */
	time?: unknown;
}

/** Reads the usual fields of an event. Some services put a message's own fields one level deeper, under `message`. */
export function readEvent({ event: name, data, ...envelope }: EventEnvelope): SimpleEvent {
	const event = kindOf({ event: name, data });
	const message = isRecord(data.message) ? data.message : {};
	const text =
		readText(data.text) ??
		readText(message.text) ??
		readText(message.content) ??
		readText(message.body);
	const fields = {
		from: readPhoneNumber(data.from ?? message.from),
		to: readPhoneNumber(data.to ?? message.to),
		text,
		intent: event === 'message.received' ? intentOf(text) : undefined,
		messageId: readId(isAboutMessage(event) ? data : pick(data, 'messageId', 'message_id')),
		status: data.status ?? readStatus(data),
		time: readTime(data) ?? readTime(message) ?? readTime(envelope),
	};
	return { event, ...pickBy(fields, (value) => value !== undefined) };
}

/** Services give numbers with or without the plus, as text or as number. */
function readPhoneNumber(value: unknown): unknown {
	const written = typeof value === 'number' ? String(value) : value;
	return typeof written === 'string' ? toE164(written) : value;
}

/** Then `id` is the message's, not that of something else. */
function isAboutMessage(event: string): boolean {
	return event.startsWith('message.');
}

/** A text, bare or one or two levels deeper, as in `text.body` and `content.text`. */
function readText(value: unknown, depth = 0): unknown {
	if (!isRecord(value)) return value;
	return depth > 1 ? undefined : readText(value.body ?? value.text, depth + 1);
}

function timeKey(record: Record<string, unknown>): string | undefined {
	return timeKeys.find((key) => record[key] !== undefined);
}

function readTime(record: Record<string, unknown>): unknown {
	return record[timeKey(record) ?? ''];
}

/** The simplified event: the usual fields first, then what else the service sent, untouched. */
export function simplify(envelope: EventEnvelope): IDataObject {
	const fields = readEvent(envelope);
	const renamed = [
		timeKey(envelope.data) ?? '',
		isAboutMessage(envelope.event) && fields.messageId !== undefined ? 'id' : '',
	];
	return { ...fields, ...omit(envelope.data, [...renamed, ...Object.keys(fields)]) } as IDataObject;
}
