/**
 * n8n in queue mode: PostgreSQL, Redis, a main process, two webhook processes behind a balancer, and workers, each with our
 * package in a separate folder.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, chown } from 'node:fs/promises';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import range from 'lodash/range';
import { onStop, step, UserError } from '../../tools/cli';
import { Environment } from '../../tools/environment';
import { installPackage } from '../../tools/n8n/package';
import { N8nProcess, type N8nRole, type N8nServer, startN8n } from '../../tools/n8n/server';
import { freePort, runCommand, spawnTree, stopTree } from '../../tools/processes';
import { aptInstall } from '../../tools/n8n/install';
import { until } from '../../tools/until';

/** How many workers there are. */
export const WORKERS = 3;
/** Executions that a worker runs at the same time; n8n advises at least 5. */
const CONCURRENCY = 5;

/** A running n8n in queue mode. */
export interface Cluster {
	/** Where the editor and its interface are; it takes deliveries as well. */
	main: N8nServer;
	/** The address that n8n registers for deliveries. The first webhook process takes all, unless a scenario lets others take part. */
	webhooks: Balancer;
	webhookProcesses: N8nProcess[];
	workers: N8nProcess[];
	/** The variables by which n8n finds its database. */
	database: NodeJS.ProcessEnv;
}

/** Starts everything; it is stopped and removed when the program ends. @param envOf added to the environment of a process, by its folder */
export async function openCluster(
	envOf: (userFolder: string) => NodeJS.ProcessEnv = () => ({}),
): Promise<Cluster> {
	await step('PostgreSQL and Redis: installing what is missing', ensureServices);
	const { install, packages, folder } = await Environment.open();
	// The services' users have to reach their folders below it.
	await chmod(folder, 0o711);
	const webhooks = await Balancer.start();
	const database = await startPostgres(path.join(folder, 'postgres'));
	const env = {
		...database,
		...(await startRedis(path.join(folder, 'redis'))),
		EXECUTIONS_MODE: 'queue',
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
		N8N_WEBHOOK_URL: `${webhooks.url}/`,
	};
	const userFolder = path.join(folder, 'main');
	const server = { userFolder, packages, install, env: { ...env, ...envOf(userFolder) } };
	const main = await step("Starting n8n's main process", async () => await startN8n(server));
	onStop(async () => await main.stop());

	const launch = async (name: string, role: N8nRole) => {
		const userFolder = path.join(folder, name);
		await mkdir(userFolder, { recursive: true });
		await installPackage(packages[0], userFolder);
		const place = { userFolder, port: await freePort(), brokerPort: await freePort() };
		const env = { ...role.env, ...envOf(userFolder) };
		const child = new N8nProcess(install, place, { ...role, env });
		onStop(async () => await child.stop());
		await child.start();
		return child;
	};
	const launchWorker = async (number: number) => {
		const command = ['worker', `--concurrency=${CONCURRENCY}`];
		const healthPort = await freePort();
		const health = {
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(healthPort),
		};
		return await launch(`worker-${number}`, { command, env: { ...env, ...health }, healthPort });
	};
	const launchWebhooks = async (number: number) =>
		await launch(`webhooks-${number}`, { command: ['webhook'], env });
	const [one, other, ...workers] = await step(
		`Starting two webhook processes and ${WORKERS} workers`,
		async () =>
			await Promise.all([
				...[1, 2].map(launchWebhooks),
				...range(1, WORKERS + 1).map(launchWorker),
			]),
	);
	webhooks.servers = [one];
	return { main, webhooks, webhookProcesses: [one, other], workers, database };
}

/** The workers that took an execution, in the order of their numbers; n8n's logs tell. */
export function workersOf({ workers }: Cluster, executionId: string): N8nProcess[] {
	const sign = `Worker started execution ${executionId} `;
	return workers.filter(({ logFile }) => readFileSync(logFile, 'utf8').includes(sign));
}

const START_LIMIT = 60_000;
const STOP_LIMIT = 10_000;
const POSTGRES_VERSIONS = '/usr/lib/postgresql';
const host = '127.0.0.1';

/** Installs what is missing. @throws UserError without root or apt */
async function ensureServices(): Promise<void> {
	const missing = [
		...(postgresBin() ? [] : ['postgresql']),
		...(existsSync('/usr/bin/redis-server') ? [] : ['redis-server']),
	];
	if (missing.length === 0) return;
	if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
		throw new UserError(
			`n8n's queue mode needs ${missing.join(' and ')}: install it (on Debian: apt-get install ${missing.join(' ')}).`,
		);
	await aptInstall(missing);
}

/**
 * An empty PostgreSQL with Debian's settings but for the place, until the program ends.
 * @returns the environment with which n8n finds it
 * @throws UserError when it does not start within a minute
 */
async function startPostgres(folder: string): Promise<NodeJS.ProcessEnv> {
	const bin = postgresBin();
	if (!bin) throw new UserError('PostgreSQL is not installed.');
	const user = await asUser('postgres', folder);
	const data = path.join(folder, 'data');
	const [command, ...initialize] = [
		...[...user, path.join(bin, 'initdb'), '-D', data],
		...['-U', 'n8n', '--auth=trust', '--encoding=UTF8'],
	];
	await runCommand(command, initialize, { limit: START_LIMIT, cwd: '/' });
	const port = String(await freePort());
	await startService(
		'PostgreSQL',
		[
			...[...user, path.join(bin, 'postgres'), '-D', data, '-p', port],
			...['-c', `listen_addresses=${host}`, '-c', `unix_socket_directories=${folder}`],
		],
		[path.join(bin, 'pg_isready'), '-h', host, '-p', port],
	);
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: host,
		DB_POSTGRESDB_PORT: port,
		DB_POSTGRESDB_USER: 'n8n',
		DB_POSTGRESDB_DATABASE: 'postgres',
	};
}

/** An empty Redis that keeps nothing on disk; see {@link startPostgres}. */
async function startRedis(folder: string): Promise<NodeJS.ProcessEnv> {
	const user = await asUser('redis', folder);
	const port = String(await freePort());
	await startService(
		'Redis',
		[
			...[...user, 'redis-server', '--port', port, '--bind', host],
			...['--save', '', '--appendonly', 'no', '--dir', folder],
		],
		['redis-cli', '-h', host, '-p', port, 'ping'],
	);
	return { QUEUE_BULL_REDIS_HOST: host, QUEUE_BULL_REDIS_PORT: port };
}

/** @param check the command that succeeds once the service is there */
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

/** Whether n8n takes requests. While it starts, it responds to all of them with 200 and passes nothing on. */
async function isReady(server: string): Promise<boolean> {
	return await fetch(`${server}/healthz/readiness`).then(
		({ ok }) => ok,
		() => false,
	);
}

/** Hands each request to the next of its servers, or all of one path to one server, if that server is ready. */
export class Balancer {
	/** The servers that currently receive requests. */
	servers: Array<{ url: string }> = [];
	isByPath = false;
	private count = 0;

	private constructor(private readonly server: Server) {}

	/** Listens until the program ends. */
	static async start(): Promise<Balancer> {
		const server = createServer((request, response) => {
			const { method, headers, url = '/' } = request;
			const target = balancer.serverFor(url);
			const forward = () => {
				const forwarded = httpRequest(`${target}${url}`, { method, headers }, (answer) => {
					response.writeHead(answer.statusCode ?? 502, answer.headers);
					answer.pipe(response);
				});
				forwarded.on('error', () => response.destroy());
				request.pipe(forwarded);
			};
			void isReady(target).then((isUp) => (isUp ? forward() : response.destroy()));
		});
		const balancer = new Balancer(server);
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		onStop(async () => {
			server.closeAllConnections();
			server.close();
		});
		return balancer;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	private serverFor(url: string): string {
		const [path] = url.split('?');
		const place = this.isByPath
			? Buffer.from(path).reduce((sum, byte) => sum + byte)
			: this.count++;
		return this.servers[place % this.servers.length].url;
	}
}
