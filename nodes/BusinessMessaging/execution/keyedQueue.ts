/** Side by side where that is safe, one after the other where order matters. */

interface QueueRun {
	/** Number of items. */
	count: number;
	/** Items with the same key go one after the other, in their order. */
	keyOf: (index: number) => string;
	/** Most items under way at the same time. */
	concurrency: number;
	/** Carries out one item; does not reject. */
	task: (index: number) => Promise<void>;
	/** Once true, no further item is begun. */
	isStopped: () => boolean;
}

/**
 * Runs all items in about their order. After each of its items a queue goes to the end of the line, so that a long one
 * does not hold up the others.
 */
export async function runInQueues(run: QueueRun): Promise<void> {
	const { count, keyOf, concurrency, task, isStopped } = run;
	const byKey = new Map<string, number[]>();
	for (let index = 0; index < count; index++) {
		const key = keyOf(index);
		const items = byKey.get(key);
		if (items) items.push(index);
		else byKey.set(key, [index]);
	}
	const queues = [...byKey.values()].map((items) => ({ items, next: 0 }));
	let head = 0;
	const work = async () => {
		while (head < queues.length && !isStopped()) {
			const queue = queues[head++];
			await task(queue.items[queue.next++]);
			if (queue.next < queue.items.length) queues.push(queue);
		}
	};
	await Promise.all(Array.from({ length: Math.min(concurrency, queues.length) }, work));
}
