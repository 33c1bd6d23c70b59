import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from './cli';

/** Times in ms. */
interface Waiting {
	limit?: number;
	/** The longest pause between two checks; the first pauses are shorter. */
	interval?: number;
}

/**
 * Repeats a check until its value is not undefined, null or false. `what` completes "Timed out after 60 s waiting for
 * …". @throws UserError when the time is up; and whatever `look` throws
 */
export async function until<T>(
	what: string,
	look: () => T | Promise<T>,
	{ limit = 60_000, interval = 100 }: Waiting = {},
): Promise<Exclude<T, undefined | null | false>> {
	const end = Date.now() + limit;
	for (let pause = Math.min(5, interval); ; pause = Math.min(1.5 * pause, interval)) {
		const found = await look();
		if (found !== undefined && found !== null && found !== false)
			return found as Exclude<T, undefined | null | false>;
		if (Date.now() >= end)
			throw new UserError(`Timed out after ${Math.round(limit / 1000)} s waiting for ${what}.`);
		await delay(pause);
	}
}
