/** Time limits and waiting. */

/** Somebody who waits for an answer, and until when, ms since 1970. */
interface Waiter {
	until: number;
	expire: () => void;
}

/** All who wait have one timer, since one for each request would cost as much as everything else that is ours in it. */
const waiting = new Set<Waiter>();
/** How much later than its end a time limit may be noticed, ms. */
const tickMs = 100;
let isTicking = false;

/**
 * Gives up waiting after a time; what was waited for goes on by itself.
 *
 * @param ms time limit
 * @throws an error with the code ETIMEDOUT, as a broken connection has one
 */
export async function withDeadline<T>(answer: Promise<T>, ms: number): Promise<T> {
	return await new Promise<T>((resolve, reject) => {
		const expire = () => reject(Object.assign(new Error('Time limit'), { code: 'ETIMEDOUT' }));
		const waiter = { until: Date.now() + ms, expire };
		waiting.add(waiter);
		if (!isTicking) void tick();
		answer.finally(() => waiting.delete(waiter)).then(resolve, reject);
	});
}

async function tick(): Promise<void> {
	isTicking = true;
	while (waiting.size > 0) {
		const next = Math.min(...[...waiting].map(({ until }) => until));
		await pause(Math.min(Math.max(next - Date.now(), 1), tickMs));
		for (const waiter of waiting) {
			if (waiter.until > Date.now()) continue;
			waiting.delete(waiter);
			waiter.expire();
		}
	}
	isTicking = false;
}

/** Waits without keeping the process alive, which n8n's `sleep` would. */
export async function pause(ms: number): Promise<void> {
	await new Promise((resolve) => AbortSignal.timeout(ms).addEventListener('abort', resolve));
}
