/**
 * `npm run test:deployment`: tests deploy/ as it is shipped, without Docker. Starts what the compose file describes in
 * a separate network, installs the package as the comments in deploy/ say, and calls every URL of the examples through
 * the proxy.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onStop, printTable, readFlags, runMain, step, UserError } from '../../../harness/cli';
import { aptInstall, installN8n } from '../../../harness/n8n/install';
import { packProject } from '../../../harness/n8n/packProject';
import { runCommand, spawnTree, stopTree } from '../../../harness/processes';
import { fillInEnv, readCompose } from './compose';
import { containersOf, Host } from './containers';
import { Operator } from './operator';
import { registryOf, startRegistry } from './registry';
import { urls } from './urls';

const USAGE = `Usage: npm run test:deployment
Starts what deploy/docker-compose.yml describes, without Docker, and calls every URL of the examples through its proxy.
Needs Linux, and root for a network of its own. Takes about five minutes.`;

const PROGRAMS = {
	'/usr/bin/caddy': 'caddy',
	'/usr/bin/redis-server': 'redis-server',
	'/usr/lib/postgresql': 'postgresql',
	'/usr/bin/wget': 'wget',
	'/usr/bin/openssl': 'openssl',
	'/usr/sbin/ip': 'iproute2',
	'/usr/bin/chromium': 'chromium',
};
/** Caddy's own authority signs certificates for names below localhost. Everything else is as with a real name. */
const HOST_NAME = 'n8n.localhost';
const REGISTRY_ADDRESS = '127.0.0.10';
/** The time limit for everything inside the network, ms. */
const LIMIT = 20 * 60_000;
const STOP_LIMIT = 60_000;

runMain(async () => {
	const flags = readFlags({ inside: 'string', tarball: 'string' }, USAGE);
	if (flags.inside && flags.tarball) await inside(flags.inside, flags.tarball);
	else await outside();
});

/** The services, with `.env` filled in as its example says. */
const services = () =>
	readCompose(fillInEnv({ N8N_HOST: HOST_NAME }, () => randomBytes(24).toString('hex')));

/** Installs what is missing, and runs this program again in a separate network, in which the services' names resolve to their addresses. */
async function outside(): Promise<void> {
	if (process.getuid?.() !== 0) throw new UserError(`This needs root.\n${USAGE}`);
	const missing = Object.entries(PROGRAMS)
		.filter(([file]) => !existsSync(file))
		.map(([, name]) => name);
	if (missing.length > 0)
		await step(`Installing ${missing.join(', ')}`, async () => await aptInstall(missing));
	const install = await installN8n();
	const tarball = await step('Building and packing the nodes', packProject);
	onStop(async () => await rm(path.dirname(tarball), { recursive: true, force: true }));
	const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-deployment-'));
	onStop(async () => await rm(folder, { recursive: true, force: true }));
	await chmod(folder, 0o711); // the users of PostgreSQL and Redis have folders below it
	const authority = await makeAuthority(folder);
	const hosts = path.join(folder, 'hosts');
	const names = [
		`127.0.0.1 localhost ${HOST_NAME}`,
		`${REGISTRY_ADDRESS} ${await registryOf(install)}`,
		...containersOf(services()).map(({ name, address }) => `${address} ${name}`),
	];
	await writeFile(hosts, `${names.join('\n')}\n`);
	// Caddy would make the system trust its authority, so it must not find the system's folder of certificates.
	const script =
		'ip link set lo up && mount --bind "$0" /etc/hosts && mount -t tmpfs none /usr/local/share && exec "$@"';
	const again = [process.execPath, '--import', 'tsx', __filename];
	const args = ['--inside', folder, '--tarball', tarball];
	const command = ['--mount', '--net', 'sh', '-c', script, hosts, ...again, ...args];
	const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority };
	const child = spawnTree('unshare', command, { stdio: 'inherit', env, timeout: LIMIT });
	onStop(async () => await stopTree(child, STOP_LIMIT));
	const { exitCode } = await child;
	if (exitCode !== 0) throw new UserError('The deployment does not work as it is shipped.');
}

/** Creates the authority with which Caddy signs, so that all programs can trust it before Caddy starts. @returns its certificate */
async function makeAuthority(folder: string): Promise<string> {
	const place = path.join(folder, 'caddy', 'pki', 'authorities', 'local');
	await mkdir(place, { recursive: true });
	const [certificate, key] = ['root.crt', 'root.key'].map((name) => path.join(place, name));
	const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '3650'];
	const files = ['-keyout', key, '-out', certificate, '-subj', '/CN=Test'];
	await runCommand('openssl', ['req', '-x509', ...kind, ...files], { limit: 10_000 });
	return certificate;
}

async function inside(folder: string, tarball: string): Promise<void> {
	try {
		await tryOut(folder, tarball);
	} catch (error) {
		const logs = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-logs-'));
		for (const name of (await readdir(folder)).filter((one) => one.endsWith('.log')))
			await copyFile(path.join(folder, name), path.join(logs, name));
		console.error(`What the processes printed: ${logs}`);
		throw error;
	}
}

async function tryOut(folder: string, tarball: string): Promise<void> {
	const install = await installN8n();
	const environment = {
		LANG: 'C.UTF-8',
		NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
		XDG_DATA_HOME: folder, // where Caddy looks for its authority
	};
	const registry = await registryOf(install);
	await startRegistry({ name: registry, address: REGISTRY_ADDRESS, tarball, env: environment });
	const host = new Host(install, folder, environment);
	const containers = containersOf(services());
	const isBase = (name: string) => ['postgres', 'redis'].includes(name);
	const start = async (chosen: typeof containers) =>
		await Promise.all(chosen.map(async (one) => await host.start(one)));
	await step('Starting PostgreSQL and Redis', async () => {
		await start(containers.filter(({ name }) => isBase(name)));
	});
	await step('Starting Caddy and n8n: main process, webhook processor, workers', async () => {
		await start(containers.filter(({ name }) => !isBase(name)));
	});
	const operator = new Operator(`https://${HOST_NAME}`);
	await step('Setting up n8n and the package', async () => await operator.setUp());
	const results = await step('Calling every URL', async () => await urls(operator, install));
	printTable(results);
	if (results.some(({ works }) => works !== 'yes'))
		throw new UserError('Not all of them answer as they should.');
}
