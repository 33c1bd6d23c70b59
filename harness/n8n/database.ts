/** Direct access to n8n's database, with the drivers that n8n installs. */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import chunk from 'lodash/chunk';
import range from 'lodash/range';
import type { N8nInstall } from './install';

const LOCK_LIMIT = 60_000;

export interface Database {
	/** The numbers in a query's only column; 0 for null. A moved clock confuses the order of n8n's list of executions. */
	numbers(sql: string): Promise<number[]>;
	/** The rows of any query; or a change, with a `?` for each value. */
	run(sql: string, values?: unknown[]): Promise<Row[]>;
	/** Locks the database for this time, so that nobody else can write. */
	lock(seconds: number): Promise<void>;
}

type Row = Record<string, unknown>;
const numbersOf = (rows: Row[]) => rows.map((row) => Number(Object.values(row)[0] ?? 0));

function driver<T>({ folder }: N8nInstall, name: string): T {
	return createRequire(path.join(folder, 'package.json'))(name) as T;
}

interface Sqlite {
	configure(option: 'busyTimeout', ms: number): void;
	all(sql: string, values: unknown[], done: (error: Error | null, rows: Row[]) => void): void;
}

/** @param file n8n's SQLite database */
export function sqlite(install: N8nInstall, file: string): Database {
	const { Database: Open } = driver<{ Database: new (file: string) => Sqlite }>(install, 'sqlite3');
	const connect = () => {
		const connection = new Open(file);
		connection.configure('busyTimeout', LOCK_LIMIT);
		const all = promisify<string, unknown[], Row[]>((sql, values, done) =>
			connection.all(sql, values, done),
		);
		return async (sql: string, values: unknown[] = []) => await all(sql, values);
	};
	const [read, write] = [connect(), connect()];
	return {
		numbers: async (sql) => numbersOf(await read(sql)),
		run: read,
		lock: async (seconds) => {
			await write('BEGIN EXCLUSIVE');
			await delay(seconds * 1000);
			await write('ROLLBACK');
		},
	};
}

interface Postgres {
	query(sql: string, values?: unknown[]): Promise<{ rows: Row[] }>;
	connect(): Promise<{ query(sql: string): Promise<unknown>; release(): void }>;
	on(event: 'error', ignore: () => void): void;
}

/** @param env the environment variables with which n8n finds the database */
export function postgres(install: N8nInstall, env: NodeJS.ProcessEnv): Database {
	const { Pool } = driver<{ Pool: new (settings: object) => Postgres }>(install, 'pg');
	const pool = new Pool({
		host: env.DB_POSTGRESDB_HOST,
		port: Number(env.DB_POSTGRESDB_PORT),
		user: env.DB_POSTGRESDB_USER,
		database: env.DB_POSTGRESDB_DATABASE,
	});
	pool.on('error', () => undefined); // the database ends before this program does
	const tables = 'execution_entity, execution_data, workflow_entity, processed_data';
	return {
		numbers: async (sql) => numbersOf((await pool.query(sql)).rows),
		run: async (sql, values) => {
			let place = 0;
			return (
				await pool.query(
					sql.replace(/\?/g, () => `$${++place}`),
					values,
				)
			).rows;
		},
		lock: async (seconds) => {
			const client = await pool.connect();
			await client.query(`BEGIN; LOCK TABLE ${tables} IN EXCLUSIVE MODE`);
			await delay(seconds * 1000);
			await client.query('ROLLBACK');
			client.release();
		},
	};
}

/** How many people a campaign of the past had, and how many rows one statement inserts. */
const PEOPLE = 2_000;
const YEAR_MS = 365 * 24 * 3_600_000;

/**
 * Replaces the campaign log by what campaigns of the last year would have left, 2,000 people each, from the number
 * `from` (without `+`). @throws Error if there is no campaign log yet
 */
export async function fillCampaignLog(
	database: Database,
	rows: number,
	from: number,
): Promise<void> {
	const name = 'Business Messaging Campaigns';
	const table = await sqlNameOf(database, name);
	if (table === undefined) throw new Error(`There is no data table "${name}".`);
	await database.run(`DELETE FROM ${table}`);
	const columns =
		'campaign, phone, name, status, reason, "messageId", message, variant, account, execution, "idempotencyKey", "sentAt", "createdAt", "updatedAt"';
	const start = Date.now() - YEAR_MS;
	const rowOf = (index: number) => {
		const time = new Date(start + (index / rows) * YEAR_MS).toISOString().replace('T', ' ');
		const texts = [`Campaign ${Math.floor(index / PEOPLE)}`, `+${from + index}`, '', 'sent', ''];
		const more = [`msg_past_${index}`, 'text', '', '', 'past', randomUUID().replaceAll('-', '')];
		const times = Array<string>(3).fill(time.replace('Z', ''));
		return `(${[...texts, ...more, ...times].map((value) => `'${value}'`).join(', ')})`;
	};
	for (const part of chunk(range(rows), PEOPLE))
		await database.run(`INSERT INTO ${table} (${columns}) VALUES ${part.map(rowOf).join(', ')}`);
}

/** The rows of a data table; none if there is no such table. @param condition in SQL */
export async function rowsOfTable(
	database: Database,
	name: string,
	condition = 'TRUE',
): Promise<Row[]> {
	const table = await sqlNameOf(database, name);
	return table === undefined ? [] : await database.run(`SELECT * FROM ${table} WHERE ${condition}`);
}

/** The name of a data table in SQL, if there is one. */
async function sqlNameOf(database: Database, name: string): Promise<string | undefined> {
	const id = await dataTableId(database, name);
	return id && `"data_table_user_${id}"`;
}

/** The ID of a data table, if there is one. */
export async function dataTableId(database: Database, name: string): Promise<string | undefined> {
	const [found] = await database.run('SELECT id FROM data_table WHERE name = ?', [name]);
	return found && String(found.id);
}
