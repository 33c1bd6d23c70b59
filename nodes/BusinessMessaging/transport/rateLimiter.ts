/**
 * One rate for everything in this process that shares a key: limits the requests in any sliding window. After a
 * 429, all wait as long as the service asks, then one request tests whether it accepts requests again.
 * docs/adr/0003-rate.md
 */
import { noop } from 'lodash';
import { sleep } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { withLock } from '../mutex';
import type { ServiceResponse } from './errors';

/** A request that counts for the rate; exactly one of the three methods ends it. */
export interface Slot {
	/** The request reached the service, or may have. */
	accepted(): void;
	/** The request did not reach the service. */
	unsent(): void;
	/** The service refused the request because of the rate, and may have said how long to wait. */
	limited(waitMs: number | undefined): void;
}

const minBackoffMs = 500;
const maxBackoffMs = 60_000;
/** The longest wait for a rate limit, ms. If a service asks for more, it is tried again after this time. */
const maxWaitMs = 10 * 60_000;
/** Longest single sleep. A stopped execution is noticed after it. */
const maxNapMs = 1_000;

/** Limits the rate of one key. Times are in ms of a monotonic clock. */
export class RateLimiter {
	/** When the requests of the last window ended, oldest first. The service has counted each of them before that. */
	private readonly ended: number[] = [];
	private inFlight = 0;
	/** How often the service has refused since it last accepted a request, and since when. */
	private refusals = 0;
	private refusedSince = 0;
	/** Until when the service asks to wait, until when we wait, and the request that then tests it. */
	private askedUntil = 0;
	private blockedUntil = 0;
	private probe?: Slot;
	private wake: () => void = noop;

	constructor(private readonly windowMs: number) {}

	/** How much longer the service asks to wait, in ms; 0 if it does not. */
	get waitMs(): number {
		return Math.max(0, this.askedUntil - performance.now());
	}

	/** Waits for a place; first come, first served. @returns 'blocked' if the service asks for too long a wait */
	async acquire(requests: number, signal?: AbortSignal): Promise<Slot | 'stopped' | 'blocked'> {
		return await withLock(this, async () => {
			for (;;) {
				if (signal?.aborted) return 'stopped';
				if (this.isBlocked()) return 'blocked';
				if (this.mayGo(requests)) return this.take();
				await this.change();
			}
		});
	}

	/** Whether the service asks for too long a wait, or has refused every request for too long. */
	private isBlocked(): boolean {
		const now = performance.now();
		const starvedMs = this.refusals === 0 ? 0 : now - this.refusedSince;
		return now < this.blockedUntil && Math.max(this.waitMs, starvedMs) > maxWaitMs;
	}

	private mayGo(requests: number): boolean {
		const now = performance.now();
		while (this.ended[0] <= now - this.windowMs) this.ended.shift();
		return now >= this.blockedUntil && !this.probe && this.ended.length + this.inFlight < requests;
	}

	private take(): Slot {
		const startedAt = performance.now();
		const end = (note?: () => void) => {
			this.inFlight--;
			if (this.probe === slot) this.probe = undefined;
			note?.();
			this.wake();
		};
		const noteAccepted = () => {
			this.ended.push(performance.now());
			if (startedAt >= this.blockedUntil) this.refusals = 0;
		};
		const slot: Slot = {
			accepted: () => end(noteAccepted),
			unsent: end,
			limited: (waitMs) => end(() => this.noteRefused(waitMs)),
		};
		this.inFlight++;
		if (this.refusals > 0) this.probe = slot;
		return slot;
	}

	private noteRefused(waitMs: number | undefined): void {
		const now = performance.now();
		if (this.refusals === 0) this.refusedSince = now;
		if (now >= this.blockedUntil) {
			this.refusals++; // responses to requests sent side by side count as one refusal
			this.askedUntil = 0;
		}
		this.probe = undefined;
		const wait = waitMs || Math.min(backoffMs(this.refusals), this.windowMs);
		this.askedUntil = Math.max(this.askedUntil, now + wait);
		this.blockedUntil = Math.max(this.blockedUntil, now + Math.min(wait, maxWaitMs));
	}

	/** Waits until a request has ended, or until enough time has passed for the next one. */
	private async change(): Promise<void> {
		const now = performance.now();
		const [firstEnd = now] = this.ended;
		const until = now < this.blockedUntil ? this.blockedUntil : firstEnd + this.windowMs;
		const napMs = until > now ? Math.min(until - now + 1, maxNapMs) : maxNapMs;
		await new Promise<void>((wake) => {
			this.wake = wake;
			void sleep(napMs).then(wake);
		});
	}
}

/** Exponential backoff with jitter in ms, for a service that does not say how long to wait. */
export function backoffMs(attempt: number): number {
	const ceiling = Math.min(minBackoffMs * 2 ** attempt, maxBackoffMs);
	return ceiling / 2 + Math.random() * (ceiling / 2);
}

/** Kept for an hour, longer than any wait. */
const limiters = new BoundedMap<string, RateLimiter>({ maxSize: 1_000, maxAgeMs: 3_600_000 });

/** The limiter that all users of one host and key share in this process. */
export function limiterFor(id: string, windowMs: number): RateLimiter {
	return limiters.getOrSet(`${id} ${windowMs}`, () => new RateLimiter(windowMs));
}

/** Headers with seconds, a Unix time in seconds or ms, or a date. The first one counts. */
const headerNames = [
	'retry-after',
	'x-ratelimit-reset',
	'x-rate-limit-reset',
	'ratelimit-reset',
	'x-ratelimit-reset-after',
];

/** How long a response asks to wait, ms; undefined if no header says so. Assumption: the usual headers. */
export function readRetryAfter({ headers }: ServiceResponse): number | undefined {
	const header = (name: string) => {
		const value = headers[name];
		return typeof value === 'string' ? value.trim() : '';
	};
	const ms = header('retry-after-ms');
	if (ms && Number(ms) >= 0) return Number(ms);
	const now = Date.parse(header('date')) || Date.now(); // the service's clock, if it shows it
	const moment = readMoment(headerNames.map(header).find(Boolean) ?? '', now);
	return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
}

function readMoment(text: string, now: number): number {
	const number = text === '' ? NaN : Number(text);
	if (Number.isNaN(number)) return Date.parse(text);
	if (number > 1e11) return number; // Unix time in ms
	return number > 1e8 ? number * 1000 : now + number * 1000;
}
