/** Where the benchmark plays: fresh n8ns with the nodes of all senders. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { installN8n, type N8nInstall } from '../../playground/n8nInstall';
import { type N8nServer, startN8n } from '../../playground/n8nServer';
import { packFolder, packProject } from '../../playground/pack';
import type { Progress } from '../../playground/progress';
import { onStop } from '../../playground/runMain';

/** Starts n8ns. */
export class Stage {
	private constructor(
		readonly progress: Progress,
		private readonly install: N8nInstall,
		private readonly packages: string[],
		private readonly folder: string,
	) {}

	/** Installs n8n if need be, and packs what it is to load. */
	static async open(progress: Progress): Promise<Stage> {
		const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-bench-'));
		onStop(async () => await rm(folder, { recursive: true, force: true }));
		const install = await installN8n(progress);
		const ours = await progress.step('Building and packing the nodes', packProject);
		onStop(async () => await rm(path.dirname(ours), { recursive: true, force: true }));
		const oneByOne = await packFolder(path.join(__dirname, 'oneByOne'), folder);
		return new Stage(progress, install, [ours, oneByOne], folder);
	}

	/**
	 * Fresh n8ns, each a process with a folder of its own, for the time of `work`.
	 * @param env added to n8n's environment
	 */
	async withN8ns<T>(
		count: number,
		work: (n8ns: N8nServer[]) => Promise<T>,
		env: NodeJS.ProcessEnv = {},
	): Promise<T> {
		const n8ns: N8nServer[] = [];
		const stop = async () => {
			await Promise.all(n8ns.splice(0).map(async (n8n) => await n8n.stop()));
		};
		onStop(stop);
		try {
			while (n8ns.length < count) {
				const title = count > 1 ? `Starting n8n ${n8ns.length + 1} of ${count}` : 'Starting n8n';
				n8ns.push(await this.progress.step(title, async () => await this.start(env)));
			}
			return await work([...n8ns]);
		} finally {
			await stop();
		}
	}

	private async start(env: NodeJS.ProcessEnv): Promise<N8nServer> {
		const userFolder = await mkdtemp(path.join(this.folder, 'n8n-'));
		return await startN8n({ userFolder, packages: this.packages, install: this.install, env });
	}
}
