/** The package is replaced by a newer one while questions wait, a campaign is unfinished and a trigger listens. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { countBy, range } from 'lodash';
import type { INode, INodeParameters } from 'n8n-workflow';

import type { FaultOrder } from '../../sandbox/faults';
import { type Sandbox, startSandbox } from '../../sandbox';
import { type Execution, hasEnded, outputOf } from '../../tools/n8n/client';
import { installPackage, packProject } from '../../tools/n8n/package';
import { type N8nServer, startN8n } from '../../tools/n8n/server';
import * as make from '../../tools/n8n/workflow';
import { runCommand } from '../../tools/processes';
import { until } from '../../tools/until';
import { root } from '../support/files';

jest.setTimeout(15 * 60_000);

/** The commit of the last release or, until there is one, the last with other names of parameters than today's. */
const EARLIER = 'c3d70bcb91926231d2b38379b8f3889ffea07500';

const people = range(300).map((n) => `+1555${3_000_000 + n}`);
const asked = range(3).map((n) => `+1555${4_000_000 + n}`);
let folder: string;
let earlier: string;
let present: string;
let sandbox: Sandbox;
let n8n: N8nServer;

/** The package of a commit. @throws Error if this clone does not have the commit */
async function packCommit(commit: string): Promise<string> {
	const source = path.join(folder, 'earlier');
	const unpack = `mkdir "$0" && git archive ${commit} | tar -x -C "$0"`;
	const command = ['-c', `set -o pipefail; ${unpack}`, source];
	await runCommand('bash', command, { cwd: root, limit: 60_000 }).catch((error: Error) => {
		throw new Error(
			`The commit ${commit} is not in this clone (${error.message}). Get it with git fetch --unshallow.`,
		);
	});
	await symlink(path.join(root, 'node_modules'), path.join(source, 'node_modules'));
	return await packProject(source);
}

beforeAll(async () => {
	folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-upgrade-'));
	[earlier, present] = [await packCommit(EARLIER), await packProject()];
	sandbox = await startSandbox({ port: 0, requestsPerWindow: 0, sampleContacts: 0 });
	n8n = await startN8n({ userFolder: path.join(folder, 'n8n'), packages: [earlier] });
}, 15 * 60_000);
afterAll(async () => {
	await n8n?.stop();
	await sandbox?.close();
	const packed = [earlier, present].filter(Boolean).map((file) => path.dirname(file));
	for (const one of [folder, ...packed]) await rm(one, { recursive: true, force: true });
}, 60_000);

const send: INodeParameters = {
	...{ resource: 'message', operation: 'sendText', to: '={{ $json.to }}', text: 'Sale!' },
	...{ sendOnce: true, campaign: 'sale' },
};
const question: INodeParameters = {
	...{ resource: 'message', operation: 'sendAndWait', to: '={{ $json.to }}' },
	...{ message: 'Would Tuesday suit you?', limitWaitTime: 60, waitTimeUnit: 'minutes' },
};

/** A workflow that sends to people or asks them. @returns its ID */
async function byHand(own: Partial<INode>, parameters: INodeParameters, to: string[]) {
	const file = make.workflow('By hand', [
		make.node('Start', 'n8n-nodes-base.manualTrigger', 1),
		...make.listNodes(JSON.stringify(to.map((phone) => ({ to: phone })))),
		make.node('Action', make.ACTION, 1, parameters, own),
	]);
	return (await n8n.client.createWorkflow(file)).id;
}

const write = (from: string, text: string) => sandbox.state.traffic.receive({ from, text });
const isDelivered = async (...all: Array<ReturnType<typeof write>>) =>
	await until('n8n to answer the deliveries', () =>
		all.every(({ deliveries: [one] }) => one.state === 'delivered'),
	);
const items = (execution: Execution) => outputOf(execution, 'Action').map(({ json }) => json);

test('questions, a campaign with Send Once and a trigger continue with the new package', async () => {
	const { client } = n8n;
	const values = { apiKey: sandbox.key, baseUrl: sandbox.url, requestsPerMinute: 100_000 };
	const own = make.withCredential(
		await client.createCredential('Service', 'businessMessagingApi', values),
	);
	const inboxFile = make.workflow('Inbox', [
		make.node('Inbox', make.TRIGGER, 1.1, {}, { webhookId: randomUUID(), ...own }),
	]);
	const { id: inbox } = await client.createWorkflow(inboxFile);
	await client.activate(inbox);
	const campaign = await byHand(own, send, people);
	const refusal: FaultOrder = { endpoint: 'sendText', match: people[150], status: 422 };
	sandbox.state.faults.add(refusal);
	const failed = await client.waitForExecution(await client.run(campaign, 'Start'), 120_000);
	expect(failed.status).toBe('error');
	const waiting = await client.run(await byHand(own, question, asked), 'Start');
	await until(
		'the question to wait',
		async () => (await client.getExecution(waiting)).status === 'waiting',
	);
	const before = [write(asked[0], 'first'), write('+15550001111', 'Hello')];
	await isDelivered(...before);
	// What was answered at the same moment is stored with the next one.
	await isDelivered(write('+15550001112', 'Hello?'));

	await n8n.stop();
	await installPackage(present, n8n.place.userFolder);
	await n8n.start();

	const { webhooks, deliveries } = sandbox.state;
	const [webhook] = webhooks.all;
	for (const {
		message,
		deliveries: [{ event, data }],
	} of before)
		await isDelivered({ message, deliveries: [deliveries.deliver(webhook, event, data)] });
	await isDelivered(write('+15550001111', 'Are you there?'));
	const answers = [write(asked[2], 'third'), write(asked[1], 'second')];
	await isDelivered(...answers);
	const answered = await client.waitForExecution(waiting, 120_000);
	expect(items(answered).map(({ text }) => text)).toEqual(['first', 'second', 'third']);
	const started = async () => {
		const list = await client.listAllExecutions(inbox);
		return list.length >= 3 && list.every(hasEnded) && list;
	};
	expect(await until('three executions', started)).toHaveLength(3);

	const again = await client.waitForExecution(await client.run(campaign, 'Start'), 120_000);
	expect(again.status).toBe('success');
	const outbound = sandbox.state.messages.all.filter(({ text }) => text === 'Sale!');
	expect(countBy(outbound, 'phone')).toEqual(countBy(people));
	await client.deactivate(inbox);
	expect(webhooks.all).toEqual([]);
});
