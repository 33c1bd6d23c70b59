/** Timers of a sandbox. */

/** The longest delay that a timer can have, ms. */
export const maxDelayMs = 2_147_483_647;

/** Runs a task after a delay, unless the sandbox was reset or closed by then. Does not keep the process alive. */
export function later(closing: AbortSignal, delayMs: number, task: () => void): void {
	setTimeout(() => {
		if (!closing.aborted) task();
	}, delayMs).unref();
}
