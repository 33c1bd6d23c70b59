/** Decides whether two deliveries are the same event. In doubt they are two, so that no message is lost, with one exception below. */
import { type EventEnvelope, eventKinds } from '../api/events';
import { kindOf } from '../reading/readEvents';
import { isEmptyValue, isRecord } from '../jsonValues';
import { readId } from '../reading/readResponse';
import { hashOf } from './secret';
import { readTime, timeField } from './simpleEvent';

/** Length of a key, characters: 66 bits are enough to tell some thousand events apart. */
export const keyLength = 11;

/** Fields that count how often an event was delivered. */
const deliveryField =
	/^(delivery_?)?(attempts?|attempt_?(number|count)|retries|retry_?(number|count))$|^delivery_?id$/i;

const idField = /(^|[^a-z])id$|[a-z]I[dD]$/;

/**
 * A key that all deliveries of an event share, and no other event has (table: docs/trigger.md). The `id` in
 * a payload may belong to a conversation, so the whole payload counts; fields beside it may describe the delivery.
 * @returns undefined if nothing identifies the event: two equal texts of a customer are two messages
 */
export function deduplicationKeyOf(
	{ event, data, ...envelope }: EventEnvelope,
	headers: Record<string, unknown>,
): string | undefined {
	const kind = kindOf({ event, data });
	const content = [kind, withoutDeliveryFields(data)];
	const isMessage = eventKinds.some(({ value }) => value === kind);
	const hasMessageId = readId(data) !== undefined;
	const hasId = hasMessageId || Object.keys(data).some((name) => idField.test(name));
	// Some services put a message's own fields one level deeper, under `message`.
	const places = [data, data.message].filter(isRecord);
	const hasTime = places.some((place) => timeField(place, !isMessage) !== undefined);
	if (hasId && hasTime) return keyOf(content);
	const eventIds = [headers['webhook-id'], envelope.eventId, envelope.event_id];
	const eventId = eventIds.find((one) => !isEmptyValue(one));
	if (eventId !== undefined) return keyOf([content, eventId]);
	// This ID may be that of the account, and so the same in every event: the time counts too. Without any time it is taken
	// for the event's, because far more services have that one there, and repeat what they deliver.
	const id = readId(envelope);
	const time = readTime(envelope);
	const isIdentified = time === undefined ? isMessage && hasMessageId : hasId;
	return id !== undefined || isIdentified ? keyOf([content, id, time]) : undefined;
}

/** The payload with its fields in a fixed order, without those that count deliveries. */
function withoutDeliveryFields(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutDeliveryFields);
	if (!isRecord(value)) return value;
	const names = Object.keys(value).filter((name) => !deliveryField.test(name));
	return names.sort().map((name) => [name, withoutDeliveryFields(value[name])]);
}

/** A short name of a content, see keyLength. Equal contents have equal names if their fields are in one order. */
export function keyOf(content: unknown): string {
	return hashOf(JSON.stringify(content)).slice(0, keyLength);
}
