/** An input item on its way through a run of the node, and its errors as n8n shows them. */
import { pickBy } from 'lodash';
import {
	type IDataObject,
	type INode,
	type INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { type OperationRequest, sendResult } from '../operations/operation';
import { InputError, type ServiceError } from '../transport/errors';

/** What became of an item: the records it gave, also if it was left out by a rule, or what it failed with. */
export type Outcome = { records: IDataObject[]; isLeftOut?: true } | { failure: ServiceError };

/** One input item on its way through a run. */
export interface Item {
	/** Its place among the input items, counted from 0 as in n8n's own messages. */
	readonly index: number;
	/** Missing if the value of a field is invalid. */
	request?: OperationRequest;
	/** Its result, now or in an earlier attempt; missing before it is carried out. */
	outcome?: Outcome;
}

/** An item that has not failed. */
export type ValidItem = Item & { request: OperationRequest };

/** Whether an item failed. */
export function hasFailed(outcome: Outcome | undefined): outcome is { failure: ServiceError } {
	return outcome !== undefined && 'failure' in outcome;
}

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

/** The error that stops the execution for an item. `note` follows its description. */
export function toNodeError(node: INode, failure: ServiceError, itemIndex: number, note: string) {
	const message = `${failure.message} [item ${itemIndex}]`;
	const description = [failure.description, note].filter(Boolean).join(' ');
	const details = { message, description, itemIndex, httpCode: failure.statusCode?.toString() };
	const error =
		failure instanceof InputError
			? new NodeOperationError(node, message, details)
			: new NodeApiError(node, { message, description }, details);
	error.context.sendStatus = failure.sendStatus;
	return error;
}

/**
 * The output of a failed item when the execution continues. n8n takes an item for the error output only if it has no field
 * but `error`; elsewhere a message has the fields that all of them have.
 *
 * @param to who was to get the message, E.164; null if that is not known, undefined where no message was to be sent
 */
export function toErrorItem(
	{ onError }: INode,
	failure: ServiceError,
	itemIndex: number,
	to?: unknown,
): INodeExecutionData {
	const { message, description, statusCode, sendStatus } = failure;
	const error = { message, ...pickBy({ description, statusCode }), sendStatus };
	const isAlone = to === undefined || onError === 'continueErrorOutput';
	const common = isAlone ? {} : sendResult(to as string | null, sendStatus, { reason: message });
	return { json: { ...common, error }, pairedItem: { item: itemIndex } };
}
