/** What a run of the node knows of each input item. */
import type { OperationRequest } from '../operations/operation';
import { type Outcome, hasFailed } from '../operations/outcome';

/** One input item on its way through a run. */
export interface Item {
	/** Its place among the input items, counted from 0 as in n8n's own messages. */
	readonly index: number;
	/** What is asked of the service; missing if a value of a field cannot be right. */
	request?: OperationRequest;
	/** What became of it, now or in an earlier attempt; missing while it is still to be carried out. */
	outcome?: Outcome;
}

/** An item that has not failed. */
export type ValidItem = Item & { request: OperationRequest };

/** Whether an item has not failed so far. */
export function isValid(item: Item): item is ValidItem {
	return item.request !== undefined && !hasFailed(item.outcome);
}

/** Whether an item has not failed, and no rule has left it out. */
export function isWanted(item: Item): item is ValidItem {
	const isLeftOut = item.outcome && 'isLeftOut' in item.outcome;
	return isValid(item) && !isLeftOut;
}

/** Whether an item was carried out with success. */
export function isDone({ outcome }: Item): boolean {
	return outcome !== undefined && !hasFailed(outcome);
}

/** Whether an item is still to be carried out. */
export function isPending(item: Item): item is ValidItem {
	return item.request !== undefined && item.outcome === undefined;
}
