/** n8n's database, past n8n. */
import { runCommand } from '../../tools/processes';

const LIMIT = 120_000;

export interface Database {
	/** The only value of the only row; 0 for null. */
	number(sql: string): Promise<number>;
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
		number: async (sql) => {
			const statement = `database.prepare(${JSON.stringify(sql)}).get()`;
			return Number(await run(`console.log(Object.values(${statement})[0] ?? 0)`));
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
		number: async (sql) => Number(await run(sql)),
		lock: async (seconds) => {
			const tables = 'execution_entity, execution_data, workflow_entity, processed_data';
			await run(
				`BEGIN; LOCK TABLE ${tables} IN EXCLUSIVE MODE; SELECT pg_sleep(${seconds}); ROLLBACK`,
			);
		},
	};
}
