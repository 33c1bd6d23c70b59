/** The error of a run, if the node does not continue on errors: it names an item, and says how far the run got. */
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Operation } from '../operations/operation';
import { type Item, hasFailed, hasNotFailed, inState, isWanted } from './item';
import { toNodeError } from './itemOutput';

/**
 * Throws for an item that has failed before the first request. Each next step talks to others: service, log, inbox.
 *
 * @param isInPreview whether a preview shows these errors, too
 */
export function refuseUnsent(
	context: IExecuteFunctions,
	{ recipientOf }: Operation,
	items: Item[],
	isInPreview = recipientOf !== undefined,
): void {
	const failed = items.filter((item) => !hasNotFailed(item));
	const [count, all] = [failed.length, items.length];
	const list = isInPreview ? " To list them, set 'Mode' to 'Preview'." : '';
	const goOn = items.some(isWanted)
		? " To carry out the others, set 'On Error' in the settings of the node to 'Continue'."
		: '';
	const some = count < all ? `At least ${count} of ${all} items` : `All ${all} items`;
	const others = count > 1 ? ` ${some} have errors.${list}${goOn}` : '';
	const notes = `All items are checked first, so nothing was sent in this run of the node.${others}`;
	refuse(context, failed, all === 1 ? 'Nothing was sent for this item.' : notes);
}

/** Throws for an item that has failed, and says how far the run got. */
export function refuseFailed(
	context: IExecuteFunctions,
	operation: Operation,
	items: Item[],
	warnings: string[],
): void {
	const isRepeatable = operation.endpoint.idempotent || items.length === 1;
	const progress = isRepeatable ? '' : progressOf(operation, items);
	refuse(context, items, [progress, ...warnings].join(' ').trim());
}

/** How far a run got that has failed, and what a retry does. It repeats no message that may have been sent, so it fails again. */
function progressOf({ repeatsUncertain }: Operation, items: Item[]): string {
	const done = items.filter(inState('done', 'leftOut')).length;
	const unclear = repeatsUncertain ? 0 : items.filter(inState('uncertain')).length;
	const others = items.length - done - unclear;
	const orLeftOut = items.some(inState('leftOut')) ? ' or were left out' : '';
	return [
		`${done} of ${items.length} items are done${orLeftOut}.`,
		...(others > 0
			? [`A retry continues with the others${unclear > 0 ? ` (${others})` : ''}.`]
			: []),
		...(unclear > 0
			? [
					`${unclear} may be done, so a retry does not repeat ${unclear === 1 ? 'it' : 'them'} and ends with an error again. To go on with the workflow, set 'On Error' in the settings of the node to 'Continue', and retry with the currently saved workflow.`,
				]
			: []),
	].join(' ');
}

/** Throws for the first item that has failed, unless the node continues on errors. If all have the same error, it is not about an item. */
function refuse(context: IExecuteFunctions, items: Item[], note: string): void {
	if (context.continueOnFail()) return;
	const [node, count] = [context.getNode(), context.getInputData().length];
	const failures = items.flatMap(({ index, outcome }) =>
		hasFailed(outcome) ? { index, failure: outcome.failure } : [],
	);
	const [first, ...others] = failures;
	if (!first) return;
	const hasSame = ({ failure }: typeof first) => failure.message === first.failure.message;
	const isOfNode = others.length > 0 && failures.length === count && others.every(hasSame);
	throw toNodeError(node, first.failure, isOfNode ? undefined : first.index, note, count);
}
