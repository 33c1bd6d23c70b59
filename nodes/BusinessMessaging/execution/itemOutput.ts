/** The output of an item, and its errors as n8n shows them. */
import { compact, difference, omit, omitBy, pickBy, uniq } from 'lodash';
import {
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { mapInTurns } from '../yieldToN8n';
import { textOrJson } from '../jsonValues';
import { type Operation, sendResult } from '../operations/operation';
import { InputError, type ServiceError } from '../transport/errors';
import { type Item, hasFailed } from './item';
import { isTool } from './toolReview';

/** The outputs of all items in their order, each paired with its item. */
export async function toOutputs(
	context: IExecuteFunctions,
	{ recipientOf, waits }: Operation,
	items: Item[],
	{ isPreview = false } = {},
): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const isMessage = recipientOf !== undefined;
	const outputs = items.flatMap((item) => toOutput(node, item, { isMessage, isPreview }));
	// In a preview, the input shows which row of a list a result belongs to.
	const keepsInput =
		isPreview ||
		(isMessage &&
			!waits &&
			context.getNodeParameter('options.includeOtherFields', 0, false) === true);
	return keepsInput ? await withInputs(outputs, items) : outputs;
}

/** The output of an item that was carried out, has failed or was left out. */
export function toOutput(
	{ onError }: INode,
	{ index, request, to: knownTo, outcome }: Item,
	{ isMessage, isPreview = false }: { isMessage: boolean; isPreview?: boolean },
): INodeExecutionData[] {
	if (!outcome) return [];
	const pairedItem = { item: index }; // one for all, as n8n's own helper does
	if (!hasFailed(outcome))
		return outcome.records.map((record) => ({
			json: isPreview ? toRow(record) : record,
			pairedItem,
		}));
	const { message, description, statusCode, sendStatus } = outcome.failure;
	const error = { error: message, details: { ...pickBy({ description, statusCode }), sendStatus } };
	if (onError === 'continueErrorOutput') return [toErrorItem({ json: error, pairedItem })];
	if (!isMessage) return [{ json: error, pairedItem }];
	const to = textOrJson(request?.body?.to ?? knownTo) || null;
	const reason = isPreview ? joinSentences(message, description) : message;
	const result = sendResult(to, sendStatus, { reason });
	return [{ json: isPreview ? toRow(result) : { ...result, ...error }, pairedItem }];
}

/**
 * n8n 2.36 and newer send an item with nothing but `error` and `details` to the error output, and add the fields of the
 * input. Older ones look for an error beside `json`. It is hidden, because n8n would give it to the next nodes.
 */
function toErrorItem(item: INodeExecutionData): INodeExecutionData {
	const value = { message: item.json.error };
	return Object.defineProperty(item, 'error', { value, enumerable: false, writable: true });
}

/** The row of an item in a preview. Nothing was sent, so it has no message ID. */
const toRow = (record: IDataObject) => omit(record, 'messageId');

/** A message, which does not end with a period, followed by its description. */
export const joinSentences = (message: string, description?: string) =>
	description ? `${message}. ${description}` : message;

const rareFields = 'details error meantFor sendAfter sendBefore sentAs skipped timeZones'.split(
	' ',
);
/** Fields of a result. The input may contain them from an earlier run; they must not look like results of this run. */
const ownFields = ['messageId', ...rareFields];

/** n8n shows columns in the order in which they first appear, so the first result gets the fields of all results. */
async function withInputs(
	outputs: INodeExecutionData[],
	items: Item[],
): Promise<INodeExecutionData[]> {
	const isResult = ({ json }: INodeExecutionData) => 'sendStatus' in json;
	const results = outputs.filter(isResult);
	const names = difference(uniq(results.flatMap(({ json }) => Object.keys(json))), rareFields);
	const allFields = Object.fromEntries(names.map((name) => [name, null]));
	const itemAt = new Map(items.map((item) => [item.index, item]));
	return await mapInTurns(outputs, (output) => {
		const { item: index } = output.pairedItem as { item: number };
		const { input = {}, files } = itemAt.get(index) ?? {};
		if (files) output.binary = files;
		if (!isResult(output)) return output;
		const result = output === results[0] ? { ...allFields, ...output.json } : output.json;
		return { ...output, json: withInput(result, input) };
	});
}

function withInput(result: IDataObject, input: IDataObject): IDataObject {
	const isOwn = (name: string) => ownFields.includes(name) || Object.hasOwn(result, name);
	return { ...result, ...omitBy(input, (_, name) => isOwn(name)) };
}

/** The error that stops the execution for an item, or for the node. `note` follows its description. @param count of all items */
export function toNodeError(
	node: INode,
	failure: ServiceError,
	itemIndex: number | undefined,
	note: string,
	count = 1,
) {
	const hasRow = itemIndex !== undefined && count > 1;
	const row =
		hasRow && `Item ${itemIndex} is row ${itemIndex + 1} of the input: n8n counts from 0.`;
	// Words of n8n or the service may have no full stop.
	const [first = '', ...others] = compact([failure.description, note, row]);
	const isOpen = others.length > 0 && !/[.!?…]$/.test(first);
	const description = [isOpen ? `${first}.` : first, ...others].join(' ');
	// If a tool fails, n8n shows the model only the message.
	const message = isTool(node)
		? joinSentences(failure.message, description)
		: compact([failure.message, itemIndex !== undefined && `[item ${itemIndex}]`]).join(' ');
	const details = { message, description, itemIndex, httpCode: failure.statusCode?.toString() };
	const error =
		failure instanceof InputError
			? new NodeOperationError(node, message, details)
			: new NodeApiError(node, { message, description }, details);
	error.context.sendStatus = failure.sendStatus;
	return error;
}
