/** A message as the inbox reads it. */
import { createHash } from 'crypto';

import type { EventEnvelope } from '../api/events';
import { asMilliseconds, asText } from '../api/read';
import { nameOf } from '../webhooks/deduplicationKey';
import { senderOf } from '../webhooks/sender';
import { readEvent } from '../webhooks/simpleEvent';
import { type Arrival, maxText } from './core';

/** Characters of the name of a message that nothing identifies. */
const nameLength = 11;
const minuteMs = 60_000;
const secondMs = 1_000;

/**
 * Reads a message.
 *
 * @param headers those that may identify it
 * @returns undefined for any other event
 */
export function toArrival(
	event: EventEnvelope,
	headers: Record<string, unknown>,
): Arrival | undefined {
	const phone = senderOf(event);
	if (phone === undefined) return undefined;
	const { name, isCertain } = nameOf(event, headers);
	const { text, messageId, time, intent } = readEvent(event);
	const words = typeof text === 'string' ? text : null;
	return {
		key: isCertain ? name : `u${hash(name)}`,
		text: words?.slice(0, maxText) ?? null,
		...((words?.length ?? 0) > maxText && { isCut: true }),
		...(messageId !== undefined && { messageId: messageId.slice(0, maxText) }),
		respondedAt: asText(time).slice(0, maxText) || new Date().toISOString(),
		phone,
		time: latestTime(asMilliseconds(time)),
		isOptOut: intent === 'optOut',
		isCertain,
	};
}

function hash(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, nameLength);
}

/** A time in whole seconds or minutes may be rounded down. */
export function latestTime(time: number): number {
	if (time % minuteMs === 0) return time + minuteMs - 1;
	return time % secondMs === 0 ? time + secondMs - 1 : time;
}
