/** Work on many things that leaves n8n's process to others now and then. */
import { sleep } from 'n8n-workflow';

/** After this time, ms, the work pauses so that n8n can serve its editor, webhooks and health checks. */
const turnMs = 25;

/** A function to call after each piece of work: it pauses if a turn is over. */
export function yieldToN8n(): () => Promise<void> {
	let begin = performance.now();
	return async () => {
		if (performance.now() - begin < turnMs) return;
		await sleep(0);
		begin = performance.now();
	};
}

/** `Array.map` with pauses. */
export async function mapInTurns<T, R>(all: T[], work: (one: T, index: number) => R): Promise<R[]> {
	const results: R[] = [];
	const yieldNow = yieldToN8n();
	for (const [index, one] of all.entries()) {
		results.push(work(one, index));
		await yieldNow();
	}
	return results;
}
