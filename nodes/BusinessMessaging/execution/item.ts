import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { textOrJson } from '../jsonValues';
import { type OperationRequest, sendResult } from '../operations/operation';
import { ServiceError, asFailure } from '../transport/errors';

/** The result of an item: its output (also if a rule left it out), or its failure. */
export type Outcome = { records: IDataObject[]; isLeftOut?: true } | { failure: ServiceError };

/** Why somebody does not get a message. */
export type SkipReason =
	| 'alreadySent'
	| 'duplicate'
	| 'excluded'
	| 'frequencyCap'
	| 'limit'
	| 'mayHaveBeenSent'
	| 'notInTest'
	| 'optedOut'
	| 'outsideSendWindow';

/** One input item on its way through a run. */
export interface Item {
	/** Its position among the input items, counted from 0 as in n8n's own messages. */
	readonly index: number;
	/** Its fields and files, for an output that keeps them. */
	readonly input: IDataObject;
	readonly files?: INodeExecutionData['binary'];
	/** Missing if the value of a field is invalid. */
	request?: OperationRequest;
	/** The recipient of a message whose other fields are invalid, E.164. */
	to?: string;
	/** Whether its request has gone out. From then on, the request may take effect before there is an outcome. */
	hasBegun?: boolean;
	/** The next item with the same recipient. It is left out as a duplicate, unless this one is certainly not sent. */
	instead?: ValidItem;
	/** The key of its row in the campaign log, if it has one. */
	idempotencyKey?: string;
	/** Its result, from this attempt or an earlier one; missing before the item is carried out. */
	outcome?: Outcome;
}

/** An item whose fields are valid. */
export type ValidItem = Item & { request: OperationRequest };

/** The outcome of an item that gets no message. */
export function skip(
	{ request }: ValidItem,
	reason: SkipReason,
	details: IDataObject = {},
): Outcome {
	const to = request.rules?.test?.meantFor ?? textOrJson(request.body?.to);
	const { question, isPreview } = request.rules ?? {};
	const asReply = question && !isPreview && { from: to, replied: false };
	const record = {
		...asReply,
		...sendResult(to, 'skipped', { reason }),
		skipped: true,
		...details,
	};
	return { records: [record], isLeftOut: true };
}

/** The outcome of an error. */
export const toOutcome = (error: unknown): Outcome => ({ failure: asFailure(error) });

/** What guards see of an item whose turn came after the run was stopped. */
export const stopped = toOutcome(new ServiceError('The run was stopped', { kind: 'cancelled' }));

/** Whether a request has failed. One that was held back has not: `sendWindow` may leave out its item. */
export function isFailure(outcome: Outcome): boolean {
	return hasFailed(outcome) && outcome.failure.kind !== 'cancelled';
}

/** Sends the message of an item, with its own request or another one. */
export type Send = (request?: OperationRequest) => Promise<Outcome>;

/** A rule that may hold back the message of an item: it calls `send` or does not, and may change the outcome. */
export interface Guard {
	guard(item: ValidItem, send: Send): Promise<Outcome>;
}

/** Whether an item failed. */
export function hasFailed(outcome: Outcome | undefined): outcome is { failure: ServiceError } {
	return outcome !== undefined && 'failure' in outcome;
}

/** The state of an item. `failed`: nothing was sent. `uncertain`: it has failed, but the message may have been sent. */
export type ItemState = 'pending' | 'done' | 'leftOut' | 'failed' | 'uncertain';

/** The state of an item with this outcome. An item with an invalid field counts as failed. */
export function stateOf(outcome: Outcome | undefined): ItemState {
	if (outcome === undefined) return 'pending';
	if (hasFailed(outcome)) return outcome.failure.sendStatus === 'notSent' ? 'failed' : 'uncertain';
	return outcome.isLeftOut ? 'leftOut' : 'done';
}

/** A function that tells whether an item is in one of these states. */
export function inState(...states: Array<Exclude<ItemState, 'failed'>>) {
	return (item: Item): item is ValidItem => states.some((state) => state === stateOf(item.outcome));
}

/** Whether it is certain that nothing was sent: the item failed before, or a rule left it out. */
export function isUnsent(outcome: Outcome): boolean {
	return ['failed', 'leftOut'].includes(stateOf(outcome));
}

/** Whether an item has not failed, and no rule has left it out. */
export const isWanted = inState('pending', 'done');

/** Whether an item has not failed. */
export const hasNotFailed = inState('pending', 'done', 'leftOut', 'uncertain');
