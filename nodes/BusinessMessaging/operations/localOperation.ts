/** An operation on what n8n keeps: its data tables of campaigns, or the open questions. It makes no request to the service. */
import type { IDataObject } from 'n8n-workflow';

import type { CampaignTables } from '../campaign/tables';
import type { ParameterField, ValuesOf } from './fields';
import type { OperationNames, RequestSettings } from './operation';
import type { OpenInbox } from './sending/openQuestions';

/** What such operations work on. */
export interface Sources {
	tables: CampaignTables;
	inbox: OpenInbox;
}

/** An operation as the node runs it. */
export interface LocalOperation extends Omit<OperationNames, 'endpoint'> {
	source: keyof Sources;
	fields: readonly ParameterField[];
	/** Whether items that ask for the same are carried out once, for the first of them. */
	isSharedByItems?: boolean;
	/** What an item asks for. @throws InputError for an invalid value or item */
	read: (values: Record<string, unknown>, settings: RequestSettings, input: IDataObject) => unknown;
	/** Carries out all items. @returns the records of each item, in their order @throws InputError, or an Error of n8n */
	runAll: (source: Sources[keyof Sources], asked: unknown[]) => Promise<IDataObject[][]>;
}

/** The same, with types of its source, its fields and what an item asks for. */
interface Definition<S, F extends readonly ParameterField[], A>
	extends Omit<LocalOperation, 'source' | 'fields' | 'read' | 'runAll'> {
	fields: F;
	read: (values: ValuesOf<F>, settings: RequestSettings, input: IDataObject) => A;
	runAll: (source: S, asked: A[]) => Promise<IDataObject[][]>;
}

function definer<K extends keyof Sources>(source: K) {
	return <const F extends readonly ParameterField[], A>(
		definition: Definition<Sources[K], F, A>,
	): LocalOperation => ({ ...definition, source }) as unknown as LocalOperation;
}

/** Defines an operation on tables. */
export const tableOperation = definer('tables');

/** Defines an operation on the questions of Send and Wait. */
export const inboxOperation = definer('inbox');
