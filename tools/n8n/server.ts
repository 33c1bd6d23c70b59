import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { freePort } from '../processes';
import { N8nClient, type Owner } from './client';
import { installN8n, type N8nInstall } from './install';
import { installPackage } from './package';
import { N8nProcess, type N8nPlace } from './process';

/** The owner of the n8n in this user folder: created at the first call, then always the same. */
export function ownerOf(userFolder: string): Owner {
	const file = path.join(userFolder, 'owner.json');
	if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Owner;
	const owner = { email: 'owner@example.com', password: randomBytes(9).toString('hex') };
	writeFileSync(file, `${JSON.stringify(owner, null, 2)}\n`, { mode: 0o600 });
	return owner;
}

/** The environment that makes n8n set up this owner by itself, without the form (n8n: instance settings by environment). */
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

	/** As {@link N8nProcess.start}; returns when its owner is logged in. */
	override async start(): Promise<void> {
		await super.start();
		try {
			await this.client.login(this.owner);
		} catch (error) {
			await this.kill();
			throw error;
		}
	}
}

/** What kind of n8n to start. */
interface N8nOptions {
	/** Everything that n8n keeps; made if need be. A second start with the same folder continues where the first ended. */
	userFolder: string;
	/** By default a free one. */
	port?: number;
	/** Added to n8n's environment. */
	env?: NodeJS.ProcessEnv;
	/** Tarballs of community packages to install before the first start. */
	packages?: string[];
	/** By default found or made by `installN8n`. */
	install?: N8nInstall;
}

/** Starts a real n8n: installs it if need be, installs the packages given, and logs its owner in. @throws UserError */
export async function startN8n(options: N8nOptions): Promise<N8nServer> {
	const userFolder = path.resolve(options.userFolder);
	mkdirSync(userFolder, { recursive: true });
	const install = options.install ?? (await installN8n());
	for (const tarball of options.packages ?? []) await installPackage(tarball, userFolder);
	const port = options.port ?? (await freePort());
	const place = { userFolder, port, brokerPort: await freePort() };
	const owner = ownerOf(userFolder);
	const env = { ...(await ownerEnvironment(owner, install)), ...options.env };
	const server = new N8nServer(install, place, owner, env);
	await server.start();
	return server;
}
