/** Calls that come at about the same time, carried out together. */
import { sleep } from 'n8n-workflow';

import { withLock } from '../mutex';

/** How long the calls of one batch wait for each other, ms. */
const collectMs = 10;

/**
 * Collects calls until the batch before them, and everything else that holds the lock, is done.
 *
 * @param carryOut gives the results of a batch in its order
 */
export function batched<T, R>(
	lock: string,
	carryOut: (batch: T[]) => Promise<R[]>,
): (one: T) => Promise<R> {
	let next: { batch: T[]; results: Promise<R[]> } | undefined;
	const open = () => {
		const batch: T[] = [];
		const close = async () => {
			next = undefined;
			return await carryOut(batch);
		};
		return { batch, results: sleep(collectMs).then(async () => await withLock(lock, close)) };
	};
	return async (one) => {
		next ??= open();
		const place = next.batch.push(one) - 1;
		return (await next.results)[place];
	};
}
