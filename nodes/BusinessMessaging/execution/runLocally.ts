/** One run of an operation on what n8n keeps, for all input items, with each setting of On Error. */
import { uniqBy } from 'lodash';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { credentialType } from '../transport/connect';
import { InputError, ServiceError, asFailure } from '../transport/errors';
import { defaultCountryOf } from '../operations/phoneFields';
import type { LocalOperation, Sources } from '../operations/localOperation';
import { mapInTurns } from '../yieldToN8n';
import { openTables } from './campaignTables';
import { wordsOf } from './dataTable';
import { FieldReader } from './expressions';
import { type Item, hasFailed, toOutcome } from './item';
import { toNodeError, toOutput } from './itemOutput';
import { readValues } from './readItems';

/** An item, and what it asks for. */
interface AskingItem extends Item {
	asked?: unknown;
}

/**
 * The output is in the order of the items, each record paired with its item.
 *
 * @throws NodeOperationError for the first failed item, unless the node continues on errors
 */
export async function runLocally(
	context: IExecuteFunctions,
	operation: LocalOperation,
	openInbox: (context: IExecuteFunctions) => Sources['inbox'],
): Promise<INodeExecutionData[]> {
	const items = await readAll(context, operation);
	refuse(context, items);
	const valid = items.filter(({ outcome }) => !outcome);
	const { source: kind, isSharedByItems } = operation;
	const carried = isSharedByItems ? uniqBy(valid, ({ asked }) => JSON.stringify(asked)) : valid;
	const source = kind === 'inbox' ? openInbox(context) : await openTables(context);
	// Operations that items share fail for the item that asks for something wrong; a table or the inbox fails for all items.
	const parts = isSharedByItems ? carried.map((item) => [item]) : [carried];
	for (const part of parts.filter(({ length }) => length > 0)) {
		try {
			const records = await operation.runAll(
				source,
				part.map(({ asked }) => asked),
			);
			for (const [place, item] of part.entries()) item.outcome = { records: records[place] };
		} catch (error) {
			for (const item of part)
				item.outcome = { failure: kind === 'tables' ? toTableFailure(error) : asFailure(error) };
		}
	}
	refuse(context, items);
	for (const message of source.hints)
		context.addExecutionHints({ message, location: 'outputPane', type: 'warning' });
	return items.flatMap((item) => toOutput(context.getNode(), item, { isMessage: false }));
}

async function readAll(
	context: IExecuteFunctions,
	operation: LocalOperation,
): Promise<AskingItem[]> {
	const reader = new FieldReader(context);
	const credential = await context.getCredentials(credentialType).catch(() => undefined);
	const defaultCountry = defaultCountryOf(credential);
	const settings = { defaultCountry, timeZone: context.getTimezone() };
	return await mapInTurns(context.getInputData(), ({ json }, index): AskingItem => {
		try {
			const values = readValues(operation.fields, reader, index);
			return { index, input: json, asked: operation.read(values, settings, json) };
		} catch (error) {
			return { index, input: json, outcome: toOutcome(error) };
		}
	});
}

function toTableFailure(error: unknown): ServiceError {
	if (error instanceof ServiceError) return error;
	return new InputError(
		"n8n's data table could not be read or written",
		`Run the node again when the problem is solved. n8n says: ${wordsOf(error)}`,
	);
}

function refuse(context: IExecuteFunctions, items: AskingItem[]): void {
	if (context.continueOnFail()) return;
	for (const { index, outcome } of items)
		if (hasFailed(outcome)) throw toNodeError(context.getNode(), outcome.failure, index, '');
}
