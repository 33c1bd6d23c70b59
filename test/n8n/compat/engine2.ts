/**
 * The nodes on engine 2.0, an experiment of n8n with a separate PostgreSQL database: a real n8n runs workflows whose
 * settings choose this engine, against the sandbox.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'expect';
import countBy from 'lodash/countBy';
import range from 'lodash/range';
import type { INode, INodeParameters } from 'n8n-workflow';
import { onStop, step } from '../../../harness/cli';
import * as every from '../../../harness/engine/everyOperation';
import { Environment } from '../../../harness/environment';
import { outputOf, type WorkflowFile } from '../../../harness/n8n/client';
import { type N8nServer, startN8n } from '../../../harness/n8n/server';
import * as make from '../../../harness/n8n/workflow';
import { until } from '../../../harness/until';
import { type EndpointName, endpoints } from '../../../nodes/BusinessMessaging/api/endpoints';
import { operations } from '../../../nodes/BusinessMessaging/nodeProperties';
import { type Sandbox, startSandbox } from '../../../sandbox';
import { ensureServices, startPostgres } from '../../../harness/n8n/services';

const START = 'Start';
const NODE = 'Business Messaging';
const people = ['+15550001001', '+15550001002', '+15550001003'];
const text = { resource: 'message', operation: 'sendText', to: '={{ $json.phone }}', text: 'Hi' };

/** A row of the table: what works, or what happens instead. */
export interface Row {
	what: string;
	works: string;
}

/** The beginning of a cell if the result differs from the expected one. */
export const UNEXPECTED = 'not as expected: ';

/** Makes all attempts on one n8n. */
export async function tryEngine2(): Promise<Row[]> {
	const rig = await Rig.open();
	const rows: Row[] = [];
	for (const [what, [works, attempt]] of Object.entries(attempts)) {
		rig.sandbox.reset();
		const outcome = await step(what, async () => await attempt(rig)).then(
			() => works,
			({ message }: Error) => `${UNEXPECTED}${message}`,
		);
		rows.push({ what, works: outcome });
	}
	return rows;
}

/** An n8n with engine 2.0, and the service. */
class Rig {
	private constructor(
		readonly n8n: N8nServer,
		readonly sandbox: Sandbox,
		readonly credential: string,
	) {}

	static async open(): Promise<Rig> {
		await step('PostgreSQL: installing it if it is missing', ensureServices);
		const { install, packages, folder } = await Environment.open();
		await chmod(folder, 0o711); // the system user of PostgreSQL has a folder below this one
		const database = await startPostgres(path.join(folder, 'postgres'));
		const host = `${database.DB_POSTGRESDB_HOST}:${database.DB_POSTGRESDB_PORT}`;
		const env = {
			N8N_ENABLED_MODULES: 'engine-v2',
			N8N_ENGINE_DATABASE_URL: `postgres://n8n@${host}/postgres`,
		};
		const sandbox = await startSandbox({ port: 0, requestsPerWindow: 0 });
		onStop(async () => await sandbox.close());
		const options = { userFolder: path.join(folder, 'n8n'), packages, install, env };
		const n8n = await step('Starting n8n', async () => await startN8n(options));
		onStop(async () => await n8n.stop());
		const service = { apiKey: sandbox.key, baseUrl: sandbox.url, apiPath: 'automatic' };
		const values = { ...service, requestsPerMinute: 100_000 };
		const credential = await n8n.client.createCredential('Service', 'businessMessagingApi', values);
		return new Rig(n8n, sandbox, credential);
	}

	/** How many messages each person got. */
	get received(): Record<string, number> {
		const { all } = this.sandbox.state.messages;
		return countBy(
			all.filter(({ direction }) => direction === 'outbound'),
			'phone',
		);
	}

	action(parameters: INodeParameters, more: Partial<INode> = {}): INode {
		return make.node(NODE, make.ACTION, 1, parameters, {
			...make.withCredential(this.credential),
			...more,
		});
	}

	/** Stores a workflow that this engine runs. @returns its ID */
	async store(nodes: INode[], connections?: WorkflowFile['connections']): Promise<string> {
		const file = make.workflow(`Test ${randomUUID()}`, nodes, connections);
		const settings = { ...file.settings, engineType: 'v2' } as WorkflowFile['settings'];
		return (await this.n8n.client.createWorkflow({ ...file, settings })).id;
	}

	/** A workflow that runs the action node on items. */
	async storeAction(items: object[], parameters: INodeParameters, more: Partial<INode> = {}) {
		const start = make.node(START, 'n8n-nodes-base.manualTrigger', 1);
		const list = make.listNodes(JSON.stringify(items));
		return await this.store([start, ...list, this.action(parameters, more)]);
	}

	/** Runs a workflow to its end. */
	async runStored(id: string): Promise<every.RunnerResult> {
		const { client } = this.n8n;
		const execution = await client.waitForExecution(await client.run(id, START));
		assert.match(execution.id, /-/, 'the standard engine ran it');
		const { error } = execution.data.resultData;
		return {
			status: execution.status,
			error: error && { ...error },
			outputs: [outputOf(execution, NODE)],
		};
	}

	/** Runs the action node on items. */
	async run({ items, parameters, onError }: every.RunnerOptions): Promise<every.RunnerResult> {
		return await this.runStored(await this.storeAction(items, parameters, { onError }));
	}

	/** Sends to three people. */
	async send(more: INodeParameters = {}): Promise<every.RunnerResult> {
		const items = people.map((phone) => ({ phone }));
		return await this.run({ items, parameters: { ...text, ...more } });
	}
}

const oneEach = Object.fromEntries(people.map((phone) => [phone, 1]));

/** All operations that do not wait, on three items of which the service refuses the second. */
async function everyOperation(rig: Rig): Promise<void> {
	for (const { resource, value, endpoint } of operations.filter(({ waits }) => !waits)) {
		rig.sandbox.reset();
		const name = `${resource} ${value}`;
		const row = every.caseOf(resource, value);
		const items = await every.itemsFor(rig, row);
		const [own] = Object.entries(endpoints).find(([, entry]) => entry === endpoint)!;
		const refused = { endpoint: row.fails ?? (own as EndpointName), skip: 1, status: 422 };
		rig.sandbox.state.faults.add({ ...refused, body: { message: 'the operator said no' } });
		const parameters = { ...every.parametersOf(name), options: { concurrency: 1 } };
		const { outputs } = await rig.run({ parameters, items, onError: 'continueRegularOutput' });
		const good = expect.objectContaining(row.gives);
		const failed = expect.objectContaining({ error: expect.anything() });
		expect([name, outputs[0].map(({ json }) => json)]).toEqual([name, [good, failed, good]]);
	}
}

/** Runs a campaign twice; n8n is killed during the first run. */
async function killed(rig: Rig): Promise<void> {
	const phones = range(200).map((n) => `+1555000${2000 + n}`);
	const parameters = { ...text, sendOnce: true, campaign: 'sale', options: { concurrency: 4 } };
	const items = phones.map((phone) => ({ phone }));
	const id = await rig.storeAction(items, parameters, { onError: 'continueRegularOutput' });
	await rig.n8n.client.run(id, START);
	await until('some messages', () => Object.keys(rig.received).length > 40, { interval: 5 });
	await rig.n8n.kill();
	await rig.n8n.start();
	await rig.runStored(id);
	const counts = phones.map((phone) => rig.received[phone] ?? 0);
	assert.equal(Math.max(...counts), 1, 'somebody got two messages');
	const missing = counts.filter((count) => count === 0).length;
	assert(missing <= 4, `${missing} people got no message`);
}

/** An Evaluation Trigger starts an execution, whose mode does not say that it is an evaluation. */
async function evaluation(rig: Rig): Promise<void> {
	const dataset = { source: 'dataTable', dataTableId: { __rl: true, mode: 'id', value: '' } };
	const start = make.node(START, 'n8n-nodes-base.evaluationTrigger', 4.7, dataset);
	const [phone] = people;
	const id = await rig.store([start, rig.action({ ...text, to: phone })]);
	const { client } = rig.n8n;
	const execution = await client.waitForExecution(await client.run(id, START));
	assert.deepEqual(rig.received, {}, `${execution.status}: something was sent`);
}

/** A published trigger starts an execution for what a customer writes, which answers. */
async function trigger(rig: Rig): Promise<void> {
	const more = { ...make.withCredential(rig.credential), webhookId: randomUUID() };
	const start = make.node(START, make.TRIGGER, 1.1, {}, more);
	const id = await rig.store([start, rig.action({ ...text, to: '={{ $json.from }}' })]);
	await rig.n8n.client.activate(id);
	const [from] = people;
	rig.sandbox.state.traffic.receive({ from, text: 'Hello' });
	await until('the answer', () => rig.received[from] === 1);
	await rig.n8n.client.deactivate(id);
	assert.deepEqual(rig.sandbox.state.webhooks.all, []);
}

/** Loop Over Items runs the node once for each person. */
async function loop(rig: Rig): Promise<void> {
	const start = make.node(START, 'n8n-nodes-base.manualTrigger', 1);
	const list = make.listNodes(JSON.stringify(people.map((phone) => ({ phone }))));
	const batches = make.node('Loop', 'n8n-nodes-base.splitInBatches', 3);
	const id = await rig.store([start, ...list, batches, rig.action(text)], {
		[START]: make.to(['List']),
		List: make.to(['Items']),
		Items: make.to(['Loop']),
		Loop: { main: [[], [{ node: NODE, type: 'main', index: 0 }]] },
		[NODE]: make.to(['Loop']),
	});
	const { status } = await rig.runStored(id);
	assert.equal(status, 'success');
	assert.deepEqual(rig.received, oneEach);
}

/** For each feature: the sentence that is written if it works, and the attempt, which throws if it does not. */
const attempts: Record<string, [works: string, attempt: (rig: Rig) => Promise<void>]> = {
	'Every operation but Send and Wait, one item fails': ['yes', everyOperation],
	'Stop on the first error': [
		'yes',
		async (rig) => {
			rig.sandbox.state.faults.add({ endpoint: 'sendText', skip: 1, status: 422 });
			const { status, error } = await rig.send({ options: { concurrency: 1 } });
			assert.equal(status, 'error');
			assert.match(String(error?.message), /\[item 1\]/);
		},
	],
	'*Retry On Fail*': [
		'no: the engine runs each node once',
		async (rig) => {
			rig.sandbox.state.faults.add({ endpoint: 'sendText', status: 422, count: 1 });
			const items = people.map((phone) => ({ phone }));
			const id = await rig.storeAction(items, text, { retryOnFail: true, maxTries: 2 });
			assert.equal((await rig.runStored(id)).status, 'error');
		},
	],
	Preview: [
		'yes: nothing is sent',
		async (rig) => {
			const { outputs } = await rig.send({ mode: 'preview' });
			assert.equal(outputs[0].length, 3);
			assert.deepEqual(rig.received, {});
		},
	],
	Evaluation: ['yes: nothing is sent', evaluation],
	'Send Once': [
		'yes: nobody gets a message twice',
		async (rig) => {
			const once = { sendOnce: true, campaign: randomUUID() };
			await rig.send(once);
			await rig.send(once);
			// Each workflow has a separate history.
			assert.deepEqual(Object.values(rig.received), [2, 2, 2]);
			const items = people.map((phone) => ({ phone }));
			const id = await rig.storeAction(items, { ...text, ...once });
			await rig.runStored(id);
			const { outputs } = await rig.runStored(id);
			assert.deepEqual(Object.values(rig.received), [3, 3, 3]);
			assert(outputs[0].every(({ json }) => json.skipped));
		},
	],
	'Send Once, n8n is killed during a campaign, which is run again': [
		'yes: nobody gets a message twice',
		killed,
	],
	'Frequency Cap': [
		'yes',
		async (rig) => {
			const audienceRules = { frequencyCap: { values: { messages: 1, days: 7 } } };
			const items = people.map((phone) => ({ phone }));
			const id = await rig.storeAction(items, { ...text, audienceRules });
			await rig.runStored(id);
			await rig.runStored(id);
			assert.deepEqual(rig.received, oneEach);
		},
	],
	'Send and Wait for Response': [
		'refused, before anything is sent: an execution cannot continue after a wait',
		async (rig) => {
			const [to] = people;
			const question = { resource: 'message', operation: 'sendAndWait', to, message: 'Well?' };
			const { error } = await rig.run({ items: [{}], parameters: question });
			assert.match(String(error?.message), /engine 2\.0/);
			assert.deepEqual(rig.received, {});
		},
	],
	'Loop Over Items': ['yes', loop],
	'Trigger: register, events, remove': ['yes', trigger],
};
