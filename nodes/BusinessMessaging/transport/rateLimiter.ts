/** One rate for all requests of this process that share a key. It adds turns, the clock and the timers to {@link Throttle}. */
import { partition, pull, sumBy } from 'lodash';
import { sleep } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { type Limit, SlidingWindow } from './slidingWindow';
import { type RequestOutcome, Throttle } from './throttle';

/** A request that counts for the rate; exactly one of the three methods ends it. */
export interface Slot {
	/** The request reached the service, or may have. */
	accepted(): void;
	/** The request did not reach the service. */
	unsent(): void;
	/** The service refused the request because of the rate, and may have said how long to wait. */
	limited(waitMs: number | undefined): void;
}

/** Why a request gets no turn: its execution was stopped; or the service asks for too long a wait, or has refused everything for too long. */
type End = 'stopped' | 'blocked';

interface Waiting {
	/** The recipient of a message, or the endpoint: a long wait may concern only this subject. */
	subject?: string;
	limits: Limit[];
	resolve: (turn: Slot | End) => void;
}

/** Who sends requests: a run of a node, a list for the editor, the test of a credential, … */
export class RequestQueue {
	/** Its requests that wait for their turn, in their order. */
	readonly waiting: Waiting[] = [];
	/** Whether it has had a turn. */
	hasBegun = false;

	/** @param requests the limit of its credential @param messages the limit of its messages @param signal ends waiting */
	constructor(
		readonly requests: number,
		readonly messages?: Limit,
		readonly signal?: AbortSignal,
	) {}
}

/** Longest single sleep, ms, so that no timer stays for long when nobody waits any more. */
const maxNapMs = 1_000;

/** Limits the requests of one key. */
export class RateLimiter {
	private readonly throttle: Throttle;
	/** The greatest limit of a credential with this key: that of all requests together. */
	private greatest = 0;
	/** The requests of each credential, by its limit. */
	private readonly windows = new Map<number, SlidingWindow>();
	/** The queues that wait, in the order of their turns. */
	private readonly queues: RequestQueue[] = [];
	/** Whether the last turn was the first one of its queue, and others had waited before. */
	private hasOvertaken = false;
	/** When the timers end. */
	private readonly naps = new Set<number>();

	constructor(private readonly windowMs: number) {
		this.throttle = new Throttle(windowMs);
	}

	get knownConcurrency(): number | undefined {
		return this.throttle.knownConcurrency;
	}

	/** How much longer the service asks us to wait, ms; 0 if it does not. */
	waitMs(subject?: string): number {
		return this.throttle.askedMs(performance.now(), subject);
	}

	/** How many messages a queue may send within this time, ms, if the service refuses none and the others take their turns. */
	freeWithin(ms: number, queue: RequestQueue): number {
		const now = performance.now();
		const limits = this.limitsOf(queue, true);
		const free = this.throttle.freeWithin(ms, now, this.greatest);
		const others = this.queues.filter((one) => one !== queue);
		const share = free / (others.length + 1);
		const taken = sumBy(others, ({ waiting }) =>
			Math.min(share, waiting.length, freeOf(waiting[0].limits, ms, now)),
		);
		return Math.floor(Math.min(free - taken, freeOf(limits, ms, now)));
	}

	/**
	 * Waits for a turn. The requests of a queue keep their order. Senders take turns; one that has had none is next, but
	 * two of these do not go before the others.
	 */
	async acquire(queue: RequestQueue, subject?: string, isMessage = false): Promise<Slot | End> {
		// A request that waits only because of its recipient must not delay the others.
		await this.waitForSubject(queue, subject);
		return await new Promise((resolve) => {
			if (queue.waiting.length === 0) {
				this.queues.push(queue);
				queue.signal?.addEventListener('abort', this.serve);
			}
			queue.waiting.push({ subject, limits: this.limitsOf(queue, isMessage), resolve });
			this.serve();
		});
	}

	private limitsOf({ requests, messages }: RequestQueue, isMessage: boolean): Limit[] {
		this.greatest = Math.max(this.greatest, requests);
		const window = this.windows.get(requests) ?? new SlidingWindow(this.windowMs);
		this.windows.set(requests, window);
		return [{ window, most: requests }, ...(messages && isMessage ? [messages] : [])];
	}

	private async waitForSubject(queue: RequestQueue, subject?: string): Promise<void> {
		for (;;) {
			const waitMs = this.throttle.subjectWaitMs(performance.now(), subject);
			if (waitMs === 0 || this.endOf(queue, subject)) return;
			await sleep(Math.min(waitMs, maxNapMs));
		}
	}

	/** Why a request must wait no longer, without a turn. */
	private endOf({ signal }: RequestQueue, subject?: string): End | undefined {
		if (signal?.aborted) return 'stopped';
		return this.throttle.isBlocked(performance.now(), subject) ? 'blocked' : undefined;
	}

	/** Gives turns as long as there are any; called whenever there may be one. */
	private readonly serve = (): void => {
		let waitMs = this.serveNext();
		while (waitMs === 0) waitMs = this.serveNext();
		void this.serveIn(waitMs);
	};

	/** Gives a turn to the first queue that may have it. @returns how long all of them have to wait, ms */
	private serveNext(): number {
		const now = performance.now();
		let leastMs = Infinity;
		for (const queue of this.inTurn()) {
			const [{ subject, limits }] = queue.waiting;
			const end = this.endOf(queue, subject);
			const waitMs = end ? 0 : this.throttle.waitMs(now, this.greatest, limits);
			leastMs = Math.min(leastMs, waitMs);
			if (waitMs > 0) continue;
			const { resolve } = queue.waiting.shift()!;
			pull(this.queues, queue);
			if (queue.waiting.length > 0) this.queues.push(queue);
			else queue.signal?.removeEventListener('abort', this.serve); // it keeps all data of its execution in memory
			resolve(end ?? this.take(queue, subject, limits));
			break;
		}
		return leastMs;
	}

	private inTurn(): RequestQueue[] {
		const [others, first] = partition(this.queues, 'hasBegun');
		return this.hasOvertaken ? [...others, ...first] : [...first, ...others];
	}

	private take(queue: RequestQueue, subject: string | undefined, limits: Limit[]): Slot {
		this.hasOvertaken = !queue.hasBegun && this.queues.some(({ hasBegun }) => hasBegun);
		queue.hasBegun = true;
		const permit = this.throttle.take(subject, limits);
		const end = (outcome: RequestOutcome) => {
			this.throttle.end(performance.now(), permit, outcome);
			this.serve();
		};
		return {
			accepted: () => end('accepted'),
			unsent: () => end('unsent'),
			limited: (waitMs) => end({ waitMs }),
		};
	}

	/** Looks again after this time, ms, unless an earlier timer will do so. */
	private async serveIn(ms: number): Promise<void> {
		if (ms === Infinity) return; // a response comes first
		const napMs = Math.ceil(Math.min(ms, maxNapMs));
		const end = performance.now() + napMs;
		if ([...this.naps].some((other) => other <= end)) return;
		this.naps.add(end);
		await sleep(napMs);
		this.naps.delete(end);
		this.serve();
	}
}

/** How many requests may begin within a time, ms, by these limits. */
function freeOf(limits: Limit[], ms: number, now: number): number {
	return Math.min(...limits.map(({ window, most }) => window.freeWithin(ms, now, most)));
}

/** The limiters by host and key, kept for an hour: longer than any wait. */
const limiters = new BoundedMap<string, RateLimiter>({ maxSize: 1_000, maxAgeMs: 3_600_000 });

/** The limiter that all users of one host and key share in this process. */
export function limiterFor(id: string, windowMs: number): RateLimiter {
	return limiters.getOrSet(`${id} ${windowMs}`, () => new RateLimiter(windowMs));
}
