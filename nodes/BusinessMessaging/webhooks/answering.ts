/** What happens with a message of somebody who was asked. */
import type { EventEnvelope } from '../api/events';
import { endpoints } from '../api/endpoints';
import { BoundedMap } from '../boundedMap';
import { asText } from '../operations/asText';
import { asFailure } from '../operations/outcome';
import { samePhoneKey } from '../phone/compare';
import type { Client } from '../transport/client';
import { readAnswer, repeatText } from './answers';
import { type Answer, type ExpectedAnswer, cutAnswer } from './question';
import { readEvent } from './simpleEvent';

/** How often this process has repeated a question, by run and item. */
const repeated = new BoundedMap<string, number>({ maxSize: 10_000 });

/** Names the phone that a message comes from; undefined for any other event. */
export function senderOf(event: EventEnvelope): string | undefined {
	const { event: kind, from } = readEvent(event);
	return kind === 'message.received' ? samePhoneKey(asText(from)) || undefined : undefined;
}

/** Whether a message was written before the question, as far as the service's own times tell. */
export function isEarlier(event: EventEnvelope, askedTime: number): boolean {
	return Date.parse(asText(readEvent(event).time)) < askedTime;
}

/** Reads a message as the answer to a question. */
export function toAnswer(event: EventEnvelope, item: number, expected: ExpectedAnswer): Answer {
	const { text, messageId, time } = readEvent(event);
	const words = typeof text === 'string' ? text : null;
	return cutAnswer({
		item,
		text: words,
		messageId,
		time: time === undefined ? undefined : asText(time),
		isAccepted: readAnswer(words, expected) !== undefined,
	});
}

/**
 * Asks again after an answer that does not fit.
 *
 * @returns false if that has been done often enough
 * @throws ServiceError if the text was not sent
 */
export async function repeatQuestion(
	client: Client,
	run: string,
	{ item, to, expected }: { item: number; to: string; expected: ExpectedAnswer },
): Promise<boolean> {
	const place = `${run} ${item}`;
	const times = repeated.get(place) ?? 0;
	if (times >= expected.repeats) return false;
	const body = { to, text: expected.repeatText || repeatText(expected) };
	const failure = await client.call(endpoints.sendText, { body }).then(() => undefined, asFailure);
	if (failure?.sendStatus === 'notSent') throw failure;
	repeated.set(place, times + 1);
	return true;
}
