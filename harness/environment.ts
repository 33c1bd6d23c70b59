/** The environment of benchmarks and of the tests of n8n's queue mode: an installed n8n, packages for it, and a folder for its data. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onStop, step } from './cli';
import { installN8n, type N8nInstall } from './n8n/install';
import { packProject } from './n8n/packProject';
import { type N8nServer, startN8n } from './n8n/server';

/** An environment. When the program ends (`runMain`), everything in it is stopped and removed. */
export class Environment {
	private constructor(
		readonly install: N8nInstall,
		/** The tarball of this project's nodes. */
		readonly packages: string[],
		/** A folder in the system's temporary folder, only for this environment. */
		readonly folder: string,
	) {}

	/** Installs n8n if it is missing, and packs this project. */
	static async open(): Promise<Environment> {
		const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-'));
		onStop(async () => await rm(folder, { recursive: true, force: true }));
		const install = await installN8n();
		const ours = await step('Building and packing the nodes', packProject);
		onStop(async () => await rm(path.dirname(ours), { recursive: true, force: true }));
		return new Environment(install, [ours], folder);
	}

	/** Starts new n8n processes, each with a separate folder, and stops them after `work`. @param env added to n8n's environment */
	async withN8ns<T>(
		count: number,
		work: (n8ns: N8nServer[]) => Promise<T>,
		env: NodeJS.ProcessEnv = {},
	): Promise<T> {
		const { packages, install } = this;
		const n8ns: N8nServer[] = [];
		const stop = async () => await Promise.all(n8ns.splice(0).map(async (n8n) => await n8n.stop()));
		onStop(stop);
		try {
			while (n8ns.length < count) {
				const userFolder = await mkdtemp(path.join(this.folder, 'n8n-'));
				const start = async () => await startN8n({ userFolder, packages, install, env });
				n8ns.push(await step(`Starting n8n ${n8ns.length + 1} of ${count}`, start));
			}
			return await work([...n8ns]);
		} finally {
			await stop();
		}
	}
}
