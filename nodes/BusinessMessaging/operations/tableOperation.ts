/** An operation on n8n's data tables of campaigns: it makes no request to the service. */
import type { IDataObject } from 'n8n-workflow';

import type { CampaignTables } from '../campaign/tables';
import type { ParameterField, ValuesOf } from './fields';
import type { OperationNames, RequestSettings } from './operation';

/** An operation as the node runs it. */
export interface TableOperation extends Omit<OperationNames, 'endpoint'> {
	fields: readonly ParameterField[];
	/** Whether items that ask for the same are carried out once, for the first of them. */
	isSharedByItems?: boolean;
	/** What an item asks for. @throws InputError for an invalid value or item */
	read: (values: Record<string, unknown>, settings: RequestSettings, input: IDataObject) => unknown;
	/** Carries out all items. @returns the records of each item, in their order @throws InputError, or an Error of n8n */
	runAll: (tables: CampaignTables, asked: unknown[]) => Promise<IDataObject[][]>;
}

/** The same, with types of its fields and of what an item asks for. */
interface Definition<F extends readonly ParameterField[], A>
	extends Omit<TableOperation, 'fields' | 'read' | 'runAll'> {
	fields: F;
	read: (values: ValuesOf<F>, settings: RequestSettings, input: IDataObject) => A;
	runAll: (tables: CampaignTables, asked: A[]) => Promise<IDataObject[][]>;
}

/** Defines an operation on tables. */
export function tableOperation<const F extends readonly ParameterField[], A>(
	definition: Definition<F, A>,
): TableOperation {
	return definition as unknown as TableOperation;
}
