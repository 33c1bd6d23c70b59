/** Names under which services write the time of an event. Assumption: the usual names. */
import { plain } from '../reading/readResponse';

/** Also written as occurred_at. The clearest ones come first. */
const timeNames = [
	...['timestamp', 'occurredAt', 'eventTime', 'messageTimestamp', 'time', 'dateTime', 'receivedAt'],
	...['createdAt', 'createdDateTime', 'dateCreated', 'sentAt', 'date', 'updatedAt'],
].map(plain);

/** Those that are about the event itself, not about the record in it. */
const ofEvents = ['timestamp', 'occurredAt', 'eventTime', 'updatedAt'].map(plain);

/**
 * The name of the field with the time of an event.
 *
 * @param isAboutRecord whether the event is about a record with times of its own, such as its creation
 */
export function timeField(
	record: Record<string, unknown>,
	isAboutRecord = false,
): string | undefined {
	const names = Object.keys(record).filter((name) => isTime(record[name]));
	const wanted = isAboutRecord ? ofEvents : timeNames;
	const found = wanted.map((one) => names.find((name) => plain(name) === one));
	return found.find((name) => name !== undefined);
}

function isTime(value: unknown): boolean {
	return typeof value === 'number' || (typeof value === 'string' && value !== '');
}
