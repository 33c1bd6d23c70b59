/** Recognizes events that were delivered before. Why none is lost: docs/trigger.md, docs/adr/0005-trigger.md. */
import { uniqBy } from 'lodash';
import { sleep } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { keyLength } from './deduplicationKey';
import type { Kept, Response } from './kept';
import { Refusal } from './refusal';

/**
 * How many events are remembered after a restart: the receipts of a large campaign for a minute or more. The process
 * remembers more: what it loads becomes the newest, and an old stored text must not push out the latest events.
 */
const maxStored = 5_000;
const maxInProcess = 4 * maxStored;
/** How long events are remembered, minutes: services repeat deliveries for up to a day or two. */
const maxAgeMinutes = 48 * 60;
const minuteMs = 60_000;

/** How long a duplicate waits for the first delivery of its event, ms: services give up after ten seconds or more. */
const maxWaitMs = 8_000;

/** An event of a delivery that has no response yet, with its time in minutes since 1970. */
interface UnderWay {
	response: Response;
	minute: number;
}

/** The state of an event; `underWay` if the result is not known yet. */
type EventState = 'new' | 'taken' | 'underWay';

/** Checks every millisecond. A timer that can be cancelled (transport/deadline.ts) costs fifty times as much as `sleep`. */
async function until(holds: () => boolean): Promise<void> {
	const end = performance.now() + maxWaitMs;
	while (!holds() && performance.now() < end) await sleep(1);
}

/** The events of one trigger, by their deduplication keys. */
export class RecentEvents implements Kept {
	/** Events that have started an execution, with their time in minutes. */
	private readonly taken = new BoundedMap<string, number>({
		maxSize: maxInProcess,
		maxAgeMs: maxAgeMinutes * minuteMs,
	});
	/** The stored text that was loaded last. */
	private loaded: unknown;
	private readonly underWay = new BoundedMap<string, UnderWay>({ maxSize: maxInProcess });

	/** Adds the events that another process or an earlier one has stored, and learns which deliveries have a response. */
	merge(stored: unknown): void {
		if (typeof stored === 'string' && stored !== this.loaded) {
			this.loaded = stored;
			for (const entry of stored.split(' ')) {
				const [key, minute] = [entry.slice(0, keyLength), parseInt(entry.slice(keyLength), 36)];
				const isKnown = isRecent(this.taken.get(key)) || this.underWay.has(key);
				if (isRecent(minute) && !isKnown) this.taken.set(key, minute);
			}
		}
		this.settle();
	}

	/** Other events that are not stored yet are stored with the next event: each writing takes n8n some time. */
	isBehind(_stored: unknown, response: Response): boolean {
		return this.entriesOf(response).length > 0;
	}

	live(response?: Response): { toJSON(): unknown } | undefined {
		const isEmpty = this.taken.size + this.underWay.size === 0;
		return isEmpty ? undefined : { toJSON: () => this.toText(response) };
	}

	/**
	 * Leaves out events that have started an execution before, and duplicates among these.
	 * @throws Refusal if the service has to deliver again, because the first delivery of an event has no response yet
	 */
	async withoutDuplicates<T extends { key?: string }>(
		response: Response,
		events: T[],
	): Promise<T[]> {
		const fresh: T[] = [];
		for (const event of uniqBy(events, (one) => one.key ?? one)) {
			const state = event.key ? await this.recognize(response, event.key) : 'new';
			if (state === 'underWay')
				throw new Refusal(503, 'The same event is being handled at this moment');
			if (state === 'new') fresh.push(event);
		}
		return fresh;
	}

	/**
	 * Remembers an event, unless n8n then fails to start the execution. A duplicate waits for the first delivery.
	 * @returns `new` if the event should start an execution, `taken` if it already did; `underWay` if this is not known in
	 * time, and the service should deliver it again
	 */
	async recognize(response: Response, key: string): Promise<EventState> {
		// If the first delivery has failed, another duplicate that waits may be the next first one.
		for (let earlier = this.underWay.get(key); earlier; earlier = this.underWay.get(key)) {
			const { response: first } = earlier;
			await until(() => first.writableEnded || first.destroyed);
			this.settle();
			if (!first.writableEnded) return 'underWay';
		}
		// There must be no await between this check and marking the event as under way.
		if (isRecent(this.taken.get(key))) return 'taken';
		this.underWay.set(key, { response, minute: minuteNow() });
		return 'new';
	}

	/** Moves the events of a delivery to another delivery, which starts one execution for both. */
	handOver(from: Response, to: Response): void {
		for (const [key, minute] of this.entriesOf(from))
			this.underWay.set(key, { response: to, minute });
	}

	/** n8n responds after it has stored the execution. If that failed, the events are forgotten. */
	private settle(): void {
		for (const [key, { response, minute }] of this.underWay.all()) {
			if (!response.writableEnded) continue;
			this.underWay.delete(key);
			if (response.statusCode < 300) this.taken.set(key, minute);
		}
	}

	/**
	 * The events that have started an execution, and those of the delivery. Others under way are left out, so that after a
	 * crash they count as new.
	 */
	private toText(response?: Response): string {
		this.settle();
		const entries = [...this.taken.all(), ...this.entriesOf(response)].slice(-maxStored);
		return entries.map(([key, minute]) => `${key}${minute.toString(36)}`).join(' ');
	}

	private entriesOf(response?: Response): Array<[key: string, minute: number]> {
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
