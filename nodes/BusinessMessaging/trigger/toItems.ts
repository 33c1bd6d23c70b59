/** The items with which an execution starts. */
import { compact, isString, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { asMilliseconds } from '../reading/readResponse';
import type { IncomingEvent } from '../webhooks/incomingEvent';
import { simplify } from '../webhooks/simpleEvent';
import type { TriggerSettings } from './settings';

/** The data of the items: one for each event; or, if the user groups messages, one for all messages of a person. */
export function toItems(
	events: IncomingEvent[],
	{ isSimplified, groupMs }: Pick<TriggerSettings, 'isSimplified' | 'groupMs'>,
): IDataObject[] {
	const toItem = ({ envelope, fields }: IncomingEvent) =>
		(isSimplified ? simplify(envelope, fields) : envelope) as IDataObject;
	if (groupMs === 0) return events.map(toItem);
	const groups = new Map<unknown, IncomingEvent[]>();
	for (const event of events) {
		const key = event.sender ?? event;
		groups.set(key, [...(groups.get(key) ?? []), event]);
	}
	return [...groups].map(([key, group]) => {
		if (typeof key !== 'string') return toItem(group[0]);
		const ordered = inOrder(group);
		const last = toItem(ordered[ordered.length - 1]);
		const messages = ordered.map(toItem);
		if (!isSimplified) return { ...last, messages };
		const intent = ordered.map(({ fields }) => fields.intent).findLast(Boolean);
		const texts = compact(ordered.map(({ fields }) => fields.text)).filter(isString);
		const text = texts.join('\n');
		return { ...last, ...(text && { text }), ...(intent && { intent }), messages };
	});
}

/** Messages in the order in which they were written, if all have a time, else in the order of their arrival. */
function inOrder(messages: IncomingEvent[]): IncomingEvent[] {
	const times = new Map(messages.map((message) => [message, asMilliseconds(message.fields.time)]));
	const isKnown = [...times.values()].every(Number.isFinite);
	return isKnown ? sortBy(messages, (message) => times.get(message)) : messages;
}
