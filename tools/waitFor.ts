import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from './cli';

/** How long to wait, how often to poll (ms; 250 by default), and what completes "Timed out after 60 s waiting for …". */
export interface Waiting {
	what: string;
	/** Milliseconds. */
	limit: number;
	interval?: number;
}

/**
 * Polls until there is something other than undefined, null or false, and returns that.
 * @throws UserError when the limit has passed; whatever `poll` throws
 */
export async function waitFor<T>(
	poll: () => Promise<T | undefined | null | false>,
	{ what, limit, interval = 250 }: Waiting,
): Promise<T> {
	const end = Date.now() + limit;
	for (;;) {
		const found = await poll();
		if (found !== undefined && found !== null && found !== false) return found;
		if (Date.now() >= end)
			throw new UserError(`Timed out after ${Math.round(limit / 1000)} s waiting for ${what}.`);
		await delay(interval);
	}
}
