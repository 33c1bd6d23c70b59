import type { IExecuteFunctions } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { type Limit, SlidingWindow } from '../transport/slidingWindow';

/** The messages of the last minute, by workflow and node: the rounds of a loop and executions side by side share them. */
const windows = new BoundedMap<string, SlidingWindow>({ maxSize: 1_000 });

/** The limit that the option Messages per Minute sets for all executions of a node in this process; undefined without it. */
export function messageLimitOf(context: IExecuteFunctions, most?: number): Limit | undefined {
	if (most === undefined) return undefined;
	const key = `${context.getWorkflow().id} ${context.getNode().id}`;
	return { window: windows.getOrSet(key, () => new SlidingWindow(60_000)), most };
}
