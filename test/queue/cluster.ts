/** n8n in queue mode: a main process, two webhook processes and workers, each with our package in a separate folder. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import range from 'lodash/range';
import { onStop, step } from '../../tools/cli';
import { Environment } from '../../tools/environment';
import { installPackage } from '../../tools/n8n/package';
import { N8nProcess, type N8nRole } from '../../tools/n8n/process';
import { type N8nServer, startN8n } from '../../tools/n8n/server';
import { freePort } from '../../tools/processes';
import { Balancer } from './balancer';
import { ensureServices, startPostgres, startRedis } from './services';

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
