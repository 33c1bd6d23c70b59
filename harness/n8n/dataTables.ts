/** n8n's data tables, read and written with the API of its editor. */
import path from 'node:path';

import type { N8nClient } from './client';

/** Values of one row by the names of the columns. */
export type Row = Record<string, string | number | boolean | null>;

type DataTable = { id: string; name: string; projectId: string };

/** The URL of the data tables of n8n's owner. */
async function tablesOf(client: N8nClient): Promise<string> {
	const { id } = await client.call<{ id: string }>('GET', '/rest/projects/personal');
	return `/rest/projects/${id}/data-tables`;
}

/** The table with exactly this name, if there is one. */
export async function findTable(client: N8nClient, name: string): Promise<DataTable | undefined> {
	const query = `filter=${encodeURIComponent(JSON.stringify({ name }))}`;
	const path = `${await tablesOf(client)}?${query}`;
	const { data } = await client.call<{ data: DataTable[] }>('GET', path);
	return data.find((table) => table.name === name);
}

/** Creates a table of text columns from its rows, at least one. */
export async function createTable(client: N8nClient, name: string, rows: Row[]): Promise<void> {
	const tables = await tablesOf(client);
	const columns = Object.keys(rows[0]).map((column) => ({ name: column, type: 'string' }));
	const { id } = await client.call<DataTable>('POST', tables, { name, columns });
	await client.call('POST', `${tables}/${id}/insert`, { data: rows });
}

/** Deletes a table. @throws Error if there is no such table */
export async function deleteTable(client: N8nClient, name: string): Promise<void> {
	await client.call('DELETE', path.dirname(await rowsOf(client, name)));
}

/** All rows of a table, with n8n's own columns, e.g. `id`. @throws Error if there is no such table */
export async function readTable(client: N8nClient, name: string): Promise<Row[]> {
	const path = await rowsOf(client, name);
	const rows: Row[] = [];
	for (;;) {
		const query = `take=250&skip=${rows.length}`;
		const { data } = await client.call<{ data: Row[] }>('GET', `${path}?${query}`);
		if (data.length === 0) return rows;
		rows.push(...data);
	}
}

/** Changes all rows that have a given value in a column. @throws Error if there is no such table */
export async function updateTable(
	client: N8nClient,
	name: string,
	[columnName, value]: [string, string],
	data: Row,
): Promise<void> {
	const filter = { type: 'and', filters: [{ columnName, condition: 'eq', value }] };
	await client.call('PATCH', await rowsOf(client, name), { filter, data });
}

/** Deletes all rows that have a given value in a column. @throws Error if there is no such table */
export async function deleteRows(
	client: N8nClient,
	name: string,
	[columnName, value]: [string, string],
): Promise<void> {
	const filter = { type: 'and', filters: [{ columnName, condition: 'eq', value }] };
	const query = `filter=${encodeURIComponent(JSON.stringify(filter))}`;
	await client.call('DELETE', `${await rowsOf(client, name)}?${query}`);
}

async function rowsOf(client: N8nClient, name: string): Promise<string> {
	const table = await findTable(client, name);
	if (!table) throw new Error(`There is no data table "${name}".`);
	return `${await tablesOf(client)}/${table.id}/rows`;
}
