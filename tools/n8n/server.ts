import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { N8nClient } from './client';
import type { N8nPlace } from './variables';
import { installN8n, type N8nInstall } from './install';
import { N8nProcess } from './process';
import { ownerEnvironment, ownerOf, type Owner } from './owner';
import { installPackage } from './package';
import { freePort } from '../ports';

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

/** A real n8n in a process of its own, with its owner logged in through `client`. */
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

	/**
	 * Starts n8n and returns when its owner is logged in. After `stop` or `kill` it may be called again: the same folder, port and owner.
	 * @throws UserError when n8n ends or is not ready within 3 minutes
	 */
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

/**
 * Starts a real n8n: installs it if need be, installs the packages given, and logs its owner in.
 * @throws UserError
 */
export async function startN8n(options: N8nOptions): Promise<N8nServer> {
	const userFolder = path.resolve(options.userFolder);
	mkdirSync(userFolder, { recursive: true });
	const install = options.install ?? (await installN8n());
	for (const tarball of options.packages ?? []) await installPackage(tarball, userFolder);
	const place = {
		userFolder,
		port: options.port ?? (await freePort()),
		brokerPort: await freePort(),
	};
	const owner = await ownerOf(userFolder);
	const server = new N8nServer(install, place, owner, {
		...(await ownerEnvironment(owner, install)),
		...options.env,
	});
	await server.start();
	return server;
}
