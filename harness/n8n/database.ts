/** Direct access to n8n's database, with the drivers that n8n installs. */
import { createHash, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import range from 'lodash/range';
import type { N8nInstall } from './install';

const LOCK_LIMIT = 60_000;

export interface Database {
	/**
	 * The numbers in a query's only column; 0 for null. Use it instead of n8n's list of executions, whose order by start
	 * a moved clock confuses.
	 */
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

/** The part of the package sqlite3 that is used. */
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

/** The part of the package pg that is used. */
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

/**
 * Adds entries to n8n's deduplication store for a workflow, as a long history would have left them.
 * @param nodeId the node whose history is started if the workflow has none; without it, the history of the whole
 * workflow is started
 */
export async function fillHistory(
	database: Database,
	{ workflowId, nodeId }: { workflowId: string; nodeId?: string },
	entries: number,
): Promise<void> {
	// The hash has the form in which n8n stores its entries.
	const hash = () => createHash('md5').update(randomUUID()).digest('base64');
	const query = 'SELECT context, value FROM processed_data WHERE "workflowId" = ?';
	const rows = await database.run(query, [workflowId]);
	for (const { context, value } of rows) {
		// PostgreSQL's driver has already parsed the value.
		const stored = (typeof value === 'string' ? JSON.parse(value) : value) as { data: string[] };
		stored.data.unshift(...range(entries).map(hash));
		const update = 'UPDATE processed_data SET value = ? WHERE "workflowId" = ? AND context = ?';
		await database.run(update, [JSON.stringify(stored), workflowId, context]);
	}
	if (rows.length > 0) return;
	const value = JSON.stringify({ mode: 'entries', data: range(entries).map(hash) });
	const insert = 'INSERT INTO processed_data ("workflowId", context, value) VALUES (?, ?, ?)';
	await database.run(insert, [workflowId, nodeId === undefined ? '' : `n:${nodeId}`, value]);
}
