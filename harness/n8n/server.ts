/** A real n8n in a separate process: a complete n8n; or in queue mode its main process, a webhook processor or a worker. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import axios from 'axios';
import type { ExecaChildProcess } from 'execa';
import omitBy from 'lodash/omitBy';
import { UserError } from '../cli';
import { END_WITH_PARENT, freePort, killTree, spawnTree, stopTree } from '../processes';
import { until } from '../until';
import { N8nClient, type Owner } from './client';
import { installN8n, type N8nInstall } from './install';
import { installPackage } from './packProject';

/** How long a start may take, ms. Measured: 7 to 16 s on two cores without other work. */
const START_LIMIT = 180_000;
/** How long n8n may take to stop, ms: more than the 10 s that it gives its running executions. */
const STOP_LIMIT = 20_000;

/** Environment variables of the machine that would change n8n, which must behave the same everywhere. They are removed. */
const FOREIGN =
	/^(N8N_|DB_|QUEUE_|EXECUTIONS_|CREDENTIALS_|NODES_|NODE_FUNCTION_|ENDPOINT_|GENERIC_TIMEZONE$|WEBHOOK_URL$|VUE_APP_|NODE_ENV$|NODE_OPTIONS$|JEST_|npm_)/;

/** Settings for no telemetry, no news, no questions, and no requests to n8n's own servers. */
const QUIET = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_DISABLED_MODULES: 'mcp-registry',
	N8N_PYTHON_ENABLED: 'false',
	// The defaults of n8n 2.41. They are set explicitly, so that n8n does not warn that they will change.
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	N8N_RUNNERS_TASK_TIMEOUT: '300',
};

interface N8nPlace {
	userFolder: string;
	port: number;
	/** The port for n8n's task runners. Each n8n on the machine needs its own. */
	brokerPort: number;
}

/** n8n's command with its flags, e.g. `['worker', '--concurrency=5']`, and additions to its environment. */
type N8nRole = { command: string[]; env: NodeJS.ProcessEnv };

/** A process that can be started, stopped, killed and started again. */
export class N8nProcess {
	readonly url: string;
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
	 * Starts n8n, also after `stop` or `kill`, in the same folder and on the same port. Returns when it is ready.
	 * @throws UserError when n8n ends or is not ready within 3 minutes
	 */
	async start(): Promise<void> {
		const { command, env } = this.role;
		const log = openSync(this.logFile, 'a');
		const script = ['--require', END_WITH_PARENT, this.install.script, ...command];
		this.child = spawnTree(this.install.node, script, {
			// The user folder has no .env file, which n8n would read from its working directory.
			cwd: this.place.userFolder,
			env: { ...this.environment(), ...env },
			stdio: ['ignore', log, log],
		});
		closeSync(log);
		const what = `n8n to start (its log: ${this.logFile})`;
		await until(what, async () => await this.isReady(), { limit: START_LIMIT });
	}

	/** Shuts n8n down: SIGTERM first; after 20 s, SIGKILL to the processes that are left. */
	async stop(): Promise<void> {
		if (this.child) await stopTree(this.child, STOP_LIMIT);
	}

	/** Ends n8n and its children at once, as a crash would (SIGKILL). */
	async kill(): Promise<void> {
		if (this.child) await killTree(this.child);
	}

	/** Waits for as long as n8n runs. @throws UserError when it has ended by itself */
	async ended(): Promise<never> {
		if (this.child && this.pid !== undefined) await once(this.child, 'exit');
		const how = this.child?.signalCode ?? `exit code ${this.child?.exitCode}`;
		throw this.failure(`n8n has ended (${how})`);
	}

	/** Undefined unless n8n runs. */
	get pid(): number | undefined {
		const { pid, exitCode, signalCode } = this.child ?? {};
		return exitCode === null && signalCode === null ? pid : undefined;
	}

	/** The environment of an n8n that runs unattended, listens only on loopback, and calls nobody. */
	private environment(): NodeJS.ProcessEnv {
		const { userFolder, port, brokerPort } = this.place;
		return {
			...omitBy(process.env, (_, name) => FOREIGN.test(name)),
			PATH: [path.dirname(this.install.node), process.env.PATH].join(path.delimiter),
			N8N_USER_FOLDER: userFolder,
			N8N_PORT: String(port),
			N8N_LISTEN_ADDRESS: '127.0.0.1',
			N8N_RUNNERS_BROKER_PORT: String(brokerPort),
			N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
			N8N_WEBHOOK_URL: `${this.url}/`,
			N8N_EDITOR_BASE_URL: `${this.url}/`,
			N8N_SECURE_COOKIE: 'false',
			GENERIC_TIMEZONE: Intl.DateTimeFormat().resolvedOptions().timeZone,
			N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '10',
			...QUIET,
		};
	}

	private async isReady(): Promise<boolean> {
		if (this.pid === undefined) throw this.failure('n8n ended while it was starting');
		return await axios.get(`${this.url}/healthz/readiness`, { timeout: 5000, proxy: false }).then(
			() => true,
			() => false,
		);
	}

	private failure(what: string): UserError {
		const lastLine = readFileSync(this.logFile, 'utf8').trim().split('\n').at(-1) ?? '';
		return new UserError(`${what}. The last line of its log, ${this.logFile}: ${lastLine}`);
	}
}

/** The owner of the n8n in this user folder: created by the first call, and always the same afterwards. */
export function ownerOf(userFolder: string): Owner {
	const file = path.join(userFolder, 'owner.json');
	if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Owner;
	const owner = { email: 'owner@example.com', password: randomBytes(9).toString('hex') };
	writeFileSync(file, JSON.stringify(owner), { mode: 0o600 });
	return owner;
}

/** The environment variables that make n8n create this owner without the form (n8n: instance settings by environment). */
async function ownerEnvironment(owner: Owner, { folder }: N8nInstall): Promise<NodeJS.ProcessEnv> {
	const n8nRequire = createRequire(path.join(folder, 'package.json'));
	const bcrypt = n8nRequire('bcryptjs') as { hash(text: string, rounds: number): Promise<string> };
	return {
		N8N_INSTANCE_OWNER_MANAGED_BY_ENV: 'true',
		N8N_INSTANCE_OWNER_EMAIL: owner.email,
		N8N_INSTANCE_OWNER_FIRST_NAME: 'Playground',
		N8N_INSTANCE_OWNER_LAST_NAME: 'Owner',
		N8N_INSTANCE_OWNER_PASSWORD_HASH: await bcrypt.hash(owner.password, 10),
	};
}

/** A real n8n in a separate process, with its owner logged in through `client`. */
export class N8nServer extends N8nProcess {
	readonly client: N8nClient;

	constructor(
		install: N8nInstall,
		place: N8nPlace,
		readonly owner: Owner,
		env: NodeJS.ProcessEnv,
	) {
		super(install, place, { command: ['start'], env });
		this.client = new N8nClient(this.url);
	}

	/** Like {@link N8nProcess.start}; returns when the owner is logged in. */
	override async start(): Promise<void> {
		await super.start();
		await this.client.login(this.owner);
	}
}

interface N8nOptions {
	/** For everything that n8n stores; created if missing. A second start with the same folder continues there. */
	userFolder: string;
	/** By default a free port. */
	port?: number;
	env?: NodeJS.ProcessEnv;
	/** Tarballs of community packages to install before the first start. */
	packages?: string[];
	install?: N8nInstall;
}

/** Starts a real n8n: installs n8n if it is missing, installs the given packages, and logs the owner in. @throws UserError */
export async function startN8n(options: N8nOptions): Promise<N8nServer> {
	const { packages = [], port = await freePort(), install = await installN8n() } = options;
	const userFolder = path.resolve(options.userFolder);
	mkdirSync(userFolder, { recursive: true });
	for (const tarball of packages) await installPackage(tarball, userFolder);
	const place = { userFolder, port, brokerPort: await freePort() };
	const owner = ownerOf(userFolder);
	const env = { ...(await ownerEnvironment(owner, install)), ...options.env };
	const server = new N8nServer(install, place, owner, env);
	await server.start();
	return server;
}
