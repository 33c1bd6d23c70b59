/** What makes two deliveries the same event. */
import { createHash } from 'crypto';

import { type EventEnvelope, eventKinds, kindOf, readStatus } from '../api/events';
import { readId } from '../api/read';

/**
 * What tells an event from all others: the identifier of the event, and that of the message with the kind of event.
 * Both, as an identifier beside the data might be that of the account, the same with every event.
 *
 * @returns undefined if there is neither, as two equal texts of a customer are two messages
 */
export function deduplicationKeyOf(
	{ event, data, ...envelope }: EventEnvelope,
	headers: Record<string, unknown>,
): string | undefined {
	const kind = kindOf({ event, data });
	const eventId =
		headers['webhook-id'] ?? envelope.eventId ?? envelope.event_id ?? readId(envelope);
	const messageId = readId(data);
	if (eventId === undefined && messageId === undefined) return undefined;
	const isKnownKind = eventKinds.some(({ value }) => value === kind);
	return hash(
		JSON.stringify([
			eventId,
			kind,
			messageId,
			isKnownKind && messageId !== undefined ? readStatus(data) : data,
		]),
	);
}

/** 66 bits are plenty among some hundred events. */
function hash(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 11);
}
