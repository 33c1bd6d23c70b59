/** Side by side where that is safe, one after the other where order matters. */

interface LaneRun {
	/** Number of items. */
	count: number;
	/** Items with the same lane go one after the other, in their order. */
	laneOf: (index: number) => string;
	/** Most items under way at the same time. */
	concurrency: number;
	/** Carries out one item; does not reject. */
	task: (index: number) => Promise<void>;
	/** Once true, no further item is begun. */
	isStopped: () => boolean;
}

/** Runs all items in about their order. A lane rejoins the queue at its end after every item, so that none waits for a long one. */
export async function runInLanes({
	count,
	laneOf,
	concurrency,
	task,
	isStopped,
}: LaneRun): Promise<void> {
	const lanes = new Map<string, number[]>();
	for (let index = 0; index < count; index++) {
		const lane = laneOf(index);
		const items = lanes.get(lane);
		if (items) items.push(index);
		else lanes.set(lane, [index]);
	}
	const queue = [...lanes.values()].map((items) => ({ items, next: 0 }));
	let head = 0;
	const work = async () => {
		while (head < queue.length && !isStopped()) {
			const lane = queue[head++];
			await task(lane.items[lane.next++]);
			if (lane.next < lane.items.length) queue.push(lane);
		}
	};
	await Promise.all(Array.from({ length: Math.min(concurrency, queue.length) }, work));
}
