/**
 * One pace for all who share a key: every execution and every node of this process takes its turn here.
 *
 * At most `requests` in any sliding window, at full speed until they are used up. A request occupies its place until
 * one window after its answer, so that the service's own count, taken somewhere in between, never exceeds ours.
 * Several processes with the same key do not talk to each other: on 429 all senders wait as told, find out with a single
 * request whether the service takes any again, then go at full speed up to a quota (a little less than what was accepted
 * in the last window) and feel their way beyond it with a few requests at a time, more the longer it goes well. The quota
 * given up is open to all, so that shares even out, and unused allowance is found.
 *
 * Source: specification, "Limits" (1000 requests per minute); what happens beyond it is not shown there.
 */
import { sleep } from 'n8n-workflow';

/** A number of requests in any sliding window of the given length in ms. */
export interface Rate {
	requests: number;
	windowMs: number;
}

/** A request's place in the rate; ends by exactly one of the two calls. */
export interface Slot {
	/** The service has taken the request, or its fate is unknown. */
	done(): void;
	/** The service refused the request because of the rate; `waitMs` is what it told us to wait, if it did. */
	limited(waitMs: number | undefined): void;
}

/** What is left of the accepted number as quota after a 429. */
const quotaShare = 0.8;
/** How many requests beyond the quota may be under way at first, and after how many accepted ones there may be one more. */
const firstProbes = 2;
const probesPerStep = 32;
const firstBackoffMs = 500;
const maxBackoffMs = 60_000;
/** Longest wait for a rate limit before it is reported, in ms. */
const longestWaitMs = 10 * 60_000;
/** Longest sleep in one go, so that nothing lingers once nobody waits any more. */
const maxNapMs = 1_000;

type Waiter = (slot: Slot | 'blocked') => void;

/** Requests that feel their way since the last 429. */
interface Probes {
	inFlight: number;
	accepted: number;
}

/** Paces the requests of one key. Times are in ms. */
export class RateLimiter {
	private finished: number[] = [];
	private inFlight = 0;
	private quota: number;
	private blockedUntil = 0;
	private refusals = 0;
	private probes: Probes = { inFlight: 0, accepted: 0 };
	private waiters: Waiter[] = [];
	private napping = false;
	private refusedSince = 0;

	constructor(private rate: Rate) {
		this.quota = rate.requests;
	}

	/** Takes over a changed setting of the credential. */
	setRate(rate: Rate): void {
		if (rate.requests === this.rate.requests && rate.windowMs === this.rate.windowMs) return;
		this.rate = rate;
		this.quota = rate.requests;
	}

	/** How much longer the service asks to wait, in ms; 0 if it does not. */
	get waitMs(): number {
		return Math.max(0, this.blockedUntil - Date.now());
	}

	/** Whether waiting makes no sense: the service asks for too long, or has refused every request for too long. */
	private get isBlocked(): boolean {
		const starvedMs = this.refusals === 0 ? 0 : Date.now() - this.refusedSince;
		return this.waitMs > 0 && (this.waitMs > longestWaitMs || starvedMs > longestWaitMs);
	}

	/**
	 * Waits for a place. First come, first served.
	 *
	 * @returns why there is none if the signal aborts while waiting, or the service asks for a longer wait than anyone would
	 */
	async acquire(signal?: AbortSignal): Promise<Slot | 'stopped' | 'blocked'> {
		if (signal?.aborted) return 'stopped';
		return await new Promise((resolve) => {
			const leave = () => {
				this.waiters = this.waiters.filter((other) => other !== waiter);
				resolve('stopped');
			};
			const waiter: Waiter = (slot) => {
				signal?.removeEventListener('abort', leave);
				resolve(slot);
			};
			signal?.addEventListener('abort', leave, { once: true });
			this.waiters.push(waiter);
			this.serve();
		});
	}

	private serve(): void {
		if (this.isBlocked) for (const waiter of this.waiters.splice(0)) waiter('blocked');
		while (this.waiters.length > 0) {
			const turn = this.turn();
			if (!turn) return this.nap();
			this.waiters.shift()?.(this.take(turn === 'probe'));
		}
	}

	/** Whether the next request may go out: as one within the quota, as a probe beyond it, or not yet. */
	private turn(): 'quota' | 'probe' | undefined {
		const now = Date.now();
		if (now < this.blockedUntil) return undefined;
		this.expire(now);
		const used = this.finished.length + this.inFlight;
		if (used >= this.rate.requests) return undefined;
		const { inFlight, accepted } = this.probes;
		if (this.refusals > 0) return inFlight === 0 ? 'probe' : undefined;
		if (used < this.quota) return 'quota';
		return inFlight < firstProbes + accepted / probesPerStep ? 'probe' : undefined;
	}

	private take(isProbe: boolean): Slot {
		const probes = isProbe ? this.probes : undefined;
		this.inFlight++;
		if (probes) probes.inFlight++;
		const end = (settle: () => void) => () => {
			this.inFlight--;
			if (probes) probes.inFlight--;
			settle();
			this.serve();
		};
		return {
			done: end(() => this.accepted(probes)),
			limited: (waitMs) => end(() => this.refused(waitMs))(),
		};
	}

	private accepted(probes: Probes | undefined): void {
		this.finished.push(Date.now());
		this.refusals = 0;
		if (!probes) return;
		probes.accepted++;
		this.quota = Math.max(this.quota, Math.floor(this.finished.length * quotaShare));
	}

	private refused(waitMs: number | undefined): void {
		const now = Date.now();
		this.expire(now);
		if (this.refusals === 0) this.refusedSince = now;
		if (now >= this.blockedUntil) this.refusals++; // answers to requests sent side by side count as one refusal
		this.quota = Math.max(1, Math.floor(this.finished.length * quotaShare));
		this.probes = { inFlight: 0, accepted: 0 }; // a probe from before that takes long holds up nobody
		this.blockedUntil = Math.max(
			this.blockedUntil,
			now + (waitMs || Math.min(backoffMs(this.refusals), this.rate.windowMs)),
		);
	}

	private expire(now: number): void {
		const horizon = now - this.rate.windowMs;
		const keep = this.finished.findIndex((time) => time > horizon);
		if (keep !== 0) this.finished.splice(0, keep === -1 ? this.finished.length : keep);
	}

	/** Sleeps until a place can become free by time alone; an answer that frees one serves at once. */
	private nap(): void {
		if (this.napping) return;
		const now = Date.now();
		const until =
			now < this.blockedUntil ? this.blockedUntil : (this.finished[0] ?? 0) + this.rate.windowMs;
		if (until <= now) return;
		this.napping = true;
		void sleep(Math.min(until - now + 1, maxNapMs)).then(() => {
			this.napping = false;
			this.serve();
		});
	}
}

/** Exponential backoff with jitter in ms, for a service that does not say how long to wait. */
export function backoffMs(attempt: number): number {
	const ceiling = Math.min(firstBackoffMs * 2 ** attempt, maxBackoffMs);
	return ceiling / 2 + Math.random() * (ceiling / 2);
}

const limiters = new Map<string, RateLimiter>();

/** The limiter that all users of one base URL and key share in this process. */
export function limiterFor(id: string, rate: Rate): RateLimiter {
	const limiter = limiters.get(id) ?? new RateLimiter(rate);
	limiters.set(id, limiter);
	limiter.setRate(rate);
	return limiter;
}
