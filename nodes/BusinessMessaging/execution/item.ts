/** An input item on its way through a run of the node. */
import type { IDataObject } from 'n8n-workflow';

import { textOrJson } from '../jsonValues';
import { type OperationRequest, sendResult } from '../operations/operation';
import { type ServiceError, asFailure } from '../transport/errors';

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
	/** Its position among the input items, counted from 0 as in n8n's own messages. */
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
	const to = request.rules?.test?.meantFor ?? textOrJson(request.body?.to);
	const record = { ...sendResult(to, 'skipped', { reason }), skipped: true, ...details };
	return { records: [record], isLeftOut: true };
}

/** The outcome of an error. */
export const toOutcome = (error: unknown): Outcome => ({ failure: asFailure(error) });

/** Sends the message of an item, with its own request or another one. */
export type Send = (request?: OperationRequest) => Promise<Outcome>;

/** What may hold back the message of an item: it calls `send` or not, and may change the outcome. */
export interface Guard {
	guard(item: ValidItem, send: Send): Promise<Outcome>;
}

/** Whether an item failed. */
export function hasFailed(outcome: Outcome | undefined): outcome is { failure: ServiceError } {
	return outcome !== undefined && 'failure' in outcome;
}

/** The only state that an item is in. After `failed` nothing was sent; `uncertain` has failed too, but may have been sent. */
export type ItemState = 'pending' | 'done' | 'leftOut' | 'failed' | 'uncertain';

/** The state of an item with this outcome. One with an invalid field has failed. */
export function stateOf(outcome: Outcome | undefined): ItemState {
	if (outcome === undefined) return 'pending';
	if (hasFailed(outcome)) return outcome.failure.sendStatus === 'notSent' ? 'failed' : 'uncertain';
	return outcome.isLeftOut ? 'leftOut' : 'done';
}

/** Tells whether an item is in one of some states. */
export function inState(...states: Array<Exclude<ItemState, 'failed'>>) {
	return (item: Item): item is ValidItem => states.some((state) => state === stateOf(item.outcome));
}

/** Whether nothing was sent for certain: the item failed before that, or a rule left it out. */
export function isUnsent(outcome: Outcome): boolean {
	return ['failed', 'leftOut'].includes(stateOf(outcome));
}

/** Whether an item has not failed, and no rule has left it out. */
export const isWanted = inState('pending', 'done');

/** Whether the recipient of an item may get its message, now or in an earlier attempt. */
export const mayReach = inState('pending', 'done', 'leftOut', 'uncertain');
