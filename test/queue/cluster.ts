/** n8n in queue mode: a main process, a webhook processor and workers, each with our package in a folder of its own. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import range from 'lodash/range';
import { Environment } from '../../tools/environment';
import { N8nProcess, type N8nRole } from '../../tools/n8n/process';
import { type N8nServer, startN8n } from '../../tools/n8n/server';
import { installPackage } from '../../tools/n8n/package';
import { freePort } from '../../tools/ports';
import { step } from '../../tools/progress';
import type { Rate, SandboxClient } from '../../tools/sandboxClient';
import { onStop } from '../../tools/runMain';
import { ensureServices, startPostgres, startRedis } from './services';

/** How many workers there are. */
export const WORKERS = 3;
/** Executions that a worker runs at the same time; n8n advises at least 5. */
const CONCURRENCY = 5;

/** A running n8n in queue mode. */
export class Cluster {
	private constructor(
		/** Where the editor and its interface are; it takes deliveries as well. */
		readonly main: N8nServer,
		/** Takes deliveries, and is the address that n8n gives out for them. */
		readonly webhooks: N8nProcess,
		readonly workers: N8nProcess[],
	) {}

	/** Starts everything; it is stopped and removed when the program ends. */
	static async open(): Promise<Cluster> {
		await step('PostgreSQL and Redis: installing what is missing', ensureServices);
		const environment = await Environment.open();
		const { folder } = environment;
		// The services' users have to reach their folders below it.
		await chmod(folder, 0o711);
		const postgres = await startPostgres(path.join(folder, 'postgres'));
		onStop(postgres.stop);
		const redis = await startRedis(path.join(folder, 'redis'));
		onStop(redis.stop);
		return await Cluster.start(environment, { ...postgres.env, ...redis.env });
	}

	/** @param services how n8n finds PostgreSQL and Redis */
	private static async start(
		{ install, packages, folder }: Environment,
		services: NodeJS.ProcessEnv,
	): Promise<Cluster> {
		const port = await freePort();
		const env = {
			...services,
			EXECUTIONS_MODE: 'queue',
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
			N8N_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
		};
		const place = async (name: string, ownPort?: number) => {
			const userFolder = path.join(folder, name);
			await mkdir(userFolder);
			await installPackage(packages[0], userFolder);
			return { userFolder, port: ownPort ?? (await freePort()), brokerPort: await freePort() };
		};
		const { userFolder } = await place('main');
		const main = await step(
			"Starting n8n's main process",
			async () => await startN8n({ userFolder, install, env }),
		);
		onStop(async () => await main.stop());
		const launch = async (name: string, role: N8nRole, ownPort?: number) => {
			const child = new N8nProcess(install, await place(name, ownPort), role);
			onStop(async () => await child.stop());
			await child.start();
			return child;
		};
		const launchWorker = async (number: number) => {
			const healthPort = await freePort();
			const health = {
				QUEUE_HEALTH_CHECK_ACTIVE: 'true',
				QUEUE_HEALTH_CHECK_PORT: String(healthPort),
			};
			return await launch(`worker-${number}`, {
				command: ['worker', `--concurrency=${CONCURRENCY}`],
				env: { ...env, ...health },
				healthPort,
			});
		};
		const [webhooks, ...workers] = await step(
			`Starting a webhook processor and ${WORKERS} workers`,
			async () =>
				await Promise.all([
					launch('webhooks', { command: ['webhook'], env }, port),
					...range(1, WORKERS + 1).map(launchWorker),
				]),
		);
		return new Cluster(main, webhooks, workers);
	}

	/** The workers, from 1, that took an execution, in the order of their numbers; n8n's logs tell. */
	workersOf(executionId: string): number[] {
		const sign = new RegExp(`Worker started execution ${executionId} `);
		return this.workers.flatMap(({ logFile }, index) =>
			sign.test(readFileSync(logFile, 'utf8')) ? [index + 1] : [],
		);
	}
}

/** Stores the credential of a service. Its rate is shared by all who use the same service and key. */
export async function credentialFor(
	{ main }: Cluster,
	service: SandboxClient,
	rate?: Rate,
): Promise<string> {
	const values = service.credential(rate);
	return await main.client.createCredential('Service', 'businessMessagingApi', values);
}
