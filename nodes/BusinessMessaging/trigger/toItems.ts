/** The items with which an execution starts. */
import { pickBy, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { EventEnvelope } from '../api/events';
import { asMilliseconds } from '../reading/readResponse';
import { readEvent, senderOf, simplify } from '../webhooks/simpleEvent';
import type { TriggerSettings } from './settings';

/** The data of the items: one for each event; or, if the user groups messages, one for all messages of a person. */
export function toItems(
	events: EventEnvelope[],
	{ isSimplified, groupMs }: Pick<TriggerSettings, 'isSimplified' | 'groupMs'>,
): IDataObject[] {
	const toItem = (event: EventEnvelope) => (isSimplified ? simplify(event) : event) as IDataObject;
	if (groupMs === 0) return events.map(toItem);
	const groups = new Map<unknown, EventEnvelope[]>();
	for (const event of events) {
		const key = senderOf(event) ?? event;
		groups.set(key, [...(groups.get(key) ?? []), event]);
	}
	return [...groups].map(([key, group]) => {
		if (typeof key !== 'string') return toItem(group[0]);
		const ordered = inOrder(group);
		const last = toItem(ordered[ordered.length - 1]);
		const messages = ordered.map(toItem);
		if (!isSimplified) return { ...last, messages };
		const intent = ordered.map((event) => readEvent(event).intent).findLast(Boolean);
		const joined = pickBy({ text: joinTexts(ordered), intent }, (value) => value !== undefined);
		return { ...last, ...joined, messages };
	});
}

/** Messages in the order in which they were written, if all have a time, else in the order of their arrival. */
function inOrder(messages: EventEnvelope[]): EventEnvelope[] {
	const times = new Map(
		messages.map((message) => [message, asMilliseconds(readEvent(message).time)]),
	);
	const isKnown = [...times.values()].every(Number.isFinite);
	return isKnown ? sortBy(messages, (message) => times.get(message)) : messages;
}

/** The texts of messages, one per line; undefined if none has a text. */
function joinTexts(messages: EventEnvelope[]): string | undefined {
	const texts = messages.map((message) => readEvent(message).text);
	const written = texts.filter((text) => typeof text === 'string' && text !== '');
	return written.length > 0 ? written.join('\n') : undefined;
}
