/**
 * Deliveries that share one execution: a person's messages in a row, or delivery receipts. All get their response when
 * n8n has stored the execution, so after a crash, the service delivers again what has started nothing.
 */
import { uniq } from 'lodash';

import { pause } from '../transport/deadline';
import { hasSucceeded } from '../webhooks/delivery';
import type { IncomingEvent } from '../webhooks/incomingEvent';
import type { Response } from '../webhooks/kept';
import type { RecentEvents } from '../webhooks/recentEvents';
import { isReceipt } from './filters';
import type { TriggerSettings } from './settings';

/** The longest time to wait for a person's messages, s: services give up after ten seconds or more. */
export const maxGroupSeconds = 8;
/** Receipts start their execution when no new one has come for this long, ms, or at the latest after this time, ms. */
const receiptQuietMs = 100;
const maxReceiptMs = 3_000;
/** This many receipts start their execution at once: it costs little, and the service may wait for a response first. */
const maxReceipts = 20;
/** By this time, n8n has either stored an execution or failed, ms. */
const maxStoreMs = 60_000;

/** What a delivery waits for before its events start an execution. */
interface Rule {
	/** Deliveries with the same name wait for each other. */
	name: string;
	/** It waits until no new event has come for this long, ms. */
	quietMs: number;
	/** It waits at most this long after the first event, ms, and for at most this many events. */
	maxMs: number;
	maxEvents: number;
}

/** Undefined if the events start an execution at once, e.g. events of several people. */
function ruleFor(events: IncomingEvent[], settings: TriggerSettings): Rule | undefined {
	if (events.length === 0) return undefined;
	const senders = uniq(events.map(({ sender }) => sender));
	if (settings.groupMs > 0 && senders.length === 1 && senders[0]) {
		const [quietMs, maxMs] = [settings.groupMs, maxGroupSeconds * 1_000];
		return { name: `from ${senders[0]}`, quietMs, maxMs, maxEvents: Infinity };
	}
	const isBatch = settings.batchesReceipts && events.every(({ fields }) => isReceipt(fields));
	if (!isBatch) return undefined;
	return {
		name: 'receipts',
		quietMs: receiptQuietMs,
		maxMs: maxReceiptMs,
		maxEvents: maxReceipts,
	};
}

class Collection {
	readonly events: IncomingEvent[] = [];
	private readonly waiting: Response[] = [];

	/** @param first the response to the delivery that starts the execution */
	constructor(readonly first: Response) {}

	add(response: Response, events: IncomingEvent[]): void {
		this.events.push(...events);
		this.waiting.push(response);
	}

	/** Counts short pauses instead of reading the clock: while n8n is too busy to receive events, there is no silence. */
	async untilQuiet({ quietMs, maxMs, maxEvents }: Rule): Promise<void> {
		const stepMs = Math.min(quietMs / 20, 100);
		const end = performance.now() + maxMs;
		let quiet = 0;
		while (quiet < quietMs && performance.now() < end && this.events.length < maxEvents) {
			const count = this.events.length;
			await pause(stepMs);
			quiet = this.events.length === count ? quiet + stepMs : 0;
		}
	}

	async answer(): Promise<void> {
		const isStored = await hasSucceeded(this.first, maxStoreMs);
		const status = isStored ? 200 : 503;
		for (const response of this.waiting)
			response.status(status).json({ message: isStored ? 'Collected' : 'Not handled' });
	}
}

/** The collections of one trigger. */
export class Collections {
	/** Those to which events can still be added. */
	private readonly open = new Map<string, Collection>();

	constructor(private readonly recent: RecentEvents) {}

	/**
	 * Lets the events of a delivery wait for others, if the user wants that.
	 * @returns the events that start an execution now; none if another delivery starts it and responds to this one
	 */
	async join(
		response: Response,
		events: IncomingEvent[],
		settings: TriggerSettings,
	): Promise<IncomingEvent[]> {
		const rule = ruleFor(events, settings);
		if (!rule) return events;
		const name = `${settings.isTest} ${rule.name}`;
		const earlier = this.open.get(name);
		if (earlier) {
			this.recent.handOver(response, earlier.first);
			earlier.add(response, events);
			return [];
		}
		const collection = new Collection(response);
		collection.events.push(...events);
		this.open.set(name, collection);
		await collection.untilQuiet(rule);
		this.open.delete(name);
		void collection.answer();
		return collection.events;
	}
}
