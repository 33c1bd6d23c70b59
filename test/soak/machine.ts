/** The n8n of a soak test: one process, or queue mode. Each of its processes can be measured and has a clock to set. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onStop, step, UserError } from '../../tools/cli';
import { Environment } from '../../tools/environment';
import { type N8nProcess, type N8nServer, startN8n } from '../../tools/n8n/server';
import { aptInstall } from '../../tools/n8n/install';
import { runCommand } from '../../tools/processes';
import { until } from '../../tools/until';
import { Balancer, openCluster } from '../queue/cluster';
import { type Database, postgres, sqlite } from './database';

const MEASURE = path.join(__dirname, 'measure.cjs');
const TRIM = path.join(__dirname, 'trim.c');
const MEASURE_LIMIT = 30_000;
const COMPILE_LIMIT = 60_000;

/** What a process holds after garbage collection, without what malloc keeps for later. */
export interface Usage {
	/** Since it was started, seconds. */
	ageSeconds: number;
	/** Resident memory and used heap, MB. */
	rssMb: number;
	heapMb: number;
	/** Open handles and requests other than timers; timers. */
	handles: number;
	timers: number;
}

/** A running n8n. */
export interface Machine {
	main: N8nServer;
	/** Where workflows are started by webhook. */
	url: string;
	processes: Record<string, N8nProcess>;
	/** The processes that take deliveries. */
	receivers: N8nProcess[];
	database: Database;
}

/** Starts n8n as a single process, or in queue mode with three workers and two webhook processes. */
export async function openMachine(isQueue: boolean): Promise<Machine> {
	const library = await step('libfaketime: installing it if need be', findFaketime);
	const trim = await compileTrim();
	const envOf = (userFolder: string) => environmentOf(userFolder, library, trim);
	if (isQueue) return await openQueue(envOf);
	const { install, packages, folder } = await Environment.open();
	const userFolder = path.join(folder, 'n8n');
	// As docs/trigger.md advises: it passes nothing on before n8n is ready.
	const proxy = await Balancer.start();
	const env = { ...envOf(userFolder), N8N_WEBHOOK_URL: `${proxy.url}/` };
	const server = { userFolder, packages, install, env };
	const main = await step('Starting n8n', async () => await startN8n(server));
	onStop(async () => await main.stop());
	proxy.servers = [main];
	const database = sqlite(install, path.join(userFolder, '.n8n', 'database.sqlite'));
	return { main, url: proxy.url, processes: { n8n: main }, receivers: [main], database };
}

async function openQueue(envOf: (userFolder: string) => NodeJS.ProcessEnv): Promise<Machine> {
	const cluster = await openCluster(envOf);
	const { main, webhooks, webhookProcesses, workers } = cluster;
	webhooks.servers = webhookProcesses;
	webhooks.isByPath = true; // as docs/scaling.md advises
	const named = (name: string, processes: N8nProcess[]) =>
		Object.fromEntries(processes.map((one, index) => [`${name} ${index + 1}`, one]));
	const processes = { main, ...named('webhooks', webhookProcesses), ...named('worker', workers) };
	const database = postgres(main.install, cluster.database);
	return { main, url: webhooks.url, processes, receivers: webhookProcesses, database };
}

/** What a process holds; undefined if it is not running. */
export async function measure({ pid, place }: N8nProcess): Promise<Usage | undefined> {
	const file = path.join(place.userFolder, 'usage.json');
	const ready = Number(await readFile(`${file}.pid`, 'utf8'));
	if (pid === undefined || ready !== pid) return undefined;
	await rm(file, { force: true });
	process.kill(pid, 'SIGUSR2');
	const what = `n8n's process ${pid} to measure itself`;
	await until(what, () => existsSync(file), { limit: MEASURE_LIMIT });
	return JSON.parse(await readFile(file, 'utf8')) as Usage;
}

/** Copies what n8n's processes have printed, because their folders are removed at the end. @returns the folder */
export async function keepLogs({ processes }: Machine): Promise<string> {
	const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-logs-'));
	for (const [name, { logFile }] of Object.entries(processes))
		await copyFile(logFile, path.join(folder, `${name}.log`));
	return folder;
}

/** Sets the clock of a process ahead of the machine's, or behind it, in seconds. */
export function setClock({ place }: N8nProcess, seconds: number): void {
	writeFileSync(clockOf(place.userFolder), `${seconds < 0 ? '' : '+'}${seconds}\n`);
}

const clockOf = (userFolder: string) => path.join(userFolder, 'clock');

function environmentOf(userFolder: string, library: string, trim: string): NodeJS.ProcessEnv {
	mkdirSync(userFolder, { recursive: true });
	writeFileSync(clockOf(userFolder), '+0\n');
	return {
		NODE_OPTIONS: `--require ${JSON.stringify(MEASURE)}`,
		SOAK_TRIM: trim,
		LD_PRELOAD: library,
		FAKETIME_TIMESTAMP_FILE: clockOf(userFolder),
		FAKETIME_DONT_FAKE_MONOTONIC: '1',
		FAKETIME_CACHE_DURATION: '1',
		// As docs/trigger.md advises where many events arrive.
		N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
		// Every execution is looked at.
		EXECUTIONS_DATA_PRUNE: 'false',
	};
}

/** Compiles what measure.cjs loads. @returns the file, which is removed when the program ends */
async function compileTrim(): Promise<string> {
	const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-trim-'));
	onStop(async () => await rm(folder, { recursive: true }));
	const file = path.join(folder, 'trim.node');
	await runCommand('cc', ['-shared', '-fPIC', '-o', file, TRIM], { limit: COMPILE_LIMIT });
	return file;
}

/** Debian's libfaketime; installs it as root. @throws UserError that says what to install */
async function findFaketime(): Promise<string> {
	const find = () =>
		readdirSync('/usr/lib')
			.map((name) => `/usr/lib/${name}/faketime/libfaketimeMT.so.1`)
			.find((file) => existsSync(file));
	if (!find() && process.getuid?.() === 0) await aptInstall(['faketime']);
	const library = find();
	if (library) return library;
	throw new UserError('The soak test sets clocks: install faketime (apt-get install faketime).');
}
