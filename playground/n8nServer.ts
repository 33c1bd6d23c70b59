import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import axios from 'axios';
import { N8nClient } from './n8nClient';
import { n8nEnvironment, type N8nPlace } from './n8nEnvironment';
import { installN8n, type N8nInstall } from './n8nInstall';
import { ownerEnvironment, ownerOf, type Owner } from './owner';
import { installPackage } from './pack';
import { PlaygroundError } from './playgroundError';
import { freePort } from './ports';
import { END_WITH_PARENT, isRunning, killTree, spawnTree, stopTree } from './processes';
import { waitFor } from './waitFor';

/** What kind of n8n to start. */
export interface N8nOptions {
	/** Everything that n8n keeps; made if need be. A second start on the same folder goes on where the first ended. */
	userFolder: string;
	/** A free one unless told. */
	port?: number;
	/** Added to n8n's environment. */
	env?: NodeJS.ProcessEnv;
	/** Tarballs of community packages to install before the first start. */
	packages?: string[];
	/** Found or made by `installN8n` unless told. */
	install?: N8nInstall;
}

/** Milliseconds. Measured: 7 to 16 s on two cores that nobody else uses. */
const START_LIMIT = 180_000;
/** More than the 10 s that n8n gives its running executions. */
const STOP_LIMIT = 20_000;

/** A real n8n in a process of its own, with its owner logged in through `client`. */
export class N8nServer {
	/** E.g. `http://127.0.0.1:5678`. */
	readonly url: string;
	readonly client: N8nClient;
	/** Receives everything that n8n prints. */
	readonly logFile: string;
	private child?: ChildProcess;

	constructor(
		readonly install: N8nInstall,
		readonly place: N8nPlace,
		readonly owner: Owner,
		private readonly env: NodeJS.ProcessEnv,
	) {
		this.url = `http://127.0.0.1:${place.port}`;
		this.client = new N8nClient(this.url);
		this.logFile = path.join(place.userFolder, 'n8n.log');
	}

	/**
	 * Starts n8n and returns when its owner is logged in. After `stop` or `kill` it may be called again: the same folder, port and owner.
	 * @throws PlaygroundError when n8n ends or is not ready within 3 minutes
	 */
	async start(): Promise<void> {
		const log = openSync(this.logFile, 'a');
		this.child = spawnTree(this.install.node, ['--require', END_WITH_PARENT, this.install.script, 'start'], {
			// Not a folder with an .env file, which n8n would read.
			cwd: this.place.userFolder,
			env: { ...n8nEnvironment(this.install, this.place), ...(await ownerEnvironment(this.owner, this.install)), ...this.env },
			stdio: ['ignore', log, log],
		});
		closeSync(log);
		try {
			await waitFor(async () => await this.isReady(), { what: `n8n to start (its log: ${this.logFile})`, limit: START_LIMIT });
			await this.client.login(this.owner);
		} catch (error) {
			await this.kill();
			throw error;
		}
	}

	/** Ends n8n in good order: SIGTERM, and SIGKILL to what is left after 20 s. */
	async stop(): Promise<void> {
		if (this.child) await stopTree(this.child, STOP_LIMIT);
	}

	/** Ends n8n and its children at once, as a crash would (SIGKILL). */
	async kill(): Promise<void> {
		if (this.child) await killTree(this.child);
	}

	/**
	 * Waits for as long as n8n runs.
	 * @throws PlaygroundError when it has ended by itself
	 */
	async ended(): Promise<never> {
		if (this.child && this.pid !== undefined) await once(this.child, 'exit');
		throw new PlaygroundError(`n8n has ended: ${this.lastWords()} (its log: ${this.logFile}).`);
	}

	/** n8n's process id while it runs. */
	get pid(): number | undefined {
		return this.child && isRunning(this.child) ? this.child.pid : undefined;
	}

	private async isReady(): Promise<boolean> {
		if (this.pid === undefined) throw new PlaygroundError(`n8n ended while it was starting: ${this.lastWords()} (its log: ${this.logFile}).`);
		const answer = axios.get(`${this.url}/healthz/readiness`, { timeout: 5000, proxy: false });
		return await answer.then(
			() => true,
			() => false,
		);
	}

	private lastWords(): string {
		return readFileSync(this.logFile, 'utf8').trim().split('\n').at(-1) ?? '';
	}
}

/**
 * Starts a real n8n: installs it if need be, installs the packages given, and logs its owner in.
 * @throws PlaygroundError
 */
export async function startN8n(options: N8nOptions): Promise<N8nServer> {
	const userFolder = path.resolve(options.userFolder);
	mkdirSync(userFolder, { recursive: true });
	const install = options.install ?? (await installN8n());
	for (const tarball of options.packages ?? []) await installPackage(tarball, userFolder);
	const place = { userFolder, port: options.port ?? (await freePort()), brokerPort: await freePort() };
	const server = new N8nServer(install, place, await ownerOf(userFolder), options.env ?? {});
	await server.start();
	return server;
}
