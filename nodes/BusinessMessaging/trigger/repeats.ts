/**
 * Events that were delivered before. A service delivers again what it believes not to have arrived.
 *
 * What came is remembered in this process, for copies that come at the same moment, and in n8n's static data, for later
 * ones and over restarts. n8n writes that after the execution has been stored and before it answers, so that after a
 * crash an event may come twice but is never lost: a delivery writes down itself and what was answered before it, but
 * none that is still under way beside it. Several processes that take deliveries share it only as far as they read
 * what another one has written.
 */
import { createHash } from 'crypto';
import { type IWebhookFunctions, sleep } from 'n8n-workflow';

import { type EventEnvelope, eventKinds, kindOf, readStatus } from '../api/events';
import { readId } from '../api/read';
import { nodeKey } from './memory';

/** How many events are remembered over restarts, and in the process. */
const maxStored = 500;
const maxInProcess = 5_000;

/** A copy waits at most this long for the one before it, ms; services give up after ten seconds or more. */
const longestWaitMs = 8_000;

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** An event that n8n has not answered yet. */
interface UnderWay {
	response: Response;
	/** When it is answered, or the service has hung up. */
	settled: Promise<unknown>;
}

/** Of each node, the events by their identity, oldest first. */
const known = new Map<string, Map<string, UnderWay | 'taken'>>();

/**
 * What tells an event from all others: the identifier of the event, and that of the message with the kind of event.
 * Both, as an identifier beside the data might be that of the account, the same with every event.
 *
 * @returns undefined if there is neither, as two equal texts of a customer are two messages
 */
export function identityOf({ event, data, ...envelope }: EventEnvelope, headers: Record<string, unknown>): string | undefined {
	const kind = kindOf({ event, data });
	const eventId = headers['webhook-id'] ?? envelope.eventId ?? envelope.event_id ?? readId(envelope);
	const messageId = readId(data);
	if (eventId === undefined && messageId === undefined) return undefined;
	const isKnownKind = eventKinds.some(({ value }) => value === kind);
	return hash(JSON.stringify([eventId, kind, messageId, isKnownKind && messageId !== undefined ? readStatus(data) : data]));
}

/** 66 bits are plenty among some hundred events. */
function hash(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 11);
}

/** What became of an event that was delivered before. */
type Fate = 'taken' | 'underWay' | 'failed';

/** n8n has stored the execution by the time it answers, and not otherwise. */
function fateNow(earlier: UnderWay | 'taken'): Fate {
	if (earlier === 'taken') return 'taken';
	if (!earlier.response.writableEnded) return 'underWay';
	return earlier.response.statusCode < 300 ? 'taken' : 'failed';
}

/**
 * Remembers an event, unless n8n then fails to start the execution: the service delivers it again, and it is new again.
 * A copy of one that is under way waits for what becomes of that: it must not be answered before the event is safe.
 *
 * @returns `new` if the event shall start an execution, `taken` if it did before; `underWay` if that takes too long to
 *   tell, and the service should ask again
 */
export async function recognize(context: IWebhookFunctions, identity: string): Promise<'new' | 'taken' | 'underWay'> {
	const staticData = context.getWorkflowStaticData('node');
	const memory = memoryOf(context, staticData.recentEvents);
	for (let earlier = memory.get(identity); earlier !== undefined; earlier = memory.get(identity)) {
		if (earlier !== 'taken' && fateNow(earlier) === 'underWay') await Promise.race([earlier.settled, timeLimit()]);
		const fate = fateNow(earlier);
		if (fate !== 'failed') return fate;
		if (memory.get(identity) === earlier) memory.delete(identity);
	}
	const response = context.getResponseObject().setMaxListeners(0); // some for each event of a delivery
	const isKept = (entry: UnderWay | 'taken') => fateNow(entry) === 'taken' || (entry !== 'taken' && entry.response === response);
	memory.set(identity, watch(response, () => memory.set(identity, 'taken')));
	void untilAnswered(response, () => {
		const kept = [...memory].flatMap(([other, entry]) => (isKept(entry) ? [other] : []));
		staticData.recentEvents = kept.slice(-maxStored).join(' ');
	});
	for (const oldest of memory.keys()) {
		if (memory.size <= maxInProcess) break;
		memory.delete(oldest);
	}
	return 'new';
}

function memoryOf(context: IWebhookFunctions, recentEvents: unknown): Map<string, UnderWay | 'taken'> {
	const memory = known.get(nodeKey(context)) ?? new Map<string, UnderWay | 'taken'>();
	known.set(nodeKey(context), memory);
	const stored = typeof recentEvents === 'string' ? recentEvents.split(' ') : [];
	for (const identity of stored) if (!memory.has(identity)) memory.set(identity, 'taken');
	return memory;
}

/**
 * Changes the static data until n8n answers, which is when it is stored. Once would not do: n8n 2.41 forgets that it was
 * changed when it begins to store the execution, somewhere between the end of this node and the answer.
 */
async function untilAnswered(response: Response, change: () => void): Promise<void> {
	const end = Date.now() + longestWaitMs;
	do {
		change();
		await sleep(1);
	} while (!response.writableEnded && !response.destroyed && Date.now() < end);
}

function watch(response: Response, onTaken: () => void): UnderWay {
	const settled = new Promise((resolve) => {
		response.once('finish', resolve);
		response.once('close', resolve);
	});
	const underWay = { response, settled };
	void settled.then(() => fateNow(underWay) === 'taken' && onTaken());
	return underWay;
}

async function timeLimit(): Promise<unknown> {
	const signal = AbortSignal.timeout(longestWaitMs);
	return await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
