/** The rate limit. Source: specification, "Limits"; the sliding window and the answer are assumptions. */
import { ServiceError } from './errors';
import type { Settings } from './options';

/** The times of the last requests of one key, as a ring. */
interface Ring {
	times: Float64Array;
	next: number;
}

/**
 * Lets each key make `requestsPerWindow` requests within any `rateWindowMs`. It is an exact sliding log: a request is
 * let through if the one `requestsPerWindow` before it is older than the window. Refused requests do not count.
 */
export class RateLimiter {
	private readonly rings = new Map<string, Ring>();

	constructor(private readonly settings: Pick<Settings, 'requestsPerWindow' | 'rateWindowMs'>) {}

	/**
	 * Counts a request of a key.
	 *
	 * @param keyId identifier of the key
	 * @param now ms on a clock that never goes back
	 * @throws ServiceError 429 with `Retry-After` in whole seconds, rounded up
	 */
	take(keyId: string, now = performance.now()): void {
		const { requestsPerWindow, rateWindowMs } = this.settings;
		if (requestsPerWindow === 0) return;
		const ring = this.ringOf(keyId);
		const waitMs = (ring.times[ring.next] ?? -Infinity) + rateWindowMs - now;
		if (waitMs > 0) {
			const words = `More than ${requestsPerWindow} requests in ${rateWindowMs} ms`;
			const headers = { 'retry-after': String(Math.ceil(waitMs / 1000)) };
			throw new ServiceError(429, 'rate_limited', words, undefined, headers);
		}
		ring.times[ring.next] = now;
		ring.next = (ring.next + 1) % requestsPerWindow;
	}

	private ringOf(keyId: string): Ring {
		let ring = this.rings.get(keyId);
		if (!ring) {
			ring = { times: new Float64Array(this.settings.requestsPerWindow).fill(-Infinity), next: 0 };
			this.rings.set(keyId, ring);
		}
		return ring;
	}
}
