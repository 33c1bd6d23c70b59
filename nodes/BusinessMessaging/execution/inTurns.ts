/** Long work in turns, so that n8n's editor, webhooks and health checks do not wait for its end. */
import { sleep } from 'n8n-workflow';

/** How long n8n waits for a turn, ms. */
const turnMs = 25;

/** Like `map`, but n8n does other work in between. */
export async function mapInTurns<T, R>(
	list: readonly T[],
	map: (one: T, index: number) => R,
): Promise<R[]> {
	const results: R[] = [];
	let begin = performance.now();
	for (const [index, one] of list.entries()) {
		results.push(map(one, index));
		if (performance.now() - begin < turnMs) continue;
		await sleep(0);
		begin = performance.now();
	}
	return results;
}
