/** A message as the inbox reads it. */
import { createHash } from 'crypto';

import type { EventEnvelope } from '../api/events';
import { kindOf } from '../reading/readEvents';
import { isRecord, textOrJson } from '../jsonValues';
import { eventNameOf } from '../webhooks/deduplicationKey';
import { latestTimeOf, quotedIn, readEvent, senderOf } from '../webhooks/simpleEvent';
import { type Arrival, maxText } from './core';

/** Characters of the name for a message that no ID or time identifies. */
const nameLength = 11;

/** Reads a message. @param headers those that may identify it @returns undefined for any other event */
export function toArrival(
	event: EventEnvelope,
	headers: Record<string, unknown>,
): Arrival | undefined {
	const { message } = event.data;
	const quoted = quotedIn(event.data) ?? (isRecord(message) ? quotedIn(message) : undefined);
	const isMessage = kindOf(event) === 'message.received';
	const phone = senderOf(event) ?? (isMessage && quoted ? '' : undefined);
	if (phone === undefined) return undefined;
	const { name, isCertain } = eventNameOf(event, headers);
	const { text, messageId, time, intent } = readEvent(event);
	const words = typeof text === 'string' ? text : null;
	return {
		key: isCertain ? name : `u${hash(name)}`,
		text: words?.slice(0, maxText) ?? null,
		...((words?.length ?? 0) > maxText && { isCut: true }),
		...(messageId !== undefined && { messageId: messageId.slice(0, maxText) }),
		respondedAt: textOrJson(time).slice(0, maxText) || new Date().toISOString(),
		phone,
		...(quoted !== undefined && { quoted: quoted.slice(0, maxText) }),
		time: latestTimeOf(event),
		firstAt: Date.now(),
		isOptOut: intent === 'optOut',
		isCertain,
	};
}

function hash(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, nameLength);
}
