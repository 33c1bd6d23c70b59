/** The n8n of a soak test: one process, or queue mode, with our package, behind a load balancer. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import range from 'lodash/range';
import { onStop, step } from '../../../harness/cli';
import { Environment } from '../../../harness/environment';
import { installPackage } from '../../../harness/n8n/packProject';
import { N8nProcess, type N8nServer, startN8n } from '../../../harness/n8n/server';
import { freePort } from '../../../harness/processes';
import { type Database, postgres, sqlite } from '../../../harness/n8n/database';
import { ensureServices, startPostgres, startRedis } from '../../../harness/n8n/services';

/** How many workers there are in queue mode. */
export const WORKERS = 3;
/** Executions that a worker runs at the same time; n8n advises at least 5. */
const CONCURRENCY = 5;
/** The greatest size of the data of an execution that is kept as evidence, bytes. */
const KEPT_DATA = 300_000;

/** A running n8n. */
export interface Machine {
	/** The n8n with the editor and its interface. */
	main: N8nServer;
	/** The URL at which webhooks start workflows. */
	url: string;
	processes: N8nProcess[];
	/** The processes that receive deliveries; and those that only run executions. */
	receivers: N8nProcess[];
	workers: N8nProcess[];
	database: Database;
}

/** Gives the variables that are added to the environment of a process. */
type EnvOf = (userFolder: string) => NodeJS.ProcessEnv;

/** Whether a worker has begun an execution, according to its log. */
export const hasRun = ({ logFile }: N8nProcess, id: string | number) =>
	readFileSync(logFile, 'utf8').includes(`Worker started execution ${id} `);

export const nameOf = ({ place }: N8nProcess) => path.basename(place.userFolder);

/** Starts n8n as a single process; it is stopped and removed when the program ends. */
export async function openSingle(envOf: EnvOf): Promise<Machine> {
	const { install, packages, folder } = await Environment.open();
	const userFolder = path.join(folder, 'n8n');
	const receivers: N8nProcess[] = [];
	// As docs/trigger.md recommends, the balancer forwards nothing before n8n is ready.
	const url = await startBalancer(receivers);
	const env = { ...envOf(userFolder), N8N_WEBHOOK_URL: `${url}/` };
	const server = { userFolder, packages, install, env };
	const main = await step('Starting n8n', async () => await startN8n(server));
	onStop(async () => await main.stop());
	receivers.push(main);
	const database = sqlite(install, path.join(userFolder, '.n8n', 'database.sqlite'));
	return { main, url, processes: [main], receivers, workers: [], database };
}

/** Starts n8n in queue mode: a main process, two webhook processes and three workers; see {@link openSingle}. */
export async function openQueue(envOf: EnvOf = () => ({})): Promise<Machine> {
	await step('PostgreSQL and Redis: installing what is missing', ensureServices);
	const { install, packages, folder } = await Environment.open();
	// The system users of the services must be able to reach their folders below this one.
	await chmod(folder, 0o711);
	const receivers: N8nProcess[] = [];
	const url = await startBalancer(receivers);
	const database = await startPostgres(path.join(folder, 'postgres'));
	const env = {
		...database,
		...(await startRedis(path.join(folder, 'redis'))),
		EXECUTIONS_MODE: 'queue',
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
		N8N_WEBHOOK_URL: `${url}/`,
	};
	const userFolder = path.join(folder, 'main');
	const server = { userFolder, packages, install, env: { ...env, ...envOf(userFolder) } };
	const main = await step("Starting n8n's main process", async () => await startN8n(server));
	onStop(async () => await main.stop());

	const launch = async (name: string, ...command: string[]) => {
		const userFolder = path.join(folder, name);
		await mkdir(userFolder, { recursive: true });
		await installPackage(packages[0], userFolder);
		const place = { userFolder, port: await freePort(), brokerPort: await freePort() };
		// A worker reports only on this port that it is ready.
		const health = {
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(place.port),
		};
		const all = { ...env, ...health, ...envOf(userFolder) };
		const child = new N8nProcess(install, place, { command, env: all });
		onStop(async () => await child.stop());
		await child.start();
		return child;
	};
	const title = `Starting two webhook processes and ${WORKERS} workers`;
	const [one, other, ...workers] = await step(title, async () => {
		const webhooks = [1, 2].map(async (number) => await launch(`webhooks-${number}`, 'webhook'));
		const working = range(1, WORKERS + 1).map(
			async (number) => await launch(`worker-${number}`, 'worker', `--concurrency=${CONCURRENCY}`),
		);
		return await Promise.all([...webhooks, ...working]);
	});
	receivers.push(one, other);
	const processes = [main, ...receivers, ...workers];
	return { main, url, processes, receivers, workers, database: postgres(install, database) };
}

/**
 * Copies what shows how a fault came about, because the folders of n8n are removed at the end: the logs of its processes,
 * its executions, and the data of those that are not large.
 *
 * @returns the folder of the copies
 */
export async function keepEvidence({ processes, database }: Machine): Promise<string> {
	const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-logs-'));
	for (const one of processes) await copyFile(one.logFile, path.join(folder, `${nameOf(one)}.log`));
	const tables = {
		workflows: 'SELECT id, name, "staticData" FROM workflow_entity',
		executions: 'SELECT * FROM execution_entity ORDER BY id',
		data: `SELECT "executionId", data FROM execution_data WHERE LENGTH(data) < ${KEPT_DATA} ORDER BY "executionId"`,
	};
	for (const [name, sql] of Object.entries(tables)) {
		const lines = (await database.run(sql)).map((row) => `${JSON.stringify(row)}\n`);
		await writeFile(path.join(folder, `${name}.jsonl`), lines);
	}
	return folder;
}

/**
 * Forwards each request to one of the servers. All requests with the same path go to the same server if it is ready, as
 * docs/scaling.md recommends.
 * @param servers may be added later
 * @returns the balancer's URL; it listens until the program ends
 */
async function startBalancer(servers: Array<{ url: string }>): Promise<string> {
	const balancer = createServer((request, response) => {
		const { method, headers, url = '/' } = request;
		const sum = Buffer.from(url.split('?')[0]).reduce((all, byte) => all + byte);
		const target = servers[sum % servers.length].url;
		const forward = () => {
			const forwarded = httpRequest(`${target}${url}`, { method, headers }, (answer) => {
				response.writeHead(answer.statusCode ?? 502, answer.headers);
				answer.pipe(response);
			});
			forwarded.on('error', () => response.destroy());
			// As usual proxies do, the balancer gives up a request that nobody waits for any more.
			response.once('close', () => forwarded.destroy());
			request.pipe(forwarded);
		};
		void isReady(target).then((isUp) => {
			if (isUp && !response.destroyed) forward();
			else response.destroy();
		});
	});
	balancer.listen(0, '127.0.0.1');
	await once(balancer, 'listening');
	onStop(async () => {
		balancer.closeAllConnections();
		balancer.close();
	});
	return `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
}

/** Whether n8n accepts requests. While it starts, it responds to all requests with 200, and handles none. */
async function isReady(server: string): Promise<boolean> {
	return await fetch(`${server}/healthz/readiness`).then(
		({ ok }) => ok,
		() => false,
	);
}
