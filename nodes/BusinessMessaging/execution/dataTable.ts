/**
 * One of n8n's data tables. A node may not open them, so it runs a sub-workflow with n8n's own Data Table node. It
 * counts as its parent, so the table is in the project of the workflow. docs/adr/0014-campaign-log.md
 */
import { chunk, sortBy, uniqBy } from 'lodash';
import type {
	IConnections,
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeParameters,
	IWorkflowBase,
} from 'n8n-workflow';

import type { RowValues } from '../campaign/tables';
import { quoted, textOrJson } from '../jsonValues';
import { plainName } from '../reading/readResponse';
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
	/** Whether people make the table themselves, so that there may be two that are meant. */
	isMadeByHand?: boolean;
}

/** What users read if a table cannot be opened. */
export interface TableUse {
	/** What needs the table, e.g. `'Send Once'`. */
	needs: string;
	/** What happens then, as a sentence. */
	otherwise: string;
	/** How to go on without data tables, as a sentence. */
	without?: string;
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
 * @throws InputError if n8n has no data tables, or a column is missing, or it is not clear which table is meant. With
 * `create`, the table with exactly this name is meant then: what is recorded must not be lost.
 */
export async function openDataTable(
	caller: TableCaller,
	table: TableDescription,
	{ needs, otherwise, without }: TableUse,
	whenMissing: 'create' | 'return',
): Promise<DataTable | undefined> {
	const { name, columns, optional = [], isMadeByHand } = table;
	const all = await findTables(caller, name).catch((error: unknown) => {
		throw new InputError(
			`${needs} could not open n8n's data tables`,
			`${otherwise} If your n8n is older than 2.3, or data-table is in N8N_DISABLED_MODULES, there are no data tables. ${without ? `${without} ` : ''}n8n says: ${wordsOf(error)}`,
		);
	});
	if (all.length === 0 && whenMissing === 'return') return undefined;
	if (all.length > 1 && isMadeByHand && whenMissing === 'return')
		throw new InputError(
			`There are ${all.length} data tables that can be "${name}": ${all.map((one) => `"${quoted(textOrJson(one.name))}"`).join(', ')}`,
			`${otherwise} Put all rows into one of them, and delete or rename the others.`,
		);
	const found = all[0] ?? (await createTable(caller, table, otherwise));
	const names = ((found.columns ?? []) as IDataObject[]).map((column) => textOrJson(column.name));
	const needed = Object.keys(columns).filter((column) => !optional.includes(column));
	const missing = needed.filter((column) => !names.includes(column));
	if (missing.length > 0)
		throw new InputError(
			`The data table "${name}" has no column ${missing.join(', ')}`,
			`Add it in n8n's Data tables, as text (names that end with "At": as date and time). If you rename the table instead, the node knows none of its rows.`,
		);
	return new DataTable(caller, textOrJson(found.id), names);
}

/**
 * The table with a name, then those with a name that people take for the same: from `Opt-outs.csv`, n8n makes the table
 * `Opt outs`.
 */
async function findTables(caller: TableCaller, name: string): Promise<IDataObject[]> {
	const list = { resource: 'table', operation: 'list', returnAll: true, options: {} };
	const tables = await call(caller, [list]);
	const isSame = (table: IDataObject) => plainName(textOrJson(table.name)) === plainName(name);
	return sortBy(tables.filter(isSame), (table) => table.name !== name);
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
	const [table] = await call(caller, [create]).catch(async (error: unknown) => {
		// n8n looks for the table and then creates it, so this fails if another run creates it at the same moment.
		const others = await findTables(caller, name).catch(() => []);
		if (others.length > 0) return others;
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

	/**
	 * Adds rows, and then makes several reads: each of rows after an ID (exclusive) for which all conditions hold. All in
	 * one call, because each costs n8n as much as several messages.
	 *
	 * @returns the rows of all reads; undefined if there may be more
	 */
	async insertAndRead(
		rows: RowValues[],
		reads: Array<{ conditions: Condition[]; from: number }>,
	): Promise<IDataObject[] | undefined> {
		const gets = reads.map(({ conditions, from }) => {
			const order = { orderByDirection: 'ASC', limit: pageSize };
			return this.onRows('get', selecting([isAfter(from), ...conditions], order));
		});
		const found = await call(this.caller, [this.onRows('insert', insertion), ...gets], rows);
		return found.length < pageSize ? found : undefined;
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
		await this.row('insert', insertion, rows);
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
		return await this.row('get', selecting(conditions, order, which));
	}

	private async row(
		operation: string,
		parameters: INodeParameters,
		items: IDataObject[] = [{}],
	): Promise<IDataObject[]> {
		return await call(this.caller, [this.onRows(operation, parameters)], items);
	}

	private onRows(operation: string, parameters: INodeParameters): INodeParameters {
		const dataTableId = { __rl: true, mode: 'id', value: this.id };
		return { resource: 'row', operation, dataTableId, ...parameters };
	}
}

/** n8n maps the fields of an item to columns with the same name. */
const autoMapped = { mappingMode: 'autoMapInputData', value: {}, matchingColumns: [], schema: [] };

const insertion = { columns: autoMapped, options: { optimizeBulk: true } };

function selecting(
	conditions: Condition[],
	order: INodeParameters,
	which: 'all' | 'any' = 'all',
): INodeParameters {
	const filters = conditions.map(({ column, is, value }) => ({
		...{ keyName: column, condition: is, keyValue: literal(value) },
	}));
	return { ...matching(which, filters), orderBy: true, orderByColumn: 'id', ...order };
}

/** A value of a parameter as it is. n8n evaluates texts that begin with "=", so these become an expression for the text. */
function literal(value: string | number): string | number {
	if (typeof value === 'number' || !value.startsWith('=')) return value;
	return `={{ ${JSON.stringify(value).replaceAll('}', '\\u007d')} }}`;
}

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

const node = (name: string, type: string, typeVersion: number, more: Partial<INode>): INode => ({
	...{ id: name, name, type: `n8n-nodes-base.${type}`, typeVersion, position: [0, 0] },
	...{ parameters: {}, ...more },
});
const inputOf = (name: string, index = 0) => ({ node: name, type: 'main' as const, index });

/**
 * Runs the Data Table node once for each operation, one after the other. The first one gets the items.
 *
 * @returns the output items that have a value: those of a single operation, or of all but the first @throws Error
 */
async function call(
	caller: TableCaller,
	operations: INodeParameters[],
	items: IDataObject[] = [{}],
): Promise<IDataObject[]> {
	const tables = operations.map((parameters, index) => {
		const more = { parameters, alwaysOutputData: true, executeOnce: index > 0 };
		return node(`Table ${index}`, 'dataTable', 1.1, more);
	});
	const start = { parameters: { inputSource: 'passthrough' } };
	const nodes = [node('Start', 'executeWorkflowTrigger', 1.1, start), ...tables];
	const connections: IConnections = { Start: { main: [[inputOf('Table 0')]] } };
	for (const [index, { name }] of tables.slice(0, -1).entries())
		connections[name] = { main: [[inputOf(tables[index + 1].name)]] };
	if (tables.length > 2) {
		// n8n returns the items of the last node.
		const numberInputs = tables.length - 1;
		nodes.push(node('All', 'merge', 3, { parameters: { mode: 'append', numberInputs } }));
		for (const [index, { name }] of tables.slice(1).entries())
			(connections[name] ??= { main: [[]] }).main[0]!.push(inputOf('All', index));
	}
	// n8n stores nothing of these executions, and allows them whatever its default is for calls of workflows.
	const settings = {
		callerPolicy: 'workflowsFromSameOwner' as const,
		executionOrder: 'v1' as const,
		saveDataSuccessExecution: 'none' as const,
		saveDataErrorExecution: 'none' as const,
		saveExecutionProgress: false,
	};
	const workflow = { nodes, connections, settings };
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
