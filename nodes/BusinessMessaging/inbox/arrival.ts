/** A message as the inbox reads it. */
import { pick } from 'lodash';

import { isRecord, textOrJson } from '../jsonValues';
import { plainName, readId } from '../reading/readResponse';
import { keyOf } from '../webhooks/deduplicationKey';
import type { IncomingEvent } from '../webhooks/incomingEvent';
import { latestTimeOf, quotedIn } from '../webhooks/simpleEvent';
import { type Arrival, maxText } from './core';

/** A message as the inbox reads it; undefined for any other event. */
export function toArrival(event: IncomingEvent): Arrival | undefined {
	const { envelope, fields, sender } = event;
	const places = [envelope.data, envelope.data.message].filter(isRecord);
	const quoted = places.map(quotedIn).find((id) => id !== undefined);
	const isMessage = fields.event === 'message.received';
	const phone = sender ?? (isMessage && quoted ? '' : undefined);
	if (phone === undefined) return undefined;
	const { text, messageId, time, intent } = fields;
	const words = typeof text === 'string' ? text : null;
	const latestTime = latestTimeOf(fields);
	return {
		...nameOf(event, places, phone),
		text: words?.slice(0, maxText) ?? null,
		...((words?.length ?? 0) > maxText && { isCut: true }),
		...(messageId !== undefined && { messageId: messageId.slice(0, maxText) }),
		respondedAt: textOrJson(time).slice(0, maxText) || new Date().toISOString(),
		phone,
		...(quoted !== undefined && { quoted: quoted.slice(0, maxText) }),
		...(Number.isFinite(latestTime) && { time: latestTime }),
		...(intent === 'optOut' && { isOptOut: true }),
		...(!hasContent(places, words) && { isEmpty: true }),
	};
}

/**
 * What identifies a message: its own ID and the sender, whatever else changes, e.g. when it is edited or the URL of its
 * file gets a new signature. `id` may also be the ID of a conversation, so it counts only together with the other fields.
 */
function nameOf(
	{ envelope, key }: IncomingEvent,
	places: Array<Record<string, unknown>>,
	phone: string,
): Pick<Arrival, 'key' | 'isCertain'> {
	const [data, message = {}] = places;
	const id = readId(pick(data, 'messageId', 'message_id')) ?? readId(message);
	if (id !== undefined) return { key: `m${keyOf([phone, id])}`, isCertain: true };
	if (key !== undefined) return { key, isCertain: true };
	return { key: `u${keyOf(envelope)}`, isCertain: false };
}

/** Fields with something that a person sends besides a text, and types of such messages. Assumption: the usual names. */
const contentNames = [
	...['media', 'mediaUrl', 'mediaId', 'attachment', 'attachments', 'file', 'files', 'fileUrl'],
	...['fileName', 'mimeType', 'caption', 'image', 'imageUrl', 'photo', 'picture', 'audio', 'voice'],
	...['ptt', 'video', 'document', 'pdf', 'location', 'order'],
].map(plainName);
const contentTypes = [...contentNames, 'contact', 'contacts'];
/** Types of messages that say nothing, whatever they contain. Assumption: the usual names. */
const emptyTypes = ['reaction', 'sticker', 'system'];
const typeNames = ['type', 'messageType', 'kind', 'contentType'].map(plainName);

/** Whether a message has a text, a file, a place or a contact. */
function hasContent(places: Array<Record<string, unknown>>, text: string | null): boolean {
	const inside = places.map(({ content }) => content).filter(isRecord);
	const fields = [...places, ...inside].flatMap((place) => Object.entries(place));
	const types = fields.flatMap(([name, value]) =>
		typeNames.includes(plainName(name)) && typeof value === 'string'
			? plainName(value.split('/')[0])
			: [],
	);
	if (types.some((type) => emptyTypes.includes(type))) return false;
	if (text !== null && text.trim() !== '') return true;
	const hasFile = fields.some(
		([name, value]) => contentNames.includes(plainName(name)) && textOrJson(value ?? '') !== '',
	);
	return hasFile || types.some((type) => contentTypes.includes(type));
}
