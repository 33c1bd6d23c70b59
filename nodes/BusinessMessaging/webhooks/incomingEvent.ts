/** An event of a delivery as one record. It is read once: nothing behind it looks into the event again. */
import type { EventEnvelope } from '../api/events';
import { deduplicationKeyOf } from './deduplicationKey';
import { type SimpleEvent, readEvent, senderIn } from './simpleEvent';

/** An event of a delivery. */
export interface IncomingEvent {
	/** As the service sent it. */
	envelope: EventEnvelope;
	/** The usual fields. */
	fields: SimpleEvent;
	/** The sender of a message, see senderIn; undefined for any other event. */
	sender?: string;
	/** The same for all deliveries of the event; undefined if nothing identifies it, see deduplicationKeyOf. */
	key?: string;
}

/** Reads an event. @param headers those that may identify it */
export function readIncoming(
	envelope: EventEnvelope,
	headers: Record<string, unknown>,
): IncomingEvent {
	const fields = readEvent(envelope);
	const key = deduplicationKeyOf(envelope, headers);
	return { envelope, fields, sender: senderIn(fields), key };
}
