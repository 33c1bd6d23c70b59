import type { IDataObject } from 'n8n-workflow';

import type { ItemFailure } from './errors';

/** What became of an item: the records it gave, or what it failed with. */
export type Outcome = { records: IDataObject[] } | { failure: ItemFailure };

/** Whether an item failed. */
export function hasFailed(outcome: Outcome | undefined): outcome is { failure: ItemFailure } {
	return outcome !== undefined && 'failure' in outcome;
}
