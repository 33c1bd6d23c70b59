/** What becomes of a request, for whoever makes one. */
import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../transport/errors';
import { type InputError, asInputError } from './inputError';

/** What an item can fail with: words for the user, and whether it may have taken effect. */
export type ItemFailure = InputError | ServiceError;

/** What became of an item: the records it gave, or what it failed with. */
export type Outcome = { records: IDataObject[] } | { failure: ItemFailure };

/** Whether an item failed. */
export function hasFailed(outcome: Outcome | undefined): outcome is { failure: ItemFailure } {
	return outcome !== undefined && 'failure' in outcome;
}

/** Makes every error an item's failure; what is neither the user's nor the service's is a fault of the node. */
export function asFailure(error: unknown): ItemFailure {
	return error instanceof ServiceError ? error : asInputError(error);
}

/** What becomes of work that gives records. */
export async function outcomeOf(work: Promise<IDataObject[]>): Promise<Outcome> {
	try {
		return { records: await work };
	} catch (error) {
		return { failure: asFailure(error) };
	}
}
