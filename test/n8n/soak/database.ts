/** n8n's database, past n8n, by the drivers that n8n brings. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { N8nInstall } from '../../../harness/n8n/install';

const LOCK_LIMIT = 60_000;

export interface Database {
	/** The numbers of the only column; 0 for null. n8n lists executions by their start, which a clock that jumps confuses. */
	numbers(sql: string): Promise<number[]>;
	/** Nobody else can write for so long. */
	lock(seconds: number): Promise<void>;
}

type Row = Record<string, unknown>;
const numbersOf = (rows: Row[]) => rows.map((row) => Number(Object.values(row)[0] ?? 0));

function driver<T>({ folder }: N8nInstall, name: string): T {
	return createRequire(path.join(folder, 'package.json'))(name) as T;
}

/** What is used of the package sqlite3. */
interface Sqlite {
	configure(option: 'busyTimeout', ms: number): void;
	all(sql: string, done: (error: Error | null, rows: Row[]) => void): void;
}

/** @param file n8n's SQLite database */
export function sqlite(install: N8nInstall, file: string): Database {
	const { Database: Open } = driver<{ Database: new (file: string) => Sqlite }>(install, 'sqlite3');
	const connect = () => {
		const connection = new Open(file);
		connection.configure('busyTimeout', LOCK_LIMIT);
		return promisify<string, Row[]>((sql, done) => connection.all(sql, done));
	};
	const [read, write] = [connect(), connect()];
	return {
		numbers: async (sql) => numbersOf(await read(sql)),
		lock: async (seconds) => {
			await write('BEGIN EXCLUSIVE');
			await delay(seconds * 1000);
			await write('ROLLBACK');
		},
	};
}

/** What is used of the package pg. */
interface Postgres {
	query(sql: string): Promise<{ rows: Row[] }>;
	connect(): Promise<{ query(sql: string): Promise<unknown>; release(): void }>;
	on(event: 'error', ignore: () => void): void;
}

/** @param env the variables by which n8n finds it */
export function postgres(install: N8nInstall, env: NodeJS.ProcessEnv): Database {
	const { Pool } = driver<{ Pool: new (settings: object) => Postgres }>(install, 'pg');
	const pool = new Pool({
		host: env.DB_POSTGRESDB_HOST,
		port: Number(env.DB_POSTGRESDB_PORT),
		user: env.DB_POSTGRESDB_USER,
		database: env.DB_POSTGRESDB_DATABASE,
	});
	pool.on('error', () => undefined); // it ends before this program does
	const tables = 'execution_entity, execution_data, workflow_entity, processed_data';
	return {
		numbers: async (sql) => numbersOf((await pool.query(sql)).rows),
		lock: async (seconds) => {
			const client = await pool.connect();
			await client.query(`BEGIN; LOCK TABLE ${tables} IN EXCLUSIVE MODE`);
			await delay(seconds * 1000);
			await client.query('ROLLBACK');
			client.release();
		},
	};
}
