/**
 * n8n's data tables in memory, for what execution/dataTable.ts runs; each call is a transaction. Source:
 * DataTable.node.ts of n8n-nodes-base, data-table.service.ts of n8n's cli; test/n8n/e2e tests the real ones.
 */
import { escapeRegExp } from 'lodash';
import type {
	ExecuteWorkflowData,
	ExecuteWorkflowOptions,
	IDataObject,
	IExecuteWorkflowInfo,
	INodeParameters,
} from 'n8n-workflow';

/** A row with n8n's own columns. */
export type TableRow = IDataObject & { id: number };

interface Table {
	id: string;
	name: string;
	columns: Array<{ name: string; type: string }>;
	rows: TableRow[];
	nextId: number;
}

interface Condition {
	keyName: string;
	condition: 'eq' | 'neq' | 'gt' | 'gte' | 'lte' | 'like';
	keyValue: string | number;
}

interface Parameters {
	resource: 'table' | 'row';
	operation: string;
	tableName?: string;
	dataTableId?: { value: string };
	columns?: { column: Table['columns'] };
	filters?: { conditions: Condition[] };
	matchType?: 'allConditions' | 'anyCondition';
	limit?: number;
	orderByDirection?: 'ASC' | 'DESC';
}

/** How many rows n8n's node returns without a limit. */
const defaultLimit = 50;
const systemColumns = ['id', 'createdAt', 'updatedAt'];

/** The data tables of one project. */
export class DataTables {
	/** Whether n8n's module of data tables is enabled. */
	isEnabled = true;
	private tables: Table[] = [];
	/** How many tables there have been. A run that outlives its test must not find the next test's table by its ID. */
	private created = 0;
	/** How many calls there were of each operation. */
	calls: Record<string, number> = {};
	/** Called before each call; throws if the call is to fail, and may wait. */
	before: (operation: string, items: IDataObject[]) => unknown = () => undefined;
	/** Called after each call that has worked; throws if the caller is not to know of it. */
	after: (operation: string) => unknown = () => undefined;

	reset(): void {
		this.isEnabled = true;
		this.tables = [];
		this.calls = {};
		this.before = () => undefined;
		this.after = () => undefined;
	}

	/** The rows of a table, oldest first; none if there is no such table. */
	rows(name = 'Business Messaging Campaigns'): TableRow[] {
		return this.tables.find((table) => table.name === name)?.rows ?? [];
	}

	/** Creates a table with rows of text, as people do with an import. */
	create(name: string, rows: IDataObject[], columns = Object.keys(rows[0] ?? {})): void {
		const id = `table${this.created++}`;
		const texts = columns.map((column) => ({ name: column, type: 'string' }));
		this.tables.push({ id, name, columns: texts, rows: [], nextId: 1 });
		this.insert(this.tables.at(-1)!, rows);
	}

	/** Changes rows as people do in n8n's editor. */
	edit(change: (rows: TableRow[]) => TableRow[], name = 'Business Messaging Campaigns'): void {
		const table = this.tables.find((one) => one.name === name)!;
		table.rows = change(table.rows);
	}

	/** Adds a row as people do in n8n's editor, or with an import. */
	add(row: IDataObject, name = 'Business Messaging Campaigns'): void {
		this.insert(this.tables.find((one) => one.name === name)!, [row]);
	}

	deleteColumn(column: string, name = 'Business Messaging Campaigns'): void {
		const table = this.tables.find((one) => one.name === name)!;
		table.columns = table.columns.filter((one) => one.name !== column);
	}

	/** What n8n's cli gives to its engine for `executeWorkflow`. */
	readonly executeWorkflow = async (
		{ code }: IExecuteWorkflowInfo,
		_: unknown,
		{ inputData = [] }: Partial<ExecuteWorkflowOptions>,
	): Promise<ExecuteWorkflowData> => {
		const nodes = (code?.nodes ?? []).map(({ type, ...node }) => ({
			...node,
			type: type.replace('n8n-nodes-base.', ''),
		}));
		const types = nodes.map(({ type }) => type).join();
		if (!/^executeWorkflowTrigger(,dataTable)+(,merge)?$/.test(types))
			throw new Error(`Unrecognized node type: ${types}`);
		const outputs: IDataObject[][] = [];
		let items = inputData.map(({ json }) => json);
		for (const { parameters } of nodes.filter(({ type }) => type === 'dataTable'))
			outputs.push((items = await this.run(parameters as INodeParameters & Parameters, items)));
		const found = types.endsWith(',merge') ? outputs.slice(1).flat() : items;
		return { executionId: '1', data: [found.map((json) => ({ json: structuredClone(json) }))] };
	};

	/** Runs the Data Table node, which always outputs an item. */
	private async run(
		parameters: INodeParameters & Parameters,
		items: IDataObject[],
	): Promise<IDataObject[]> {
		const { operation } = parameters;
		if (!this.isEnabled) throw new Error('Unrecognized node type: n8n-nodes-base.dataTable');
		const seen = this.tables.find(({ name }) => name === parameters.tableName);
		await new Promise(setImmediate);
		await this.before(operation, items);
		// n8n looks for a table and then creates it, in two steps.
		const isNew = this.tables.find(({ name }) => name === parameters.tableName) !== seen;
		if (operation === 'create' && isNew)
			throw new Error(`Data table with name '${parameters.tableName}' already exists`);
		this.calls[operation] = (this.calls[operation] ?? 0) + 1;
		const output = this.execute(parameters, items);
		await this.after(operation);
		return output.length > 0 ? output : [{}];
	}

	private execute(parameters: Parameters, items: IDataObject[]): IDataObject[] {
		const { resource, operation, tableName: name = '', columns, dataTableId } = parameters;
		const shown = ({ id, name, columns }: Table) => ({ id, name, columns });
		if (resource === 'table' && operation === 'list') return this.tables.map(shown);
		if (resource === 'table' && operation === 'create') {
			const found = this.tables.find((table) => table.name === name);
			if (found) return [shown(found)];
			const id = `table${this.created++}`;
			const table = { id, name, columns: columns!.column, rows: [], nextId: 1 };
			this.tables.push(table);
			return [shown(table)];
		}
		const table = this.tables.find(({ id }) => id === dataTableId?.value);
		if (!table) throw new Error(`Could not find the data table: '${dataTableId?.value}'`);
		if (operation === 'insert') return this.insert(table, items);
		const matches = this.filterOf(table, parameters);
		if (operation === 'deleteRows') {
			const deleted = table.rows.filter(matches);
			table.rows = table.rows.filter((row) => !matches(row));
			return deleted;
		}
		if (operation === 'update') return this.update(table, items[0], matches);
		if (operation !== 'get') throw new Error(`Unknown operation ${operation}`);
		const found = table.rows.filter(matches);
		if (parameters.orderByDirection === 'DESC') found.reverse();
		return found.slice(0, parameters.limit ?? defaultLimit);
	}

	private update(table: Table, values: IDataObject, matches: (row: TableRow) => boolean) {
		checkColumns(table, [values]);
		const change = { ...values, updatedAt: new Date(Date.now()).toISOString() };
		table.rows = table.rows.map((row) => (matches(row) ? { ...row, ...change } : row));
		return table.rows.filter(matches);
	}

	private insert(table: Table, rows: IDataObject[]): IDataObject[] {
		checkColumns(table, rows);
		const createdAt = new Date(Date.now()).toISOString();
		for (const row of rows) {
			const values = table.columns.map(({ name }) => [name, row[name] ?? null]);
			const own = { id: table.nextId++, createdAt, updatedAt: createdAt };
			table.rows.push({ ...own, ...(Object.fromEntries(values) as IDataObject) });
		}
		return [{ success: true, insertedRows: rows.length }];
	}

	private filterOf(table: Table, { filters, matchType }: Parameters) {
		const { conditions = [] } = filters ?? {};
		if (conditions.length > 1_000) throw new Error('SQLITE_ERROR: Expression tree is too large');
		for (const { keyName } of conditions)
			if (![...systemColumns, ...table.columns.map(({ name }) => name)].includes(keyName))
				throw new Error(`Filter validation failed: Column(s) "${keyName}" do not exist`);
		const holds = (row: TableRow, { keyName, condition, keyValue }: Condition) => {
			const value = row[keyName] as string | number | null;
			const [, text] = /^=\{\{ (".*") \}\}$/s.exec(String(keyValue)) ?? [];
			const wanted = text === undefined ? keyValue : (JSON.parse(text) as string);
			if (condition === 'neq') return value !== wanted;
			if (value === null) return false;
			if (condition === 'eq') return value === wanted;
			if (condition === 'gt') return value > wanted;
			if (condition === 'gte') return value >= wanted;
			if (condition === 'lte') return value <= wanted;
			if (condition !== 'like') throw new Error(`Unknown condition ${String(condition)}`);
			const parts = String(wanted).split('%').map(escapeRegExp);
			return new RegExp(`^${parts.join('.*')}$`).test(String(value));
		};
		return (row: TableRow) =>
			matchType === 'anyCondition'
				? conditions.some((one) => holds(row, one))
				: conditions.every((one) => holds(row, one));
	}
}

function checkColumns({ columns }: Table, rows: IDataObject[]): void {
	for (const key of rows.flatMap((row) => Object.keys(row)))
		if (!columns.some(({ name }) => name === key)) throw new Error(`unknown column name '${key}'`);
}
