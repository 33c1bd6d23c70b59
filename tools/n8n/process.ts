import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import axios from 'axios';
import type { ExecaChildProcess } from 'execa';
import { n8nEnvironment, type N8nPlace } from './variables';
import type { N8nInstall } from './install';
import { UserError } from '../userError';
import { END_WITH_PARENT, isRunning, killTree, spawnTree, stopTree } from '../processes';
import { waitFor } from '../waitFor';

/** Milliseconds. Measured: 7 to 16 s on two cores that nobody else uses. */
const START_LIMIT = 180_000;
/** More than the 10 s that n8n gives its running executions. */
const STOP_LIMIT = 20_000;

/** What a process of n8n's is. */
export interface N8nRole {
	/** n8n's command with its flags, e.g. `['worker', '--concurrency=5']`. */
	command: string[];
	/** Added to n8n's environment. */
	env: NodeJS.ProcessEnv;
	/** Where it says that it is ready; its own port unless told. */
	healthPort?: number;
}

/** One process of n8n's: the whole of n8n, or in queue mode its main process, a webhook processor or a worker. */
export class N8nProcess {
	/** E.g. `http://127.0.0.1:5678`. */
	readonly url: string;
	/** Receives everything that n8n prints. */
	readonly logFile: string;
	private child?: ExecaChildProcess;

	constructor(
		readonly install: N8nInstall,
		readonly place: N8nPlace,
		private readonly role: N8nRole,
	) {
		this.url = `http://127.0.0.1:${place.port}`;
		this.logFile = path.join(place.userFolder, 'n8n.log');
	}

	/**
	 * Starts n8n and returns when it is ready. After `stop` or `kill` it may be called again: the same folder and port.
	 * @throws UserError when n8n ends or is not ready within 3 minutes
	 */
	async start(): Promise<void> {
		const { command, env } = this.role;
		const log = openSync(this.logFile, 'a');
		this.child = spawnTree(
			this.install.node,
			['--require', END_WITH_PARENT, this.install.script, ...command],
			{
				// Not a folder with an .env file, which n8n would read.
				cwd: this.place.userFolder,
				env: { ...n8nEnvironment(this.install, this.place), ...env },
				stdio: ['ignore', log, log],
			},
		);
		closeSync(log);
		try {
			await waitFor(async () => await this.isReady(), {
				what: `n8n to start (its log: ${this.logFile})`,
				limit: START_LIMIT,
			});
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
	 * @throws UserError when it has ended by itself
	 */
	async ended(): Promise<never> {
		if (this.child && this.pid !== undefined) await once(this.child, 'exit');
		throw new UserError(`n8n has ended: ${this.lastWords()} (its log: ${this.logFile}).`);
	}

	/** n8n's process id while it runs. */
	get pid(): number | undefined {
		return this.child && isRunning(this.child) ? this.child.pid : undefined;
	}

	private async isReady(): Promise<boolean> {
		if (this.pid === undefined)
			throw new UserError(
				`n8n ended while it was starting: ${this.lastWords()} (its log: ${this.logFile}).`,
			);
		const port = this.role.healthPort ?? this.place.port;
		const answer = axios.get(`http://127.0.0.1:${port}/healthz/readiness`, {
			timeout: 5000,
			proxy: false,
		});
		return await answer.then(
			() => true,
			() => false,
		);
	}

	private lastWords(): string {
		return readFileSync(this.logFile, 'utf8').trim().split('\n').at(-1) ?? '';
	}
}
