/** Failures of items as n8n shows them and passes them on. */
import { pickBy } from 'lodash';
import {
	type INode,
	type INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import type { ItemFailure } from '../operations/outcome';
import { ServiceError } from '../transport/errors';

/** The error that stops the execution for an item. `note` follows its description. */
export function toNodeError(
	node: INode,
	failure: ItemFailure,
	itemIndex: number,
	note?: string,
): NodeApiError | NodeOperationError {
	const message = `${failure.message} [item ${itemIndex}]`;
	const description = [failure.description, note].filter(Boolean).join(' ');
	const httpCode = failure instanceof ServiceError ? failure.statusCode?.toString() : undefined;
	const error =
		failure instanceof ServiceError
			? new NodeApiError(
					node,
					{ message, description },
					{ message, description, itemIndex, httpCode },
				)
			: new NodeOperationError(node, message, { description, itemIndex });
	error.context.sendStatus = failure.sendStatus;
	return error;
}

/**
 * The output of a failed item when the execution continues. Workflows can branch on `error.sendStatus`. n8n takes an item
 * for the error output only if it has no field but `error`; elsewhere a message has the fields that all of them have.
 *
 * @param to who was to get the message, E.164; null if that is not known, undefined where no message was to be sent
 */
export function toErrorItem(
	{ onError }: INode,
	failure: ItemFailure,
	itemIndex: number,
	to?: unknown,
): INodeExecutionData {
	const { message, description, sendStatus } = failure;
	const statusCode = failure instanceof ServiceError ? failure.statusCode : undefined;
	const details = pickBy({ description, statusCode });
	const error = { message, ...details, sendStatus };
	const isAlone = to === undefined || onError === 'continueErrorOutput';
	const common = { to: to as string | null, sendStatus, reason: message, messageId: null };
	return { json: isAlone ? { error } : { ...common, error }, pairedItem: { item: itemIndex } };
}
