/** n8n in queue mode: a main process, a webhook processor and workers, each with our package in a folder of its own. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import range from 'lodash/range';
import { installN8n, type N8nInstall } from '../../playground/n8nInstall';
import { N8nProcess, type N8nRole } from '../../playground/n8nProcess';
import { type N8nServer, startN8n } from '../../playground/n8nServer';
import { installPackage, packProject } from '../../playground/pack';
import { freePort } from '../../playground/ports';
import type { Progress } from '../../playground/progress';
import { onStop } from '../../playground/runMain';
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
	static async open(progress: Progress): Promise<Cluster> {
		await progress.step('PostgreSQL and Redis: installing what is missing', ensureServices);
		const install = await installN8n(progress);
		const tarball = await progress.step('Building and packing the nodes', packProject);
		onStop(async () => await rm(path.dirname(tarball), { recursive: true, force: true }));
		const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-queue-'));
		onStop(async () => await rm(folder, { recursive: true, force: true }));
		// The services' users have to reach their folders below it.
		await chmod(folder, 0o711);
		const postgres = await startPostgres(path.join(folder, 'postgres'));
		onStop(postgres.stop);
		const redis = await startRedis(path.join(folder, 'redis'));
		onStop(redis.stop);
		return await Cluster.start({
			progress,
			install,
			tarball,
			folder,
			env: { ...postgres.env, ...redis.env },
		});
	}

	private static async start({
		progress,
		install,
		tarball,
		folder,
		env: services,
	}: Ground): Promise<Cluster> {
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
			await installPackage(tarball, userFolder);
			return { userFolder, port: ownPort ?? (await freePort()), brokerPort: await freePort() };
		};
		const { userFolder } = await place('main');
		const main = await progress.step(
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
		const [webhooks, ...workers] = await progress.step(
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

interface Ground {
	progress: Progress;
	install: N8nInstall;
	tarball: string;
	folder: string;
	/** How n8n finds PostgreSQL and Redis. */
	env: NodeJS.ProcessEnv;
}
