/** Decides which requests of one key may be sent now: docs/adr/0003-rate.md. Times are in ms of a monotonic clock. */
import { map } from 'lodash';

import { BoundedMap } from '../boundedMap';
import { ConcurrencyLimit } from './concurrencyLimit';
import { type Limit, SlidingWindow } from './slidingWindow';

/** A request under way. */
export interface Permit {
	/** The recipient of a message, or the endpoint. A long wait concerns only its subject, see `enoughSubjects`. */
	readonly subject?: string;
	/** The limits for which it counts, beside that of the key. */
	readonly limits: Limit[];
	/** How many requests were under way when it was sent, including this one. */
	readonly underWay: number;
	/** How often the service had refused requests before it was sent. */
	readonly refusals: number;
}

/** The request reached the service (or may have), did not reach it, or was refused because of the rate. */
export type RequestOutcome = 'accepted' | 'unsent' | { waitMs?: number };

/** A wait that the service asks for: until when it asks, and until when we do wait. */
interface Rest {
	/** When the first of several waits without a longer break began. */
	since: number;
	askedUntil: number;
	until: number;
}

const minBackoffMs = 500;
const maxBackoffMs = 60_000;
/** The longest wait, ms. If a service asks for more, requests fail at once; after this time, the next one is tried. */
const maxWaitMs = 10 * 60_000;
/** The longest break between the end of a wait and the next refusal, ms. After a longer one, `since` begins again. */
const maxPauseMs = 60_000;
/** The longest wait that concerns the key, ms, because a rate recovers within a minute. */
const maxRateWaitMs = 60_000;
/** A longer wait concerns only its subject, until this many subjects in a row were refused; simultaneous ones count as one. */
const enoughSubjects = 3;

/** The state of one key. */
export class Throttle {
	private readonly window: SlidingWindow;
	private readonly concurrency = new ConcurrencyLimit();
	/** Refusals in all, and since the last accepted request. Requests that were sent at the same time count as one. */
	private refusals = 0;
	private inARow = 0;
	/** After a refusal: the request that tests whether the service accepts requests again. */
	private probe?: Permit;
	private rest?: Rest;
	private readonly restOf = new BoundedMap<string, Rest>({ maxSize: 1_000, maxAgeMs: 3_600_000 });
	/** The subjects for which the service has asked for a long wait since it last accepted a request. */
	private readonly refused = new Set<string>();

	constructor(
		private readonly windowMs: number,
		private readonly random = Math.random,
	) {
		this.window = new SlidingWindow(windowMs);
	}

	/** How many simultaneous requests the service accepts, if this is known. */
	get knownConcurrency(): number | undefined {
		return this.concurrency.known;
	}

	/** How much longer the service asks us to wait, ms; 0 if it does not. */
	askedMs(now: number, subject?: string): number {
		return Math.max(0, ...this.rests(subject).map(({ askedUntil }) => askedUntil - now));
	}

	/** Whether the service asks for too long a wait, or has refused all requests for too long. */
	isBlocked(now: number, subject?: string): boolean {
		const isTooLong = ({ since, askedUntil, until }: Rest) =>
			now < until && Math.max(askedUntil - now, now - since) > maxWaitMs;
		return this.rests(subject).some(isTooLong);
	}

	/** How long requests of this subject have to wait because of a wait that concerns only this subject, ms. */
	subjectWaitMs(now: number, subject = ''): number {
		return Math.max(0, (this.restOf.get(subject)?.until ?? 0) - now);
	}

	/**
	 * How long the next request has to wait, ms; Infinity if another request has to end first.
	 *
	 * @param requests the limit of the key @param limits those that hold for this request, too
	 */
	waitMs(now: number, requests: number, limits: Limit[] = []): number {
		if (this.rest && now < this.rest.until) return this.rest.until - now;
		const all = [{ window: this.window, most: requests }, ...limits];
		const waitMs = Math.max(...all.map(({ window, most }) => window.waitMs(now, most)));
		if (waitMs > 0) return waitMs;
		return this.probe || this.concurrency.isFull() ? Infinity : 0;
	}

	/** How many requests may start within this time, ms, if the service refuses none. */
	freeWithin(ms: number, now: number, requests: number): number {
		if (this.probe || now + ms < (this.rest?.until ?? 0)) return 0;
		return this.window.freeWithin(ms, now, requests);
	}

	take(subject?: string, limits: Limit[] = []): Permit {
		const underWay = this.concurrency.begin();
		const permit = { subject, limits, underWay, refusals: this.refusals };
		for (const window of this.windowsOf(permit)) window.begin();
		if (this.inARow > 0) this.probe = permit;
		return permit;
	}

	end(now: number, permit: Permit, outcome: RequestOutcome): void {
		const wasAlone = Math.max(permit.underWay, this.concurrency.end()) === 1;
		for (const window of this.windowsOf(permit)) window.end(now, outcome === 'accepted');
		if (this.probe === permit) this.probe = undefined;
		if (outcome === 'accepted') this.accept(permit);
		else if (outcome !== 'unsent') this.refuse(now, permit, outcome.waitMs ?? 0, wasAlone);
	}

	private windowsOf({ limits }: Permit): SlidingWindow[] {
		return [this.window, ...map(limits, 'window')];
	}

	private accept({ subject, refusals }: Permit): void {
		if (subject !== undefined) this.restOf.delete(subject);
		if (refusals < this.refusals) return; // this request was sent before the last refusal, so it does not show that the service accepts requests again
		if (this.inARow > 0) {
			this.concurrency.resume(this.rest !== undefined);
			this.inARow = 0;
			this.rest = undefined;
			this.refused.clear();
		}
		this.concurrency.accept();
	}

	private refuse(now: number, permit: Permit, askedMs: number, wasAlone: boolean): void {
		// A request that was sent before the last refusal says nothing new about the service.
		const isNews = permit.refusals === this.refusals;
		if (isNews) {
			this.refusals++;
			this.inARow++;
		}
		const { subject } = permit;
		if (subject !== undefined && askedMs > maxRateWaitMs) {
			this.restSubject(now, subject, askedMs, isNews);
			if (this.refused.size < enoughSubjects) return;
		} else if (!isNews) this.concurrency.lower();
		else if (!wasAlone) this.concurrency.slowDown();
		this.restKey(now, askedMs, { isNews, wasAlone });
	}

	private restSubject(now: number, subject: string, askedMs: number, isNews: boolean): void {
		this.restOf.set(subject, extend(this.restOf.get(subject), now, askedMs));
		if (isNews) this.refused.add(subject);
	}

	/**
	 * Waits with the requests of the key. If the service does not say how long, sending fewer at once may be enough, so one
	 * request tests this without a wait. A newer refusal decides; one of simultaneous requests only makes the wait longer.
	 */
	private restKey(now: number, askedMs: number, { isNews = false, wasAlone = false }): void {
		const ownMs = wasAlone || this.inARow > 1 ? backoffMs(this.inARow, this.random) : 0;
		if (askedMs === 0 && ownMs === 0) return;
		const next = extend(this.rest, now, askedMs || Math.min(ownMs, this.windowMs));
		this.rest = isNews || !this.rest ? next : later(next, this.rest);
	}

	private rests(subject = ''): Rest[] {
		return [this.rest, this.restOf.get(subject)].filter((rest) => rest !== undefined);
	}
}

/** The wait after a refusal. It began when the wait before began, unless there was a longer break between them. */
function extend(rest: Rest | undefined, now: number, waitMs: number): Rest {
	const goesOn = rest !== undefined && now < rest.until + maxPauseMs;
	return {
		since: goesOn ? rest.since : now,
		askedUntil: now + waitMs,
		until: now + Math.min(waitMs, maxWaitMs),
	};
}

const later = (one: Rest, other: Rest): Rest => ({
	since: one.since,
	askedUntil: Math.max(one.askedUntil, other.askedUntil),
	until: Math.max(one.until, other.until),
});

/** Exponential backoff with jitter in ms, for a service that does not say how long to wait. */
export function backoffMs(attempt: number, random = Math.random): number {
	const ceiling = Math.min(minBackoffMs * 2 ** attempt, maxBackoffMs);
	return ceiling / 2 + random() * (ceiling / 2);
}
