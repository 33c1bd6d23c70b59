/** Who has written a message. */
import type { EventEnvelope } from '../api/events';
import { textOrJson } from '../jsonValues';
import { samePhoneKey } from '../phone/compare';
import { readEvent } from './simpleEvent';

/** Identifies the phone that a message comes from; undefined for any other event. */
export function senderOf(event: EventEnvelope): string | undefined {
	const { event: kind, from } = readEvent(event);
	return kind === 'message.received' ? samePhoneKey(textOrJson(from)) || undefined : undefined;
}
