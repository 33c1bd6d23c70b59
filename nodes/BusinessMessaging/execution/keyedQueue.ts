/** Runs items at the same time if that is safe, and one after the other if their order matters. */
import { groupBy } from 'lodash';

import { yieldToN8n } from '../yieldToN8n';

interface QueueSettings<T> {
	/** Items with the same key are carried out one after the other, in their order. */
	keyOf: (item: T) => string;
	/** Maximum number of items at the same time, at least 1; read again after each item. */
	concurrency: () => number;
	isStopped: () => boolean;
}

/** Carries out items in about their order: a queue goes to the end of the line after an item. `task` must not reject. */
export async function inQueues<T>(
	items: T[],
	{ keyOf, concurrency, isStopped }: QueueSettings<T>,
	task: (item: T) => Promise<void>,
): Promise<void> {
	const queues = Object.values(groupBy(items, keyOf)).map((queue) => queue.values());
	let next = 0;
	let underWay = 0;
	const yieldNow = yieldToN8n(); // if guards skip all items, nothing else lets n8n's process do other work
	await new Promise<void>((resolve) => {
		const begin = () => {
			while (underWay < Math.max(1, concurrency()) && next < queues.length && !isStopped()) {
				const queue = queues[next++];
				const { value: item, done } = queue.next();
				if (done) continue;
				underWay++;
				void task(item)
					.then(yieldNow)
					.then(() => {
						underWay--;
						queues.push(queue);
						begin();
					});
			}
			if (underWay === 0) resolve();
		};
		begin();
	});
}

/** Runs at most `limit` tasks at the same time; it is read again after each task. The others wait in their order. */
export function atMost(limit: () => number): <T>(task: () => Promise<T>) => Promise<T> {
	let underWay = 0;
	const waiting: Array<() => void> = [];
	const begin = () => {
		while (underWay < limit() && waiting.length > 0) {
			underWay++;
			waiting.shift()!();
		}
	};
	return async (task) => {
		await new Promise<void>((resolve) => {
			waiting.push(resolve);
			begin();
		});
		try {
			return await task();
		} finally {
			underWay--;
			begin();
		}
	};
}
