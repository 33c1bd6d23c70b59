/** The services of n8n's queue mode: new and empty, and stopped when the program ends. */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { onStop, UserError } from '../cli';
import { aptInstall } from './install';
import { freePort, runCommand, spawnTree, stopTree } from '../processes';
import { until } from '../until';

const START_LIMIT = 60_000;
const STOP_LIMIT = 10_000;
const POSTGRES_VERSIONS = '/usr/lib/postgresql';
const host = '127.0.0.1';

/** Installs the services that are missing. @throws UserError without root or apt */
export async function ensureServices(): Promise<void> {
	const missing: string[] = [];
	if (!postgresBin()) missing.push('postgresql');
	if (!existsSync('/usr/bin/redis-server')) missing.push('redis-server');
	if (missing.length === 0) return;
	if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) return await aptInstall(missing);
	throw new UserError(
		`n8n's queue mode needs ${missing.join(' and ')}: install it (on Debian: apt-get install ${missing.join(' ')}).`,
	);
}

/** Starts PostgreSQL with Debian's settings. Returns the environment for n8n. @throws UserError after a minute */
export async function startPostgres(folder: string): Promise<NodeJS.ProcessEnv> {
	const bin = postgresBin();
	if (!bin) throw new UserError('PostgreSQL is not installed.');
	const [command, ...user] = await asUser('postgres', folder);
	const data = path.join(folder, 'data');
	const options = ['-U', 'n8n', '--auth=trust', '--encoding=UTF8'];
	const initialize = [...user, path.join(bin, 'initdb'), '-D', data, ...options];
	await runCommand(command, initialize, { limit: START_LIMIT, cwd: '/' });
	const port = String(await freePort());
	const settings = ['-c', `listen_addresses=${host}`, '-c', `unix_socket_directories=${folder}`];
	const server = [
		command,
		...user,
		path.join(bin, 'postgres'),
		'-D',
		data,
		'-p',
		port,
		...settings,
	];
	await startService('PostgreSQL', server, [path.join(bin, 'pg_isready'), '-h', host, '-p', port]);
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: host,
		DB_POSTGRESDB_PORT: port,
		DB_POSTGRESDB_USER: 'n8n',
		DB_POSTGRESDB_DATABASE: 'postgres',
	};
}

/** Starts Redis without storage on disk; see {@link startPostgres}. */
export async function startRedis(folder: string): Promise<NodeJS.ProcessEnv> {
	const user = await asUser('redis', folder);
	const port = String(await freePort());
	const place = ['--port', port, '--bind', host, '--dir', folder];
	const server = [...user, 'redis-server', ...place, '--save', '', '--appendonly', 'no'];
	await startService('Redis', server, ['redis-cli', '-h', host, '-p', port, 'ping']);
	return { QUEUE_BULL_REDIS_HOST: host, QUEUE_BULL_REDIS_PORT: port };
}

/** @param check a command that succeeds once the service is ready */
async function startService(name: string, server: string[], check: string[]): Promise<void> {
	const child = spawnTree(server[0], server.slice(1), { stdio: 'ignore', cwd: '/' });
	onStop(async () => await stopTree(child, STOP_LIMIT));
	const isReady = async () =>
		await runCommand(check[0], check.slice(1), { limit: 5000 }).then(
			() => true,
			() => false,
		);
	await until(`${name} to start`, isReady, { limit: START_LIMIT });
}

/**
 * Returns a prefix for commands, which then end with this process. If this process is root, they run as a user of the
 * system, who gets the folder, because PostgreSQL refuses root.
 */
export async function asUser(name: string, folder: string): Promise<string[]> {
	await mkdir(folder, { mode: 0o700 });
	const prefix = ['setpriv', '--pdeathsig', 'INT'];
	if (process.getuid?.() !== 0) return prefix;
	await runCommand('chown', [`${name}:`, folder], { limit: START_LIMIT });
	return [...prefix, '--reuid', name, '--regid', name, '--clear-groups'];
}

/** The folder with the programs of the newest PostgreSQL; Debian does not add it to the PATH. */
export function postgresBin(): string | undefined {
	const versions = existsSync(POSTGRES_VERSIONS) ? readdirSync(POSTGRES_VERSIONS) : [];
	const newest = versions.map(Number).sort((a, b) => b - a)[0];
	const bin = path.join(POSTGRES_VERSIONS, String(newest), 'bin');
	return existsSync(path.join(bin, 'postgres')) ? bin : undefined;
}
