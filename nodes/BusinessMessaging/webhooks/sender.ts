/** Who has written a message. */
import type { EventEnvelope } from '../api/events';
import { textOrJson } from '../jsonValues';
import { isPhoneKey, samePhoneKey } from '../phone/compare';
import { readEvent } from './simpleEvent';

/** Identifies the phone that a message comes from, or the sender without a number; undefined for any other event. */
export function senderOf(event: EventEnvelope): string | undefined {
	const { event: kind, from, senderId } = readEvent(event);
	if (kind !== 'message.received') return undefined;
	const key = samePhoneKey(textOrJson(from));
	return (isPhoneKey(key) ? key : senderId) ?? (key || undefined);
}
