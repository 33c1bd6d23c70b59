/** Timeouts and pauses with timers that do not keep the process alive. */
import { clamp } from 'lodash';

/** The longest timeout of a request, seconds. */
export const maxTimeoutSeconds = 3_600;

/** A timeout for timers and n8n's HTTP helper: whole ms, from 1 ms to an hour. */
export function toTimeoutMs(ms: number): number {
	return Math.round(clamp(ms, 1, maxTimeoutSeconds * 1_000));
}

/** Stops waiting after a timeout, and signals the work to stop. @throws an error with the code ETIMEDOUT */
export async function withDeadline<T>(
	work: Promise<T> | ((signal: AbortSignal) => Promise<T>),
	ms: number,
): Promise<T> {
	const signal = timerOf(ms);
	return await new Promise<T>((resolve, reject) => {
		const expire = () => reject(Object.assign(new Error('Timed out'), { code: 'ETIMEDOUT' }));
		signal.addEventListener('abort', expire); // registered before the work's own listeners, whose error would say less
		const result = typeof work === 'function' ? work(signal) : work;
		// A running timer would keep the response in memory.
		result.finally(() => signal.removeEventListener('abort', expire)).then(resolve, reject);
	});
}

/** Waits without keeping the process alive. (n8n's `sleep` keeps it alive.) */
export async function pause(ms: number): Promise<void> {
	await new Promise((resolve) => timerOf(ms).addEventListener('abort', resolve));
}

function timerOf(ms: number): AbortSignal {
	return AbortSignal.timeout(Math.ceil(clamp(ms, 0, 2 ** 31 - 1))); // the longest that a timer can wait
}
