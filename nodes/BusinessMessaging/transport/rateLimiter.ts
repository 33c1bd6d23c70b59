/** One rate for all requests of this process that share a key. It adds the queue, the clock and the timers to {@link Throttle}. */
import { noop } from 'lodash';
import { sleep } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { withLock } from '../mutex';
import { type RequestOutcome, type Permit, Throttle } from './throttle';

/** A request that counts for the rate; exactly one of the three methods ends it. */
export interface Slot {
	/** The request reached the service, or may have. */
	accepted(): void;
	/** The request did not reach the service. */
	unsent(): void;
	/** The service refused the request because of the rate, and may have said how long to wait. */
	limited(waitMs: number | undefined): void;
}

interface Waiting {
	/** The recipient of a message, or the endpoint: a long wait may concern only this subject. */
	subject?: string;
	signal?: AbortSignal;
}

/** Longest single sleep, ms. A stopped execution is noticed after it. */
const maxNapMs = 1_000;

/** Limits the requests of one key. */
export class RateLimiter {
	private readonly throttle: Throttle;
	/** Wakes the first request in the queue when a request has ended. */
	private wake: () => void = noop;

	constructor(windowMs: number) {
		this.throttle = new Throttle(windowMs);
	}

	get knownConcurrency(): number | undefined {
		return this.throttle.knownConcurrency;
	}

	/** How much longer the service asks us to wait, ms; 0 if it does not. */
	waitMs(subject?: string): number {
		return this.throttle.askedMs(performance.now(), subject);
	}

	freeWithin(ms: number, requests: number): number {
		return this.throttle.freeWithin(ms, performance.now(), requests);
	}

	/**
	 * Waits for a turn; first come, first served. Returns `blocked` if the service asks for too long a wait, or has refused
	 * everything for too long.
	 */
	async acquire(requests: number, waiting: Waiting = {}): Promise<Slot | 'stopped' | 'blocked'> {
		// A request that waits only because of its recipient must not delay the others.
		await this.waitForSubject(waiting);
		return await withLock(this, async () => await this.takeWhenFree(requests, waiting));
	}

	private async waitForSubject(waiting: Waiting): Promise<void> {
		for (;;) {
			const waitMs = this.throttle.subjectWaitMs(performance.now(), waiting.subject);
			if (waitMs === 0 || this.endOf(waiting)) return;
			await sleep(Math.min(waitMs, maxNapMs));
		}
	}

	private async takeWhenFree(
		requests: number,
		waiting: Waiting,
	): Promise<Slot | 'stopped' | 'blocked'> {
		for (;;) {
			const end = this.endOf(waiting);
			if (end) return end;
			const waitMs = this.throttle.waitMs(performance.now(), requests);
			if (waitMs === 0) return this.take(waiting.subject);
			// A pause always runs to its end, so that no timer stays when nobody waits any more.
			if (waitMs < Infinity) await sleep(Math.min(Math.ceil(waitMs), maxNapMs));
			else await this.responseOrStop(waiting.signal);
		}
	}

	/** Why a request must wait no longer, without a turn. */
	private endOf({ subject, signal }: Waiting): 'stopped' | 'blocked' | undefined {
		if (signal?.aborted) return 'stopped';
		return this.throttle.isBlocked(performance.now(), subject) ? 'blocked' : undefined;
	}

	private take(subject?: string): Slot {
		const permit: Permit = this.throttle.take(subject);
		const end = (outcome: RequestOutcome) => {
			this.throttle.end(performance.now(), permit, outcome);
			this.wake();
		};
		return {
			accepted: () => end('accepted'),
			unsent: () => end('unsent'),
			limited: (waitMs) => end({ waitMs }),
		};
	}

	private async responseOrStop(signal?: AbortSignal): Promise<void> {
		await new Promise<void>((resolve) => {
			const wake = () => {
				signal?.removeEventListener('abort', wake);
				// The signal keeps all data of its execution in memory.
				this.wake = noop;
				resolve();
			};
			this.wake = wake;
			signal?.addEventListener('abort', wake);
		});
	}
}

/** The limiters by host and key, kept for an hour: longer than any wait. */
const limiters = new BoundedMap<string, RateLimiter>({ maxSize: 1_000, maxAgeMs: 3_600_000 });

/** The limiter that all users of one host and key share in this process. */
export function limiterFor(id: string, windowMs: number): RateLimiter {
	return limiters.getOrSet(`${id} ${windowMs}`, () => new RateLimiter(windowMs));
}
