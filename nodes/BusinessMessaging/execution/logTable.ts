/**
 * The campaign log as one of n8n's data tables. A node may not open them, so it runs a sub-workflow with n8n's own Data
 * Table node. It counts as its parent, so the table is in the project of the workflow. docs/adr/0014-campaign-log.md
 */
import { chunk } from 'lodash';
import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeParameters,
	IWorkflowBase,
} from 'n8n-workflow';

import { textOrJson } from '../jsonValues';
import { InputError } from '../transport/errors';
import type { LogFilter, LogTable, NewLogRow } from './campaignClaims';
import type { LogRow } from './campaignLog';

/** The name of the table. */
export const logTableName = 'Business Messaging Campaigns';

const columns = {
	campaign: 'string',
	phone: 'string',
	status: 'string',
	reason: 'string',
	messageId: 'string',
	message: 'string',
	variant: 'string',
	sentAt: 'date',
	execution: 'string',
	deliveredAt: 'date',
	readAt: 'date',
	failedAt: 'date',
	reply: 'string',
	idempotencyKey: 'string',
};
/** The node never writes these: workflows do, for receipts and replies. */
const optionalColumns = ['deliveredAt', 'readAt', 'failedAt', 'reply'];

/** Rows in a call: as many as n8n's node reads in one piece, so that a row that is added meanwhile does no harm. */
const pageSize = 1_000;
/** Conditions in a call; SQLite accepts at most 1,000. */
const maxConditions = 500;

/** A condition of the Data Table node. */
interface Condition {
	keyName: string;
	condition: string;
	keyValue: string | number;
}

/** Opens or creates the project's campaign log. @throws InputError if n8n has no data tables, or a column is missing */
export async function openLogTable(
	context: IExecuteFunctions,
	isPreview: boolean,
): Promise<LogTable> {
	const known = await findTable(context).catch((error: unknown) => {
		throw new InputError(
			"'Send Once' and 'Frequency Cap' could not open n8n's data tables",
			`Nothing was sent. Data tables require n8n 2.3 or newer, and the module data-table must not be in N8N_DISABLED_MODULES. n8n says: ${wordsOf(error)}`,
		);
	});
	if (!known && isPreview) return emptyTable;
	const found = known ?? (await createTable(context));
	const names = ((found.columns ?? []) as IDataObject[]).map(({ name }) => textOrJson(name));
	const needed = Object.keys(columns).filter((name) => !optionalColumns.includes(name));
	const missing = needed.filter((name) => !names.includes(name));
	if (missing.length > 0)
		throw new InputError(
			`The data table "${logTableName}" has no column ${missing.join(', ')}`,
			`Add it in n8n's Data tables, as text (sentAt: as date and time). Or rename the table: the node then creates a new, empty table.`,
		);
	return tableOf(context, textOrJson(found.id));
}

/** The log of a preview before the first campaign: a preview does not create the table. */
const emptyTable: LogTable = {
	async *read() {},
	last: async () => await Promise.resolve(undefined),
	insert: async () => await Promise.resolve(),
	delete: async () => await Promise.resolve(),
};

async function findTable(context: IExecuteFunctions): Promise<IDataObject | undefined> {
	const options = { filterName: logTableName };
	const list = { resource: 'table', operation: 'list', returnAll: true, options };
	const tables = await call(context, list);
	return tables.find(({ name }) => name === logTableName);
}

async function createTable(context: IExecuteFunctions): Promise<IDataObject> {
	const column = Object.entries(columns).map(([name, type]) => ({ name, type }));
	const options = { createIfNotExists: true };
	const parameters = { tableName: logTableName, columns: { column }, options };
	const create = { resource: 'table', operation: 'create', ...parameters };
	const [table] = await call(context, create).catch(async (error: unknown) => {
		// n8n looks for the table and then creates it, so this fails if another run creates it at the same moment.
		const other = await findTable(context).catch(() => undefined);
		if (other) return [other];
		throw new InputError(
			`n8n could not create the data table "${logTableName}"`,
			`Nothing was sent. n8n says: ${wordsOf(error)}`,
		);
	});
	return table;
}

function tableOf(context: IExecuteFunctions, id: string): LogTable {
	const dataTableId = { __rl: true, mode: 'id', value: id };
	const row = async (operation: string, parameters: INodeParameters, items?: IDataObject[]) =>
		await call(context, { resource: 'row', operation, dataTableId, ...parameters }, items);
	const get = async (filter: LogFilter, from: number, order: INodeParameters) => {
		const conditions = [condition('id', 'gt', from), ...toConditions(filter)];
		const sort = { orderBy: true, orderByColumn: 'id', ...order };
		const values = { campaign: filter.campaign };
		return (await row('get', { ...matching('all', conditions), ...sort }, [values])).map(toRow);
	};
	return {
		async *read(filter, from) {
			for (let after = from; ; ) {
				const rows = await get(filter, after, { orderByDirection: 'ASC', limit: pageSize });
				if (rows.length > 0) yield rows;
				if (rows.length < pageSize) return;
				after = rows[rows.length - 1].id;
			}
		},
		last: async () => (await get({}, 0, { orderByDirection: 'DESC', limit: 1 })).at(0),
		async insert(rows) {
			await row(
				'insert',
				{ columns: autoMapped, options: { optimizeBulk: true } },
				rows.map(toColumns),
			);
		},
		async delete(ids) {
			for (const part of chunk(ids, maxConditions)) {
				const conditions = part.map((one) => condition('id', 'eq', one));
				await row('deleteRows', matching('any', conditions));
			}
		},
	};
}

/** n8n maps the fields of an item to columns with the same name. */
const autoMapped = { mappingMode: 'autoMapInputData', value: {}, matchingColumns: [], schema: [] };

const matching = (which: 'all' | 'any', conditions: Condition[]): INodeParameters => ({
	matchType: `${which}${which === 'all' ? 'Conditions' : 'Condition'}`,
	filters: { conditions: conditions as unknown as INodeParameters[] },
});

const condition = (keyName: string, operator: string, keyValue: string | number): Condition => ({
	keyName,
	condition: operator,
	keyValue,
});

function toConditions(filter: LogFilter): Condition[] {
	const { campaign, lastDigits, since, notBy, claimsOf } = filter;
	const conditions: Condition[] = [];
	// The name of a campaign may look like an expression, so n8n gets it as the value of an item.
	if (campaign !== undefined) conditions.push(condition('campaign', 'eq', '={{ $json.campaign }}'));
	if (lastDigits !== undefined)
		conditions.push(condition('phone', 'like', `%${[...lastDigits].join('%')}%`));
	if (since !== undefined)
		conditions.push(condition('createdAt', 'gte', new Date(since).toISOString()));
	if (notBy !== undefined) conditions.push(condition('execution', 'neq', notBy));
	if (claimsOf !== undefined)
		conditions.push(condition('execution', 'eq', claimsOf), condition('status', 'eq', 'sending'));
	return conditions;
}

const toColumns = ({ key: idempotencyKey, sentAt, ...row }: NewLogRow): IDataObject => ({
	...row,
	idempotencyKey,
	sentAt: new Date(sentAt).toISOString(),
});

function toRow(row: IDataObject): LogRow {
	const text = (name: keyof typeof columns) => textOrJson(row[name] ?? '').trim();
	const createdAt = toTime(row.createdAt, 0);
	return {
		id: Number(row.id),
		campaign: text('campaign'),
		phone: text('phone'),
		status: text('status'),
		execution: text('execution'),
		key: text('idempotencyKey'),
		sentAt: toTime(row.sentAt, createdAt),
		createdAt,
	};
}

function toTime(value: unknown, otherwise: number): number {
	const time = new Date(value as string).getTime();
	return value && !Number.isNaN(time) ? time : otherwise;
}

const place = { position: [0, 0] as [number, number] };

/** Runs the Data Table node once. @returns its output items that have a value @throws Error */
async function call(
	context: IExecuteFunctions,
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
	// n8n stores nothing of these executions.
	const settings = {
		executionOrder: 'v1' as const,
		saveDataSuccessExecution: 'none' as const,
		saveDataErrorExecution: 'none' as const,
		saveExecutionProgress: false,
	};
	const workflow = { nodes, connections: { Start: { main: [[next]] } }, settings };
	const code = workflow as unknown as IWorkflowBase; // n8n gives it the ID of its parent
	const input = items.map((json) => ({ json }));
	const { data } = await context.executeWorkflow({ code }, input);
	return (data[0] ?? []).map(({ json }) => json).filter((json) => Object.keys(json).length > 0);
}

/** n8n's words for an error. */
export function wordsOf(error: unknown): string {
	const { message, description } = error as { message?: string; description?: string | null };
	return [message ?? String(error), description].filter(Boolean).join(' ');
}
