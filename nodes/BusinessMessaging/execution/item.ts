/** An input item on its way through a run of the node. */
import type { IDataObject } from 'n8n-workflow';

import { textOrJson } from '../jsonValues';
import { type OperationRequest, sendResult } from '../operations/operation';
import type { ServiceError } from '../transport/errors';

/** What became of an item: its output, also if a rule left it out, or its failure. */
export type Outcome = { records: IDataObject[]; isLeftOut?: true } | { failure: ServiceError };

/** Why somebody does not get a message. */
export type SkipReason =
	| 'alreadySent'
	| 'duplicate'
	| 'excluded'
	| 'frequencyCap'
	| 'historyCleared'
	| 'mayHaveBeenSent'
	| 'notInTest'
	| 'outsideSendWindow';

/** One input item on its way through a run. */
export interface Item {
	/** Its place among the input items, counted from 0 as in n8n's own messages. */
	readonly index: number;
	/** Its fields, for an output that keeps them. */
	readonly input: IDataObject;
	/** Missing if the value of a field is invalid. */
	request?: OperationRequest;
	/** Whether its request has gone out, so that it may take effect before there is an outcome. */
	hasBegun?: boolean;
	/** Its result, now or in an earlier attempt; missing before it is carried out. */
	outcome?: Outcome;
}

/** An item that has not failed. */
export type ValidItem = Item & { request: OperationRequest };

/** The outcome of an item that gets no message. */
export function skip(
	{ request }: ValidItem,
	reason: SkipReason,
	details: IDataObject = {},
): Outcome {
	const to = request.test?.meantFor ?? textOrJson(request.body?.to);
	const record = { ...sendResult(to, 'skipped', { reason }), skipped: true, ...details };
	return { records: [record], isLeftOut: true };
}

/** Whether an item failed. */
export function hasFailed(outcome: Outcome | undefined): outcome is { failure: ServiceError } {
	return outcome !== undefined && 'failure' in outcome;
}

/** Whether nothing was sent for certain: the item failed before that, or a rule left it out. */
export function isUnsent(outcome: Outcome): boolean {
	return hasFailed(outcome) ? outcome.failure.sendStatus === 'notSent' : outcome.isLeftOut === true;
}

/** Whether the recipient of an item may get its message, now or in an earlier attempt: it has not certainly failed. */
export function mayReach(item: Item): item is ValidItem {
	const isNotSent = hasFailed(item.outcome) && item.outcome.failure.sendStatus === 'notSent';
	return item.request !== undefined && !isNotSent;
}

/** Whether an item has not failed, and no rule has left it out. */
export function isWanted(item: Item): item is ValidItem {
	const { request, outcome } = item;
	const isLeftOut = outcome && 'isLeftOut' in outcome;
	return request !== undefined && !hasFailed(outcome) && !isLeftOut;
}

/** Whether an item was carried out with success. */
export function isDone({ outcome }: Item): boolean {
	return outcome !== undefined && !hasFailed(outcome);
}

/** Whether an item is still to be carried out. */
export function isPending(item: Item): item is ValidItem {
	return item.request !== undefined && item.outcome === undefined;
}
