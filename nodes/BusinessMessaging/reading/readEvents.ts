import { type EventEnvelope, eventEnvelopeSchema, eventKinds } from '../api/events';
import { foldText } from '../foldText';
import { isRecord, isTooDeep } from '../jsonValues';
import { readList } from './readResponse';

const stateWords: Record<string, RegExp> = {
	failed: /^(failed|failure|undelivered|undeliverable|undelivrd|rejected|rejectd|expired|error)$/,
	read: /^(read|seen|viewed|opened)$/,
	delivered: /^(delivered|delivrd)$/,
	sent: /^(sent|submitted|dispatched)$/,
};
const receiptWords =
	/^(messages?|msg|sms|whatsapp|outbound|outgoing|status|statuses|state|changed|updated?|delivery|receipt|report|dlr|ack|event)$/;

/** Words for an incoming message, one of which its name contains, and other words in such names. */
const incomingWord = /^(received|inbound|incoming)$/;
const messageWords = /^(messages?|msg|sms|mms|whatsapp|text|event|new)$/;

/**
 * Our name for incoming messages (`MessageReceived`, `inbound.message`) and for delivery receipts (`READ`, or
 * `message.status` with a status in the data). Other events keep their name. All of this is an assumption.
 */
export function kindOf({ event, data }: EventEnvelope): string {
	if (eventKinds.some(({ value }) => value === event)) return event;
	const words = wordsOf(event);
	if (isIncoming(words)) return 'message.received';
	if (!words.every((word) => kindOfWord(word) ?? receiptWords.test(word))) return event;
	const [stated] = wordsOf(readStatus(data) ?? '').flatMap((word) => kindOfWord(word) ?? []);
	return stated ?? words.flatMap((word) => kindOfWord(word) ?? []).at(-1) ?? event;
}

function isIncoming(words: string[]): boolean {
	const others = words.filter((word) => !incomingWord.test(word));
	return others.length < words.length && others.every((word) => messageWords.test(word));
}

/** The status of a message, as the service writes it: at the top, or inside `message`. */
export function readStatus({ status, message }: EventEnvelope['data']): string | undefined {
	const inner = isRecord(message) ? message.status : undefined;
	return [status, inner].find((value) => typeof value === 'string');
}

/** The words in a name: `messageDelivered`, `message.delivered` and `MESSAGE_DELIVERED` consist of the same words. */
function wordsOf(name: string): string[] {
	return foldText(name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
		.replace(/\bnot[_ ]?delivered/, 'undelivered')
		.split(/[^a-z]+/)
		.filter(Boolean);
}

function kindOfWord(word: string): string | undefined {
	const state = Object.keys(stateWords).find((name) => stateWords[name].test(word));
	return state && `message.${state}`;
}

/** The events of a delivery (one or a list, alone or under any key), and how many of its entries are no events. */
export function readEnvelopes(body: unknown): { events: EventEnvelope[]; others: number } {
	const single = eventEnvelopeSchema.safeParse(body).data;
	const list = single ? [single] : (readList(body) ?? []);
	const read = list.flatMap((entry) => eventEnvelopeSchema.safeParse(entry).data ?? []);
	const events = read.filter((event) => !isTooDeep(event));
	return { events, others: list.length - events.length };
}
