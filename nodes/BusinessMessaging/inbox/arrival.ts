/** A message as the inbox reads it. */
import { createHash } from 'crypto';

import { isRecord, textOrJson } from '../jsonValues';
import type { IncomingEvent } from '../webhooks/incomingEvent';
import { latestTimeOf, quotedIn } from '../webhooks/simpleEvent';
import { type Arrival, maxText } from './core';

/** Characters of the name for a message that no ID or time identifies. */
const nameLength = 11;

/** A message as the inbox reads it; undefined for any other event. */
export function toArrival({ envelope, fields, sender, key }: IncomingEvent): Arrival | undefined {
	const { data } = envelope;
	const { message } = data;
	const quoted = quotedIn(data) ?? (isRecord(message) ? quotedIn(message) : undefined);
	const isMessage = fields.event === 'message.received';
	const phone = sender ?? (isMessage && quoted ? '' : undefined);
	if (phone === undefined) return undefined;
	const { text, messageId, time, intent } = fields;
	const words = typeof text === 'string' ? text : null;
	return {
		key: key ?? `u${hash(JSON.stringify(envelope))}`,
		text: words?.slice(0, maxText) ?? null,
		...((words?.length ?? 0) > maxText && { isCut: true }),
		...(messageId !== undefined && { messageId: messageId.slice(0, maxText) }),
		respondedAt: textOrJson(time).slice(0, maxText) || new Date().toISOString(),
		phone,
		...(quoted !== undefined && { quoted: quoted.slice(0, maxText) }),
		time: latestTimeOf(fields),
		firstAt: Date.now(),
		isOptOut: intent === 'optOut',
		isCertain: key !== undefined,
	};
}

function hash(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, nameLength);
}
