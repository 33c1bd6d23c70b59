/** n8n's database, past n8n. */
import { runCommand } from '../../tools/processes';

const LIMIT = 120_000;

export interface Database {
	/** The numbers of the only column; 0 for null. n8n lists executions by their start, which a clock that jumps confuses. */
	numbers(sql: string): Promise<number[]>;
	/** Nobody else can write for so long. */
	lock(seconds: number): Promise<void>;
}

/** @param node a Node.js that brings SQLite */
export function sqlite(node: string, file: string): Database {
	const run = async (script: string) => {
		const open = `const database = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(file)}, { timeout: 60_000 });`;
		return await runCommand(node, ['-e', `${open} ${script}`], { limit: LIMIT });
	};
	return {
		numbers: async (sql) => {
			const rows = `database.prepare(${JSON.stringify(sql)}).all()`;
			return numbersOf(await run(`for (const row of ${rows}) console.log(Object.values(row)[0])`));
		},
		lock: async (seconds) => {
			const release = `setTimeout(() => database.exec('ROLLBACK'), ${seconds * 1000})`;
			await run(`database.exec('BEGIN EXCLUSIVE'); ${release}`);
		},
	};
}

/** @param env the variables by which n8n finds it */
export function postgres(env: NodeJS.ProcessEnv): Database {
	const run = async (sql: string) => {
		const place = ['-h', `${env.DB_POSTGRESDB_HOST}`, '-p', `${env.DB_POSTGRESDB_PORT}`];
		const base = ['-U', `${env.DB_POSTGRESDB_USER}`, '-d', `${env.DB_POSTGRESDB_DATABASE}`];
		const command = [...place, ...base, '-At', '-v', 'ON_ERROR_STOP=1', '-c', sql];
		return await runCommand('psql', command, { limit: LIMIT });
	};
	return {
		numbers: async (sql) => numbersOf(await run(sql)),
		lock: async (seconds) => {
			const tables = 'execution_entity, execution_data, workflow_entity, processed_data';
			await run(
				`BEGIN; LOCK TABLE ${tables} IN EXCLUSIVE MODE; SELECT pg_sleep(${seconds}); ROLLBACK`,
			);
		},
	};
}

const numbersOf = (output: string) =>
	output
		.trimEnd()
		.split('\n')
		.filter(Boolean)
		.map((line) => Number(line) || 0);
