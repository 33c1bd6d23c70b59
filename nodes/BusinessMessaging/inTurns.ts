/** Work on many things that leaves n8n's process to others now and then. */
import { sleep } from 'n8n-workflow';

/** After this time, ms, the work pauses so that n8n can serve its editor, webhooks and health checks. */
const turnMs = 25;

/** `Array.map` with pauses. */
export async function mapInTurns<T, R>(all: T[], work: (one: T, index: number) => R): Promise<R[]> {
	const results: R[] = [];
	let begin = performance.now();
	for (const [index, one] of all.entries()) {
		results.push(work(one, index));
		if (performance.now() - begin < turnMs) continue;
		await sleep(0);
		begin = performance.now();
	}
	return results;
}
