/** `npm run demo` and `npm start` as a person runs them. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import type { Webhook } from '../../../sandbox/state/webhooks';
import { exampleNames, readSampleContacts } from '../../../harness/examples';
import { N8nClient } from '../../../harness/n8n/client';
import { findTable } from '../../../harness/n8n/dataTables';
import { ownerOf, startN8n } from '../../../harness/n8n/server';
import {
	END_WITH_PARENT,
	freePort,
	runCommand,
	spawnTree,
	stopTree,
} from '../../../harness/processes';
import { SandboxClient } from '../../../harness/sandboxClient';
import { root } from '../../../harness/engine/files';
import { until } from '../../../harness/until';
import { packed } from '../../../harness/useN8n';

jest.setTimeout(15 * 60_000);

let folder: string;
beforeEach(async () => {
	folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-commands-'));
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

/** Runs the demo. @returns the figures that it has saved */
async function runDemo(flags: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<unknown> {
	const file = path.join(folder, 'demo.json');
	const demo = ['run', 'demo', '--', '--json', file, ...flags];
	const output = await runCommand('npm', demo, { cwd: root, limit: 10 * 60_000, env });
	expect(output).toMatch(new RegExp(`replied +${readSampleContacts().length}\\b`));
	return JSON.parse(await readFile(file, 'utf8'));
}

const everybody = readSampleContacts().length;
const perfect = {
	n8nVersion: '2.41.1',
	contacts: everybody,
	sent: everybody,
	delivered: everybody,
	read: everybody,
	answered: everybody,
	replied: everybody,
	lost: 0,
	doubled: 0,
	webhooksLeft: 0,
	seconds: expect.any(Number),
};

test('npm run demo reaches everybody, answers everybody once, leaves nothing behind and ends with 0', async () => {
	expect(await runDemo()).toEqual(perfect);
});

test('npm run demo -- --n8n does the same on an n8n that runs already, and leaves only data tables in it', async () => {
	const packages = [await packed()];
	const n8n = await startN8n({ userFolder: path.join(folder, 'n8n'), packages });
	try {
		const { email, password } = n8n.owner;
		const flags = ['--n8n', n8n.url, '--email', email];
		const refused = runDemo(flags, { N8N_OWNER_PASSWORD: 'not this one' });
		await expect(refused).rejects.toMatchObject({
			output: expect.stringMatching(/Could not log in to n8n at .* as owner@example\.com: .*\.$/m),
		});
		expect(await runDemo(flags, { N8N_OWNER_PASSWORD: password })).toEqual(perfect);
		expect(await n8n.client.listWorkflows()).toEqual([]);
		expect(await n8n.client.call('GET', '/rest/credentials')).toEqual([]);
		expect(await findTable(n8n.client, 'New customers')).toBeDefined();
	} finally {
		await n8n.stop();
	}
});

/** Starts the playground, and ends it with Ctrl-C when `use` is done. */
async function whileStarted(use: (client: N8nClient, sandbox: SandboxClient) => Promise<void>) {
	const [n8nPort, sandboxPort] = [await freePort(), await freePort()];
	const start = ['--require', END_WITH_PARENT, '--import', 'tsx', 'playground/start.ts'];
	const flags = [`--n8n-port=${n8nPort}`, `--sandbox-port=${sandboxPort}`, `--folder=${folder}`];
	const child = spawnTree(process.execPath, [...start, ...flags], {
		cwd: root,
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	try {
		const address = `http://127.0.0.1:${n8nPort}`;
		let output = '';
		child.stdout!.on('data', (data) => (output += String(data)));
		// The welcome text comes when everything is ready; if the package has to be built first, after gulp's own output.
		const isReady = () => output.includes(address) || child.exitCode !== null;
		await until('the welcome text', isReady, { limit: 300_000 });
		expect(output).toContain(address);
		const client = new N8nClient(address);
		await client.login(ownerOf(folder));
		await use(client, new SandboxClient(`http://127.0.0.1:${sandboxPort}`, 'sandbox-key-0001'));
	} finally {
		await stopTree(child, 30_000);
	}
}

test('npm start imports every example once, and those that listen for events are published, even after a second start', async () => {
	for (const time of ['first', 'second']) {
		await whileStarted(async (client, sandbox) => {
			const workflows = await client.listWorkflows();
			expect([time, workflows.length]).toEqual([time, exampleNames().length]);
			const active = workflows.filter((workflow) => workflow.active).map(({ name }) => name);
			expect(active.sort()).toEqual(['Auto-reply', 'Campaign results', 'Inbox', 'Opt-outs']);
			expect(await sandbox.look<Webhook>('/webhooks')).toHaveLength(5);
		});
	}
});
