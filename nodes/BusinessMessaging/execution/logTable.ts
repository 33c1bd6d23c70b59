/** The campaign log as one of n8n's data tables. docs/adr/0014-campaign-log.md */
import type { IDataObject } from 'n8n-workflow';

import type { RowValues } from '../campaign/tables';
import { campaignName } from '../campaignName';
import { textOrJson } from '../jsonValues';
import type { LogWriter, NewLogRow } from './claim';
import type { LogRow } from './campaignLog';
import type { LogFilter, LogSource } from './logReader';
import {
	type Condition,
	type DataTable,
	type TableCaller,
	type TableDescription,
	openDataTable,
} from './dataTable';

/** The name of the table. */
export const logTableName = 'Business Messaging Campaigns';

/** The columns, in the order in which people read them. `name` is what the run knows of the person. */
const columns: TableDescription['columns'] = {
	campaign: 'string',
	phone: 'string',
	name: 'string',
	status: 'string',
	reason: 'string',
	message: 'string',
	variant: 'string',
	sentAt: 'date',
	deliveredAt: 'date',
	readAt: 'date',
	failedAt: 'date',
	repliedAt: 'date',
	reply: 'string',
	optedOutAt: 'date',
	account: 'string',
	messageId: 'string',
	execution: 'string',
	idempotencyKey: 'string',
};

/** The table of the campaign log. What happened after sending is written by other operations and by workflows. */
export const logTable: TableDescription = {
	name: logTableName,
	columns,
	optional: ['deliveredAt', 'readAt', 'failedAt', 'repliedAt', 'reply', 'optedOutAt'],
};

/** Opens or creates the project's campaign log. @throws InputError if n8n has no data tables, or a column is missing */
export async function openLogTable(
	caller: TableCaller,
	isPreview: boolean,
): Promise<LogSource & LogWriter> {
	const use = { needs: "'Send Once' and 'Frequency Cap'", otherwise: 'This message was not sent.' };
	const table = await openDataTable(caller, logTable, use, isPreview ? 'return' : 'create');
	if (!table) return emptyTable;
	return {
		async *read(filter, from) {
			for await (const rows of table.read(toConditions(filter), from)) yield rows.map(toRow);
		},
		async insertAndRead(rows, reads) {
			const all = reads.map(({ filter, from }) => ({ conditions: toConditions(filter), from }));
			return (await table.insertAndRead(rows.map(toColumns), all))?.map(toRow);
		},
		readPeople: async (lastDigits) => (await readPeople(table, lastDigits)).map(toRow),
		async last() {
			const row = await table.last();
			return row && toRow(row);
		},
		insert: async (rows) => await table.insert(rows.map(toColumns)),
		changed: async (ids) =>
			(await table.rowsWith(ids)).filter(hasChanged).map(({ id }) => Number(id)),
		async conclude(id, row) {
			const { key: idempotencyKey } = row;
			await table.updateIf(id, { status: 'sending', idempotencyKey }, toColumns(row));
		},
		retire: async (ids) => await table.update(ids, { status: 'notSent', reason: notTried }),
		delete: async (ids) => await table.delete(ids),
	};
}

/** Whether something was recorded in a claim. */
const hasChanged = ({ status, repliedAt, optedOutAt }: IDataObject) =>
	status !== 'sending' || Boolean(repliedAt) || Boolean(optedOutAt);

/** What the column `reason` says of a message that was claimed and not tried. */
const notTried = 'This message was not tried';

/** The log of a preview before the first campaign: a preview does not create the table. */
const emptyTable: LogSource & LogWriter = {
	async *read() {},
	insertAndRead: async () => await Promise.resolve([]),
	readPeople: async () => await Promise.resolve([]),
	last: async () => await Promise.resolve(undefined),
	insert: async () => await Promise.resolve(),
	changed: async () => await Promise.resolve([]),
	conclude: async () => await Promise.resolve(),
	retire: async () => await Promise.resolve(),
	delete: async () => await Promise.resolve(),
};

/** The zeros of the digits that numbers are read in. */
const zeros = ['0', '\uff10', '\u0660', '\u06f0', '\u0966', '\u09e6'].map((zero) =>
	zero.charCodeAt(0),
);

/** A phone with these digits, whatever is between and after them. */
function digitPatterns(digits: string): Condition[] {
	return zeros.map((zero) => {
		const written = [...digits].map((digit) => String.fromCharCode(zero + Number(digit)));
		return { column: 'phone', is: 'like', value: `%${written.join('%')}%` };
	});
}

async function readPeople(table: DataTable, lastDigits: string[]): Promise<IDataObject[]> {
	const patterns = lastDigits.flatMap(digitPatterns);
	const found = await table.findAny(patterns);
	if (found) return found;
	const all: IDataObject[] = [];
	for (const pattern of patterns)
		for await (const rows of table.read([pattern], 0)) all.push(...rows);
	return all;
}

/**
 * A pattern for a campaign's name, however it is written: other spellings have the same letters and digits, except those
 * that Unicode can also write as several characters.
 */
export function campaignPattern(name: string): string {
	const signs = name.match(/[\p{L}\p{N}](?!\p{M})/gu) ?? [];
	const same = signs.filter((sign) => sign.normalize('NFD') === sign);
	return `%${same.join('%')}%`;
}

function toConditions(filter: LogFilter): Condition[] {
	const { campaign, since, notBy, claimsOf } = filter;
	const conditions: Condition[] = [];
	const add = (column: string, is: Condition['is'], value: string) =>
		conditions.push({ column, is, value });
	if (campaign !== undefined) add('campaign', 'like', campaignPattern(campaign));
	if (since !== undefined) add('createdAt', 'gte', new Date(since).toISOString());
	if (notBy !== undefined) add('execution', 'neq', notBy);
	if (claimsOf !== undefined) {
		add('execution', 'eq', claimsOf);
		add('status', 'eq', 'sending');
	}
	return conditions;
}

const toColumns = ({ key: idempotencyKey, sentAt, ...row }: NewLogRow): RowValues => ({
	...row,
	idempotencyKey,
	sentAt: new Date(sentAt).toISOString(),
});

function toRow(row: IDataObject): LogRow {
	const text = (name: string) => textOrJson(row[name] ?? '').trim();
	const createdAt = toTime(row.createdAt, 0);
	return {
		id: Number(row.id),
		campaign: campaignName(text('campaign')),
		phone: text('phone'),
		account: text('account'),
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
