/** What the operations of the resource Campaign need of n8n's data tables. execution/campaignTables.ts has it. */
import type { IDataObject } from 'n8n-workflow';

import { InputError } from '../transport/errors';

/** Values for the columns of a row; a time is a text in ISO 8601. */
export type RowValues = Record<string, string | null>;

/** A data table. Its methods throw an Error if n8n does not carry them out. */
export interface Table {
	/** Tables with the same ID are the same table. */
	readonly id: string;
	readonly name: string;
	/** The names of its columns, without those that n8n itself adds. */
	readonly columns: string[];
	/** All rows after an ID (exclusive) in the order of their IDs, in parts. */
	readAll: (from: number) => AsyncIterable<IDataObject[]>;
	/** The same, for few rows: then it does not cost more in a large table. */
	readNewest: (from: number) => AsyncIterable<IDataObject[]>;
	/** The rows of a campaign, however its name is written; those of others may come as well. */
	readCampaign: (name: string) => AsyncIterable<IDataObject[]>;
	/** The first row after an ID (exclusive), or the last row. */
	first: (from: number) => Promise<IDataObject | undefined>;
	last: () => Promise<IDataObject | undefined>;
	rowsWith: (ids: number[]) => Promise<IDataObject[]>;
	insert: (rows: RowValues[]) => Promise<void>;
	update: (ids: number[], values: RowValues) => Promise<void>;
	delete: (ids: number[]) => Promise<void>;
}

/** The tables of the project. */
export interface CampaignTables {
	/** The campaign log; undefined before the first campaign. @throws InputError if it cannot be opened */
	log: () => Promise<Table | undefined>;
	/** The table of people who have opted out. @throws InputError if it cannot be opened */
	optOuts: (whenMissing: 'create' | 'return') => Promise<Table | undefined>;
	/** The account of the credential, as the campaign log names it; empty if it is not known. */
	readonly account: string;
	/** Whether a row of the campaign log is of this account. A row without a readable account is of every account. */
	isOwn: (row: IDataObject) => boolean;
	/** The name of the workflow. */
	readonly workflow: string;
	/** The time of day, ms since 1970. */
	now: () => number;
	pause: (ms: number) => Promise<unknown>;
	/** What users should know. */
	readonly hints: Set<string>;
}

/** @throws InputError if a table has not all of these columns */
export function checkColumns({ name, columns }: Table, needed: string[]): void {
	const missing = needed.filter((column) => !columns.includes(column));
	if (missing.length > 0)
		throw new InputError(
			`The data table "${name}" has no column ${missing.join(', ')}`,
			'Add it in n8n\'s Data tables, as text (names that end with "At": as date and time).',
		);
}
