/** Time limits and waiting. */

/** Who gives up at the same time. */
interface Deadline {
	ms: number;
	/** When it is too late to join, as `performance.now()`. */
	closesAt: number;
	expirations: Set<() => void>;
}

let latest: Deadline | undefined;

/** Whoever begins within a thirtieth of the time shares a timer: one for each request is a good part of what a request costs. */
function deadlineIn(ms: number): Deadline {
	const now = performance.now();
	if (latest?.ms === ms && now < latest.closesAt) return latest;
	const tolerance = Math.ceil(ms / 30);
	const expirations = new Set<() => void>();
	latest = { ms, closesAt: now + tolerance, expirations };
	void pause(ms + tolerance).then(() => expirations.forEach((expire) => expire()));
	return latest;
}

/**
 * Gives up waiting after a time; what was waited for goes on by itself.
 *
 * @param ms time limit, kept up to a thirtieth late
 * @throws an error with the code ETIMEDOUT, as a broken connection has one
 */
export async function withDeadline<T>(answer: Promise<T>, ms: number): Promise<T> {
	const { expirations } = deadlineIn(ms);
	return await new Promise<T>((resolve, reject) => {
		const expire = () => reject(Object.assign(new Error('Time limit'), { code: 'ETIMEDOUT' }));
		expirations.add(expire);
		// left behind, it would hold on to the answer until the time has passed
		answer.finally(() => expirations.delete(expire)).then(resolve, reject);
	});
}

/** Waits without keeping the process alive, which n8n's `sleep` would. */
export async function pause(ms: number): Promise<void> {
	await new Promise((resolve) => AbortSignal.timeout(ms).addEventListener('abort', resolve));
}
