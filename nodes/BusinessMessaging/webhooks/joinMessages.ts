/** Several messages of one person, written one after the other, as one. */
import { sortBy } from 'lodash';

import type { EventEnvelope } from '../api/events';
import { asText } from '../api/read';
import { readEvent } from './simpleEvent';

/** Messages of a person are waited for at most this long, s: services give up after ten seconds or more. */
export const maxGroupSeconds = 8;

/** Messages in the order in which they were written if all say when, else in that in which they came. */
export function inOrder(messages: EventEnvelope[]): EventEnvelope[] {
	const times = new Map(messages.map((message) => [message, timeOf(message)]));
	const isKnown = [...times.values()].every(Number.isFinite);
	return isKnown ? sortBy(messages, (message) => times.get(message)) : messages;
}

/** Times of one service have one form: Unix time, or a date. */
function timeOf(message: EventEnvelope): number {
	const time = asText(readEvent(message).time);
	return /^\d+$/.test(time) ? Number(time) : Date.parse(time);
}

/** The texts of messages, one under the other; undefined if none has a text. */
export function joinTexts(messages: EventEnvelope[]): string | undefined {
	const texts = messages.map((message) => readEvent(message).text);
	const written = texts.filter((text) => typeof text === 'string' && text !== '');
	return written.length > 0 ? written.join('\n') : undefined;
}
