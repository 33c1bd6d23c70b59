/** Debian's PostgreSQL and Redis, started by us: on free ports, in a folder of their own, as users without rights. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../tools/userError';
import { freePort } from '../../tools/ports';
import { spawnTree, stopTree } from '../../tools/processes';
import { runCommand } from '../../tools/processes';
import { waitFor } from '../../tools/waitFor';

const START_LIMIT = 60_000;
const STOP_LIMIT = 10_000;
const INSTALL_LIMIT = 10 * 60_000;
const POSTGRES_VERSIONS = '/usr/lib/postgresql';
const host = '127.0.0.1';

/** A running service, and how n8n finds it. */
export interface BackingService {
	env: NodeJS.ProcessEnv;
	stop: () => Promise<void>;
}

/**
 * Installs what is missing.
 * @throws UserError without root or apt
 */
export async function ensureServices(): Promise<void> {
	const missing = [
		...(postgresBin() ? [] : ['postgresql']),
		...(existsSync('/usr/bin/redis-server') ? [] : ['redis-server']),
	];
	if (missing.length === 0) return;
	if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
		throw new UserError(
			`n8n's queue mode needs ${missing.join(' and ')}: install it (on Debian: apt-get install ${missing.join(' ')}).`,
		);
	}
	const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
	await runCommand('apt-get', ['update', '-qq'], { limit: INSTALL_LIMIT, env });
	await runCommand('apt-get', ['install', '-qq', '-y', '--no-install-recommends', ...missing], {
		limit: INSTALL_LIMIT,
		env,
	});
}

/** An empty PostgreSQL with Debian's settings but for the place. @throws UserError when it does not start within a minute */
export async function startPostgres(folder: string): Promise<BackingService> {
	const bin = postgresBin();
	if (!bin) throw new UserError('PostgreSQL is not installed.');
	const user = await asUser('postgres', folder);
	const data = path.join(folder, 'data');
	const [command, ...prefix] = user;
	const initialize = [
		path.join(bin, 'initdb'),
		'-D',
		data,
		'-U',
		'n8n',
		'--auth=trust',
		'--encoding=UTF8',
	];
	await runCommand(command, [...prefix, ...initialize], { limit: START_LIMIT, cwd: '/' });
	const port = await freePort();
	const settings = [`listen_addresses=${host}`, `unix_socket_directories=${folder}`].flatMap(
		(setting) => ['-c', setting],
	);
	const isReady = async () =>
		await runCommand(path.join(bin, 'pg_isready'), ['-h', host, '-p', String(port)], {
			limit: 5000,
		}).then(
			() => true,
			() => false,
		);
	const stop = await spawnService(
		'PostgreSQL',
		[...user, path.join(bin, 'postgres'), '-D', data, '-p', String(port), ...settings],
		isReady,
	);
	return {
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: host,
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_DATABASE: 'postgres',
		},
		stop,
	};
}

/** An empty Redis that keeps nothing on disk. @throws UserError when it does not start within a minute */
export async function startRedis(folder: string): Promise<BackingService> {
	const user = await asUser('redis', folder);
	const port = await freePort();
	const server = [
		'redis-server',
		'--port',
		String(port),
		'--bind',
		host,
		'--save',
		'',
		'--appendonly',
		'no',
		'--dir',
		folder,
	];
	const isReady = async () =>
		await runCommand('redis-cli', ['-h', host, '-p', String(port), 'ping'], { limit: 5000 }).then(
			(answer) => answer.includes('PONG'),
			() => false,
		);
	const stop = await spawnService('Redis', [...user, ...server], isReady);
	return { env: { QUEUE_BULL_REDIS_HOST: host, QUEUE_BULL_REDIS_PORT: String(port) }, stop };
}

async function spawnService(
	name: string,
	[command, ...args]: string[],
	isReady: () => Promise<boolean>,
): Promise<() => Promise<void>> {
	const child = spawnTree(command, args, { stdio: 'ignore', cwd: '/' });
	const stop = async () => await stopTree(child, STOP_LIMIT);
	await waitFor(isReady, { what: `${name} to start`, limit: START_LIMIT }).catch(
		async (error: unknown) => {
			await stop();
			throw error;
		},
	);
	return stop;
}

/**
 * Makes a folder for a user of the system's, if we are root, as PostgreSQL refuses to run as root.
 * @returns a prefix for commands, which then run as that user, and end with this process whatever happens to it
 */
async function asUser(name: string, folder: string): Promise<string[]> {
	await mkdir(folder, { mode: 0o700 });
	const prefix = ['setpriv', '--pdeathsig', 'INT'];
	if (process.getuid?.() !== 0) return prefix;
	const [uid, gid] = ['-u', '-g'].map((flag) =>
		Number(execFileSync('id', [flag, name], { encoding: 'utf8' })),
	);
	await chown(folder, uid, gid);
	return [...prefix, '--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
}

/** The programs of the newest PostgreSQL, which Debian keeps off the PATH. */
function postgresBin(): string | undefined {
	const versions = existsSync(POSTGRES_VERSIONS) ? readdirSync(POSTGRES_VERSIONS) : [];
	const newest = versions.map(Number).sort((a, b) => b - a)[0];
	const bin = path.join(POSTGRES_VERSIONS, String(newest), 'bin');
	return existsSync(path.join(bin, 'postgres')) ? bin : undefined;
}
