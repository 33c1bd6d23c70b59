/** Calls that come at about the same time, carried out together. */
import { sleep } from 'n8n-workflow';

/** How long the calls of one batch wait for each other, ms. */
const collectMs = 10;

/**
 * Collects calls while the batch before them is carried out.
 *
 * @param carryOut gives the results of a batch in its order; batches do not overlap
 */
export function batched<T, R>(carryOut: (batch: T[]) => Promise<R[]>): (one: T) => Promise<R> {
	let next: { batch: T[]; results: Promise<R[]> } | undefined;
	let last: Promise<unknown> = Promise.resolve();
	const open = () => {
		const batch: T[] = [];
		const before = last;
		const results = sleep(collectMs).then(async () => {
			await before;
			next = undefined;
			return await carryOut(batch);
		});
		last = results.catch(() => undefined);
		return { batch, results };
	};
	return async (one) => {
		next ??= open();
		const place = next.batch.push(one) - 1;
		return (await next.results)[place];
	};
}
