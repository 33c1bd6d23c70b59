/** Side by side where that is safe, one after the other where order matters. */

interface QueueSettings<T> {
	/** Items with the same key are carried out one after the other, in their order. */
	keyOf: (item: T) => string;
	/** Most items under way at the same time. */
	concurrency: number;
	/** Once true, no further item is begun. */
	isStopped: () => boolean;
}

/**
 * Carries out all items in about their order. After each of its items a queue goes to the end of the line, so that a
 * long one does not hold up the others.
 *
 * @param task carries out one item; does not reject
 */
export async function inQueues<T>(
	items: T[],
	{ keyOf, concurrency, isStopped }: QueueSettings<T>,
	task: (item: T) => Promise<void>,
): Promise<void> {
	const byKey = new Map<string, T[]>();
	for (const item of items) {
		const queue = byKey.get(keyOf(item));
		if (queue) queue.push(item);
		else byKey.set(keyOf(item), [item]);
	}
	const queues = [...byKey.values()].map((queue) => queue.values());
	let next = 0;
	const work = async () => {
		while (next < queues.length && !isStopped()) {
			const queue = queues[next++];
			const { value: item, done } = queue.next();
			if (done) continue;
			await task(item);
			queues.push(queue);
		}
	};
	await Promise.all(Array.from({ length: Math.min(concurrency, byKey.size) }, work));
}
