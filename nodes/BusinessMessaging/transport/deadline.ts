/** Time limits and waiting. */

/**
 * Gives up waiting after a time; what was waited for goes on by itself.
 *
 * @param ms time limit
 * @throws an error with the code ETIMEDOUT, as a broken connection has one
 */
export async function withDeadline<T>(answer: Promise<T>, ms: number): Promise<T> {
	const deadline = AbortSignal.timeout(ms);
	return await new Promise<T>((resolve, reject) => {
		const expire = () => reject(Object.assign(new Error('Time limit'), { code: 'ETIMEDOUT' }));
		deadline.addEventListener('abort', expire);
		// a listener left behind would hold on to the answer until the time has passed
		answer.finally(() => deadline.removeEventListener('abort', expire)).then(resolve, reject);
	});
}

/** Waits without keeping the process alive, which n8n's `sleep` would. */
export async function pause(ms: number): Promise<void> {
	await new Promise((resolve) => AbortSignal.timeout(ms).addEventListener('abort', resolve));
}
