/**
 * One of n8n's data tables. A node may not open them, so it runs a sub-workflow with n8n's own Data Table node. It
 * counts as its parent, so the table is in the project of the workflow. docs/adr/0014-campaign-log.md
 */
import { chunk, uniqBy } from 'lodash';
import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeParameters,
	IWorkflowBase,
} from 'n8n-workflow';

import type { RowValues } from '../campaign/tables';
import { textOrJson } from '../jsonValues';
import { withDeadline } from '../transport/deadline';
import { InputError } from '../transport/errors';

/** What runs the sub-workflows: an execution, and n8n ends them with it. */
export type TableCaller = Pick<IExecuteFunctions, 'executeWorkflow'>;

/** A table, as it is created. After a release, its columns can never change: n8n has no call that adds one. */
export interface TableDescription {
	name: string;
	columns: Record<string, 'string' | 'date'>;
	/** Columns that people may delete. */
	optional?: string[];
}

/** What users read if a table cannot be opened. */
export interface TableUse {
	/** What needs the table, e.g. `'Send Once'`. */
	needs: string;
	/** What happens then, as a sentence. */
	otherwise: string;
}

/** A condition for a row. `like` has `%` for any characters. */
export interface Condition {
	column: string;
	is: 'eq' | 'neq' | 'gt' | 'gte' | 'lte' | 'like';
	value: string | number;
}

/** After this time, a call counts as failed, ms: n8n ends none by itself. */
const maxCallMs = 60_000;
/** Rows in a call: as many as n8n's node reads in one piece, so that a row that is added meanwhile does no harm. */
const pageSize = 1_000;
/** Conditions in a call; SQLite accepts at most 1,000. */
const maxConditions = 500;

/**
 * Opens a table of the project.
 *
 * @param whenMissing `create` creates the table if there is none
 * @returns undefined if there is no such table
 * @throws InputError if n8n has no data tables, or a column is missing
 */
export async function openDataTable(
	caller: TableCaller,
	table: TableDescription,
	{ needs, otherwise }: TableUse,
	whenMissing: 'create' | 'return',
): Promise<DataTable | undefined> {
	const { name, columns, optional = [] } = table;
	const known = await findTable(caller, name).catch((error: unknown) => {
		throw new InputError(
			`${needs} could not open n8n's data tables`,
			`${otherwise} Data tables require n8n 2.3 or newer, and the module data-table must not be in N8N_DISABLED_MODULES. n8n says: ${wordsOf(error)}`,
		);
	});
	if (!known && whenMissing === 'return') return undefined;
	const found = known ?? (await createTable(caller, table, otherwise));
	const names = ((found.columns ?? []) as IDataObject[]).map((column) => textOrJson(column.name));
	const needed = Object.keys(columns).filter((column) => !optional.includes(column));
	const missing = needed.filter((column) => !names.includes(column));
	if (missing.length > 0)
		throw new InputError(
			`The data table "${name}" has no column ${missing.join(', ')}`,
			`Add it in n8n's Data tables, as text (names that end with "At": as date and time). Or rename the table: the node then creates a new, empty table.`,
		);
	return new DataTable(caller, textOrJson(found.id), names);
}

async function findTable(caller: TableCaller, name: string): Promise<IDataObject | undefined> {
	const options = { filterName: name };
	const list = { resource: 'table', operation: 'list', returnAll: true, options };
	const tables = await call(caller, list);
	return tables.find((table) => table.name === name);
}

async function createTable(
	caller: TableCaller,
	{ name, columns }: TableDescription,
	otherwise: string,
): Promise<IDataObject> {
	const column = Object.entries(columns).map(([one, type]) => ({ name: one, type }));
	const options = { createIfNotExists: true };
	const parameters = { tableName: name, columns: { column }, options };
	const create = { resource: 'table', operation: 'create', ...parameters };
	const [table] = await call(caller, create).catch(async (error: unknown) => {
		// n8n looks for the table and then creates it, so this fails if another run creates it at the same moment.
		const other = await findTable(caller, name).catch(() => undefined);
		if (other) return [other];
		throw new InputError(
			`n8n could not create the data table "${name}"`,
			`${otherwise} n8n says: ${wordsOf(error)}`,
		);
	});
	return table;
}

/** A table that exists. Its methods throw an Error if n8n does not carry them out. */
export class DataTable {
	constructor(
		private readonly caller: TableCaller,
		readonly id: string,
		/** The names of its columns, without those that n8n itself adds. */
		readonly columns: string[],
	) {}

	/** The same table, for another run: n8n ends the calls of a run with it. */
	calledBy(caller: TableCaller): DataTable {
		return new DataTable(caller, this.id, this.columns);
	}

	/** The rows after an ID (exclusive) for which all conditions hold, in the order of their IDs, in parts. */
	async *read(conditions: Condition[], from: number): AsyncIterable<IDataObject[]> {
		for (let after = from; ; ) {
			const order = { orderByDirection: 'ASC', limit: pageSize };
			const rows = await this.get([isAfter(after), ...conditions], order);
			if (rows.length > 0) yield rows;
			if (rows.length < pageSize) return;
			after = Number(rows[rows.length - 1].id);
		}
	}

	/**
	 * All rows after an ID (exclusive) in the order of their IDs, in parts. n8n counts all rows that match at each call, so
	 * a condition for the last ID makes it fast.
	 */
	async *readAll(from: number): AsyncIterable<IDataObject[]> {
		const end = Number((await this.last())?.id ?? 0);
		for (let after = from; after < end; after += pageSize) {
			const isInPart: Condition = { column: 'id', is: 'lte', value: after + pageSize };
			const order = { orderByDirection: 'ASC', limit: pageSize };
			const rows = await this.get([isAfter(after), isInPart], order);
			if (rows.length > 0) yield rows;
		}
	}

	/** The first row after an ID (exclusive). */
	async first(from: number): Promise<IDataObject | undefined> {
		return (await this.get([isAfter(from)], { orderByDirection: 'ASC', limit: 1 })).at(0);
	}

	/** The rows with these IDs. */
	async rowsWith(ids: number[]): Promise<IDataObject[]> {
		const found: IDataObject[] = [];
		for (const part of chunk(ids, maxConditions))
			found.push(...(await this.row('get', { ...anyOf(part), limit: pageSize })));
		return found;
	}

	/** The rows for which at least one condition holds; undefined if there may be more than n8n reads in one piece. */
	async findAny(conditions: Condition[]): Promise<IDataObject[] | undefined> {
		const found: IDataObject[] = [];
		for (const part of chunk(conditions, maxConditions)) {
			const order = { orderByDirection: 'DESC', limit: pageSize };
			const rows = await this.get(part, order, 'any');
			if (rows.length >= pageSize) return undefined;
			found.push(...rows);
		}
		return uniqBy(found, 'id');
	}

	/** The row with the greatest ID; undefined in an empty table. */
	async last(): Promise<IDataObject | undefined> {
		return (await this.get([], { orderByDirection: 'DESC', limit: 1 })).at(0);
	}

	/** Adds rows, in one transaction. */
	async insert(rows: RowValues[]): Promise<void> {
		await this.row('insert', { columns: autoMapped, options: { optimizeBulk: true } }, rows);
	}

	/** Gives the same values to the rows with these IDs. */
	async update(ids: number[], values: RowValues): Promise<void> {
		for (const part of chunk(ids, maxConditions))
			await this.row('update', { ...anyOf(part), columns: autoMapped, options: {} }, [values]);
	}

	/** Gives values to a row if it still has others: one statement, so nothing can come between. */
	async updateIf(id: number, has: Record<string, string>, values: RowValues): Promise<void> {
		const conditions = Object.entries({ id, ...has }).map(([keyName, keyValue]) => ({
			...{ keyName, condition: 'eq', keyValue },
		}));
		const filter = matching('all', conditions);
		await this.row('update', { ...filter, columns: autoMapped, options: {} }, [values]);
	}

	/**
	 * Deletes the rows with these IDs. SQLite gives the ID of a deleted last row again, so a row that others look for by
	 * its ID must not be the last one.
	 */
	async delete(ids: number[]): Promise<void> {
		for (const part of chunk(ids, maxConditions)) await this.row('deleteRows', anyOf(part));
	}

	private async get(
		conditions: Condition[],
		order: INodeParameters,
		which: 'all' | 'any' = 'all',
	): Promise<IDataObject[]> {
		const sort = { orderBy: true, orderByColumn: 'id', ...order };
		// A text may look like an expression, so n8n gets it as the value of an item.
		const texts = conditions.map(({ value }, index) => [`value${index}`, value]);
		const filters = conditions.map(({ column, is, value }, index) => ({
			...{ keyName: column, condition: is },
			keyValue: typeof value === 'string' ? `={{ $json.value${index} }}` : value,
		}));
		const item = Object.fromEntries(texts) as IDataObject;
		return await this.row('get', { ...matching(which, filters), ...sort }, [item]);
	}

	private async row(
		operation: string,
		parameters: INodeParameters,
		items: IDataObject[] = [{}],
	): Promise<IDataObject[]> {
		const dataTableId = { __rl: true, mode: 'id', value: this.id };
		return await call(
			this.caller,
			{ resource: 'row', operation, dataTableId, ...parameters },
			items,
		);
	}
}

/** n8n maps the fields of an item to columns with the same name. */
const autoMapped = { mappingMode: 'autoMapInputData', value: {}, matchingColumns: [], schema: [] };

const matching = (which: 'all' | 'any', conditions: INodeParameters[]): INodeParameters => ({
	matchType: which === 'all' ? 'allConditions' : 'anyCondition',
	filters: { conditions },
});

const isAfter = (id: number): Condition => ({ column: 'id', is: 'gt', value: id });

const anyOf = (ids: number[]): INodeParameters =>
	matching(
		'any',
		ids.map((id) => ({ keyName: 'id', condition: 'eq', keyValue: id })),
	);

const place = { position: [0, 0] as [number, number] };

/** Runs the Data Table node once. @returns its output items that have a value @throws Error */
async function call(
	caller: TableCaller,
	parameters: INodeParameters,
	items: IDataObject[] = [{}],
): Promise<IDataObject[]> {
	const nodes: INode[] = [
		{
			...place,
			...{ id: 'start', name: 'Start', type: 'n8n-nodes-base.executeWorkflowTrigger' },
			typeVersion: 1.1,
			parameters: { inputSource: 'passthrough' },
		},
		{
			...place,
			...{ id: 'table', name: 'Table', type: 'n8n-nodes-base.dataTable', typeVersion: 1.1 },
			alwaysOutputData: true,
			parameters,
		},
	];
	const next = { node: 'Table', type: 'main' as const, index: 0 };
	// n8n stores nothing of these executions, and allows them whatever its default is for calls of workflows.
	const settings = {
		callerPolicy: 'workflowsFromSameOwner' as const,
		executionOrder: 'v1' as const,
		saveDataSuccessExecution: 'none' as const,
		saveDataErrorExecution: 'none' as const,
		saveExecutionProgress: false,
	};
	const workflow = { nodes, connections: { Start: { main: [[next]] } }, settings };
	const code = workflow as unknown as IWorkflowBase; // n8n gives it the ID of its parent
	const input = items.map((json) => ({ json }));
	const running = caller.executeWorkflow({ code }, input);
	const { data } = await withDeadline(running, maxCallMs).catch((error: unknown) => {
		if ((error as { code?: string }).code !== 'ETIMEDOUT') throw error;
		throw new Error(`n8n's data table did not respond for ${maxCallMs / 1_000} s`);
	});
	return (data[0] ?? []).map(({ json }) => json).filter((json) => Object.keys(json).length > 0);
}

/** n8n's words for an error. */
export function wordsOf(error: unknown): string {
	const { message, description } = error as { message?: string; description?: string | null };
	return [message ?? String(error), description].filter(Boolean).join(' ');
}
