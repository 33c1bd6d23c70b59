/** What becomes of an item: records, or a failure. */
import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../transport/errors';
import { InputError } from './inputError';

/** What an item can fail with: words for the user, and whether it may have taken effect. */
export type ItemFailure = InputError | ServiceError;

/** What became of an item: the records it gave, also if it was left out by a rule, or what it failed with. */
export type Outcome = { records: IDataObject[]; isLeftOut?: true } | { failure: ItemFailure };

/** Whether an item failed. */
export function hasFailed(outcome: Outcome | undefined): outcome is { failure: ItemFailure } {
	return outcome !== undefined && 'failure' in outcome;
}

/** Any error as an item's failure; anything unexpected becomes an InputError with its words. */
export function asFailure(error: unknown): ItemFailure {
	if (error instanceof ServiceError || error instanceof InputError) return error;
	return new InputError(error instanceof Error ? error.message : String(error));
}
