import { setTimeout as delay } from 'node:timers/promises';
import { PlaygroundError } from './playgroundError';

/** How long to wait, how often to look, and what is waited for, as it should stand in the error. */
export interface Waiting {
	/** Completes the sentence "Waited 60 s for …". */
	what: string;
	/** Milliseconds. */
	limit: number;
	/** Milliseconds between two looks; 250 unless told. */
	interval?: number;
}

type Nothing = undefined | null | false;

/**
 * Asks `look` until it answers with something other than undefined, null or false, and returns that.
 * @throws PlaygroundError when the limit has passed; whatever `look` throws.
 */
export async function waitFor<T>(look: () => Promise<T | Nothing>, waiting: Waiting): Promise<T> {
	const end = Date.now() + waiting.limit;
	for (;;) {
		const found = await look();
		if (found !== undefined && found !== null && found !== false) return found;
		if (Date.now() >= end) {
			throw new PlaygroundError(
				`Waited ${Math.round(waiting.limit / 1000)} s for ${waiting.what}, in vain.`,
			);
		}
		await delay(waiting.interval ?? 250);
	}
}
