/**
 * Runs the containers of the compose file as processes of this machine, without Docker. Each has an address of its own
 * on the loopback network, and a separate folder as its volume. Their commands, settings, ports and health checks are
 * those of the compose file. The names of the services resolve to their addresses. All of this runs in a separate
 * network, see main.ts.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import range from 'lodash/range';
import { onStop, UserError } from '../../../harness/cli';
import type { N8nInstall } from '../../../harness/n8n/install';
import { runCommand, spawnTree, stopTree } from '../../../harness/processes';
import { until } from '../../../harness/until';
import { asUser, postgresBin } from '../../../harness/n8n/services';
import type { ComposeService } from './compose';

const START_LIMIT = 180_000;
const STOP_LIMIT = 20_000;

/** A container to run. */
export interface Container {
	name: string;
	address: string;
	service: ComposeService;
}

/** The containers of all services. The name of a service resolves to the address of its first container. */
export function containersOf(services: Record<string, ComposeService>): Container[] {
	const names = Object.entries(services).flatMap(([name, service]) =>
		range(service.replicas).map((index) => ({
			name: index === 0 ? name : `${name}-${index + 1}`,
			service,
		})),
	);
	return names.map((one, index) => ({ ...one, address: `127.0.0.${index + 11}` }));
}

/** How a container of an image starts: program, arguments, and what the image or the place adds to the environment. */
interface Start {
	command: string[];
	env: NodeJS.ProcessEnv;
	cwd?: string;
}

/** Starts containers. */
export class Host {
	/** @param folder for all data and logs @param env added to the environment of each container, e.g. a certificate to trust */
	constructor(
		private readonly install: N8nInstall,
		private readonly folder: string,
		private readonly env: NodeJS.ProcessEnv,
	) {}

	logOf = ({ name }: Container) => path.join(this.folder, `${name}.log`);

	/** Starts a container, and waits until its health check succeeds. @throws UserError */
	async start(container: Container): Promise<void> {
		const { name, service } = container;
		const { command, env, cwd = '/' } = await this.startOf(container);
		const environment = { ...this.env, ...env, ...service.environment };
		const log = openSync(this.logOf(container), 'a');
		const child = spawnTree(command[0], command.slice(1), {
			cwd,
			env: environment,
			stdio: ['ignore', log, log],
		});
		closeSync(log);
		onStop(async () => await stopTree(child, STOP_LIMIT));
		const isHealthy = async () => {
			if (child.exitCode !== null)
				throw new UserError(`${name} has ended (its log: ${this.logOf(container)}).`);
			return await this.check(container, environment);
		};
		const what = `${name} to become healthy (its log: ${this.logOf(container)})`;
		await until(what, isHealthy, { limit: START_LIMIT, interval: 1000 });
	}

	/** Runs the health check that the compose file defines. A container without one is taken as healthy. */
	private async check({ service, address }: Container, env: NodeJS.ProcessEnv): Promise<boolean> {
		const [kind, ...words] = service.healthcheck?.test ?? ['NONE'];
		if (kind === 'NONE') return true;
		// In the health check, 127.0.0.1 means the container itself.
		const local = words.map((word) => word.replaceAll('127.0.0.1', address));
		const command = kind === 'CMD' ? local : ['sh', '-c', ...local];
		return await runCommand(command[0], command.slice(1), { limit: 5000, env }).then(
			() => true,
			() => false,
		);
	}

	private async startOf(container: Container): Promise<Start> {
		const [image] = container.service.image.split(':');
		const volume = path.join(this.folder, container.name);
		switch (image) {
			case 'n8nio/n8n':
				mkdirSync(volume, { recursive: true });
				return this.startN8n(container, volume);
			case 'caddy':
				mkdirSync(volume, { recursive: true });
				return startCaddy(container, volume);
			case 'redis':
				return await startRedis(container, volume);
			case 'postgres':
				return await startPostgres(container, volume);
			default:
				throw new UserError(`Nothing is known here about the image ${image}.`);
		}
	}

	/**
	 * The start of n8n: the image's entry point is n8n, and its home folder is the volume. On one machine, every n8n
	 * needs other ports or another address.
	 */
	private startN8n({ service, address }: Container, volume: string): Start {
		const { node, script } = this.install;
		const port = 5700 + Number(address.split('.').at(-1));
		return {
			command: [node, script, ...(service.command ?? ['start'])],
			cwd: volume,
			env: {
				PATH: [path.dirname(node), process.env.PATH].join(path.delimiter),
				HOME: volume,
				NODE_ENV: 'production',
				N8N_LISTEN_ADDRESS: address,
				N8N_WORKER_SERVER_ADDRESS: address,
				N8N_RUNNERS_BROKER_PORT: String(port),
			},
		};
	}
}

function startCaddy({ service }: Container, volume: string): Start {
	const [config] = Object.values(service.files);
	return {
		command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', config],
		env: { PATH: process.env.PATH, HOME: volume },
	};
}

async function startRedis({ service }: Container, volume: string): Promise<Start> {
	const user = await asUser('redis', volume);
	return { command: [...user, ...service.command!], cwd: volume, env: { PATH: process.env.PATH } };
}

/** The start of PostgreSQL: like the image, creates the user and the database that the variables name. */
async function startPostgres({ service, address }: Container, volume: string): Promise<Start> {
	const bin = postgresBin();
	if (!bin) throw new UserError('PostgreSQL is not installed.');
	const [command, ...user] = await asUser('postgres', volume);
	const run = async (name: string, ...args: string[]) =>
		await runCommand(command, [...user, path.join(bin, name), ...args], {
			limit: 60_000,
			cwd: '/',
		});
	const { POSTGRES_USER = '', POSTGRES_DB = '', POSTGRES_PASSWORD = '' } = service.environment;
	const data = path.join(volume, 'data');
	const passwordFile = path.join(path.dirname(volume), 'postgres-password');
	await writeFile(passwordFile, POSTGRES_PASSWORD);
	const login = ['--username', POSTGRES_USER, `--pwfile=${passwordFile}`];
	await run('initdb', '-D', data, ...login, '--auth-local=trust', '--auth-host=scram-sha-256');
	const socket = `unix_socket_directories=${volume}`;
	// Without a log file, the server would keep the pipe of the process that started it open.
	const first = ['-o', `-c listen_addresses= -c ${socket}`, '-l', path.join(volume, 'first.log')];
	await run('pg_ctl', '-D', data, ...first, '-w', 'start');
	await run('createdb', '-h', volume, '-U', POSTGRES_USER, POSTGRES_DB);
	await run('pg_ctl', '-D', data, '-w', 'stop');
	const place = ['-D', data, '-c', `listen_addresses=${address}`, '-c', socket];
	return {
		command: [command, ...user, path.join(bin, 'postgres'), ...place],
		// Inside the container, PostgreSQL's programs find the server without a host name.
		env: { PATH: [bin, process.env.PATH].join(path.delimiter), PGHOST: volume },
	};
}
