/** Failures of items as n8n shows and hands them on. */
import {
	type INode,
	type INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import type { ItemFailure } from '../operations/outcome';
import { ServiceError } from '../transport/errors';

/** The error that stops the execution, or that goes along with an item to the error output. */
export function toNodeError(
	node: INode,
	failure: ItemFailure,
	itemIndex: number,
	note?: string,
): NodeApiError | NodeOperationError {
	const message = `${failure.message} [item ${itemIndex}]`;
	const description = [failure.description, note].filter(Boolean).join(' ') || undefined;
	const error =
		failure instanceof ServiceError
			? new NodeApiError(
					node,
					{ message, description: description ?? '' },
					{ message, description, itemIndex, httpCode: failure.statusCode?.toString() },
				)
			: new NodeOperationError(node, message, { description, itemIndex });
	error.context.sendStatus = failure.sendStatus;
	return error;
}

/**
 * The item that stands for a failed one when the execution continues. Workflows can branch on `error.sendStatus`.
 *
 * Everything stands inside of `error`: an item with that field alone is what every version of n8n takes for a failed one.
 */
export function toErrorItem(failure: ItemFailure, itemIndex: number): INodeExecutionData {
	const { message, description, sendStatus } = failure;
	const statusCode = failure instanceof ServiceError ? failure.statusCode : undefined;
	const error = {
		message,
		...(description && { description }),
		...(statusCode && { statusCode }),
		sendStatus,
	};
	return { json: { error }, pairedItem: { item: itemIndex } };
}
