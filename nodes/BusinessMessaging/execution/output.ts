/** What comes out for an item, and its errors as n8n shows them. */
import { omitBy, pickBy } from 'lodash';
import {
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { type Operation, sendResult } from '../operations/operation';
import { InputError, type ServiceError } from '../transport/errors';
import { type Item, hasFailed } from './item';

/** The outputs of all items in their order, each paired with its item. */
export function toOutputs(
	context: IExecuteFunctions,
	{ recipientOf, waits }: Operation,
	items: Item[],
): INodeExecutionData[] {
	const node = context.getNode();
	const isMessage = recipientOf !== undefined;
	const keepsInput =
		isMessage && !waits && context.getNodeParameter('options.keepInputFields', 0, false) === true;
	return items.flatMap((item) => toOutput(node, item, { isMessage, keepsInput }));
}

/**
 * The output of an item that was carried out, has failed or was left out. n8n sends an item to the error output only if
 * `error` is its only field, and then adds the fields of the input.
 */
export function toOutput(
	{ onError }: INode,
	{ index, input, request, outcome }: Item,
	{ isMessage, keepsInput }: { isMessage: boolean; keepsInput: boolean },
): INodeExecutionData[] {
	if (!outcome) return [];
	const pairedItem = { item: index }; // one for all, as n8n's own helper does
	if (!hasFailed(outcome))
		return outcome.records.map((json) => ({
			json: keepsInput ? withInput(json, input) : json,
			pairedItem,
		}));
	const { message, description, statusCode, sendStatus } = outcome.failure;
	const error = { message, ...pickBy({ description, statusCode }), sendStatus };
	if (!isMessage || onError === 'continueErrorOutput') return [{ json: { error }, pairedItem }];
	const to = request?.body?.to;
	const result = sendResult(typeof to === 'string' ? to : null, sendStatus, { reason: message });
	const json = { ...result, error };
	return [{ json: keepsInput ? withInput(json, input) : json, pairedItem }];
}

/** What an earlier run may have left in the input. It must not look like a result of this one. */
const ownFields = ['error', 'meantFor', 'sendAfter', 'sentAs', 'skipped'];

/** An output followed by the fields of its input. If both have a field, the output's is used. */
function withInput(output: IDataObject, input: IDataObject): IDataObject {
	const isOwn = (name: string) => ownFields.includes(name) || Object.hasOwn(output, name);
	return { ...output, ...omitBy(input, (_, name) => isOwn(name)) };
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
