/**
 * Events that were delivered before. A service delivers again what it believes not to have arrived.
 *
 * What came is remembered in this process, for copies that come at the same moment, and in n8n's static data, for later
 * ones and over restarts. n8n writes that after the execution has been stored and before it answers, so that after a
 * crash an event may come twice but is never lost: a delivery writes down itself and what was answered before it, but
 * none that is still under way beside it. Several processes share it only as far as they read what another has written.
 */
import type { IWebhookFunctions } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { pause } from '../transport/deadline';
import { keyLength } from './deduplicationKey';
import { nodeKey, readState, writeState } from './nodeState';

/** How many events are remembered over restarts, and in the process. */
const maxStored = 500;
const maxInProcess = 5_000;
/** For how long: services deliver again for up to a day or two. */
const maxAgeMinutes = 48 * 60;
const minuteMs = 60_000;

/** A copy waits at most this long for the one before it, ms; services give up after ten seconds or more. */
const maxWaitMs = 8_000;

/** The response to a delivery, which n8n ends once it has stored what the delivery starts. */
export type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** An event of a delivery that n8n had not answered yet, with the minute in which it came, since 1970. */
interface UnderWay {
	response: Response;
	minute: number;
}

/** What became of an event; `underWay` if that is not known yet. */
type Fate = 'new' | 'taken' | 'underWay';

/** Waits until something holds, at most as long as a copy waits. */
async function until(holds: () => boolean, meanwhile = () => {}): Promise<void> {
	const end = Date.now() + maxWaitMs;
	while (!holds() && Date.now() < end) {
		meanwhile();
		await pause(1);
	}
}

/** The events of one node, by their deduplication keys. */
class NodeEvents {
	/** Those that have started an execution, with the minute in which they came. */
	private readonly taken = new BoundedMap<string, number>({ maxSize: maxInProcess });
	/** What was loaded last. */
	private loaded: unknown;
	private readonly underWay = new BoundedMap<string, UnderWay>({ maxSize: maxInProcess });

	/** See {@link recognize}. Nothing is awaited between the last look and the note that the event is under way. */
	async recognize(context: IWebhookFunctions, key: string): Promise<Fate> {
		const response = context.getResponseObject();
		this.load(readState(context, 'recentEvents'));
		this.settle();
		for (let earlier = this.underWay.get(key); earlier; earlier = this.underWay.get(key)) {
			const { response: first } = earlier;
			await until(() => first.writableEnded || first.destroyed);
			this.settle();
			if (!first.writableEnded) return 'underWay';
		}
		if (isRecent(this.taken.get(key))) return 'taken';
		this.underWay.set(key, { response, minute: minuteNow() });
		return 'new';
	}

	/** See {@link storeEvents}. */
	store(context: IWebhookFunctions): void {
		const response = context.getResponseObject();
		if (this.entriesOf(response).length === 0) return;
		// Once would not do: n8n 2.41 forgets that the static data was changed when it begins to store the execution.
		const live = { toJSON: () => this.toText(response) };
		const write = () => writeState(context, 'recentEvents', live);
		void until(() => response.writableEnded, write);
	}

	/** See {@link handOver}. */
	handOver(from: Response, to: Response): void {
		for (const [key, minute] of this.entriesOf(from))
			this.underWay.set(key, { response: to, minute });
	}

	/** Adds what another process or an earlier one has stored. */
	private load(recentEvents: unknown): void {
		if (recentEvents === this.loaded) return;
		this.loaded = recentEvents;
		const stored = typeof recentEvents === 'string' ? recentEvents.split(' ') : [];
		for (const entry of stored) {
			const [key, minute] = [entry.slice(0, keyLength), parseInt(entry.slice(keyLength), 36)];
			const isKnown = isRecent(this.taken.get(key)) || this.underWay.has(key);
			if (isRecent(minute) && !isKnown) this.taken.set(key, minute);
		}
	}

	/**
	 * Moves the events of answered deliveries to those taken. n8n has stored the execution by the time it answers; if it
	 * has failed, the events are forgotten.
	 */
	private settle(): void {
		for (const [key, { response, minute }] of this.underWay.all()) {
			if (!response.writableEnded) continue;
			this.underWay.delete(key);
			if (response.statusCode < 300) this.taken.set(key, minute);
		}
	}

	/** What n8n stores with a delivery: the newest events that were taken, and those of the delivery itself. */
	private toText(response: Response): string {
		this.settle();
		const entries = [...this.taken.all(), ...this.entriesOf(response)].slice(-maxStored);
		return entries.map(([key, minute]) => `${key}${minute.toString(36)}`).join(' ');
	}

	private entriesOf(response: Response): Array<[key: string, minute: number]> {
		const own = this.underWay.all().filter(([, one]) => one.response === response);
		return own.map(([key, { minute }]) => [key, minute]);
	}
}

function minuteNow(): number {
	return Math.floor(Date.now() / minuteMs);
}

function isRecent(minute: number | undefined): boolean {
	return minute !== undefined && minuteNow() - minute < maxAgeMinutes;
}

const nodes = new BoundedMap<string, NodeEvents>({
	maxSize: 1_000,
	maxAgeMs: maxAgeMinutes * minuteMs,
});

function eventsOf(context: IWebhookFunctions): NodeEvents {
	return nodes.getOrSet(nodeKey(context), () => new NodeEvents());
}

/**
 * Remembers an event, unless n8n then fails to start the execution: the service delivers it again, and it is new again.
 * A copy of one that is under way must not be answered before that is safe.
 *
 * @param key of the event, see deduplicationKeyOf
 * @returns `new` if the event is to start an execution, `taken` if it did before; `underWay` if that takes too long to
 *   tell, and the service should ask again
 */
export async function recognize(context: IWebhookFunctions, key: string): Promise<Fate> {
	return await eventsOf(context).recognize(context, key);
}

/** Has n8n store the events of a delivery with what it starts now. */
export function storeEvents(context: IWebhookFunctions): void {
	eventsOf(context).store(context);
}

/** Has the events of a delivery share the fate of another one, which starts the execution for both. */
export function handOver(context: IWebhookFunctions, to: Response): void {
	eventsOf(context).handOver(context.getResponseObject(), to);
}
