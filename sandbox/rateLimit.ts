/** The rate limit. Source: specification, "Limits"; the sliding window and the answer are assumptions. */
import { HttpError } from './errors';
import type { Settings } from './options';

/**
 * Lets each key make `requestsPerWindow` requests within any `rateWindowMs`. Refused requests do not count.
 */
export class RateLimiter {
	/** When each key made its last requests, oldest first. */
	private readonly times = new Map<string, number[]>();

	constructor(private readonly settings: Pick<Settings, 'requestsPerWindow' | 'rateWindowMs'>) {}

	/**
	 * Counts a request of a key.
	 *
	 * @param keyId identifier of the key
	 * @param now ms on a clock that never goes back
	 * @throws HttpError 429 with `Retry-After` in whole seconds, rounded up
	 */
	take(keyId: string, now = performance.now()): void {
		const { requestsPerWindow, rateWindowMs } = this.settings;
		if (requestsPerWindow === 0) return;
		const times = this.times.get(keyId) ?? [];
		this.times.set(keyId, times);
		while (times.length > 0 && (times[0] ?? 0) + rateWindowMs <= now) times.shift();
		if (times.length >= requestsPerWindow) {
			const waitMs = (times[0] ?? 0) + rateWindowMs - now;
			const words = `More than ${requestsPerWindow} requests in ${rateWindowMs} ms`;
			const headers = { 'retry-after': String(Math.ceil(waitMs / 1000)) };
			throw new HttpError(429, 'rate_limited', words, undefined, headers);
		}
		times.push(now);
	}
}
