/** A real n8n beside a sandbox, for the end-to-end tests of one file. */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { INode, INodeParameters } from 'n8n-workflow';
import {
	outputOf,
	type N8nClient,
	type WorkflowFile,
	type Execution,
	hasEnded,
} from './n8n/client';
import { readExample } from './examples';
import { PROJECT_FOLDER, packFolder } from './n8n/packProject';
import { ACTION, listNodes, node, workflow, TRIGGER } from './n8n/workflow';
import { openPlayground, type Playground } from './playground';
import type { Sandbox } from '../sandbox';
import type { Message } from '../sandbox/state/messages';
import type { FaultOrder } from '../sandbox/faults';
import type { Runner, RunnerOptions, RunnerResult } from './engine/everyOperation';
import { until } from './until';
import type { Delivery } from '../sandbox/deliveries';

const MOVED_CLOCK = path.join(PROJECT_FOLDER, 'harness', 'n8n', 'movedClock.cjs');

/** The name of the node under test in `workflowOf`, and of the trigger that starts its workflow. */
export const tested = 'Business Messaging';
export const manualTrigger = 'Start';
/** The name of the trigger in `triggerFile`, and in the examples that reply to customers. */
export const trigger = 'When a customer writes';
/** The name of the manual trigger in the examples. */
export const clicked = 'When clicking ‘Execute workflow’';

/** By the names of the nodes. */
type Changes = Record<string, (node: INode) => void>;

/** Changes some parameters of a node. */
export const withParameters = (parameters: INodeParameters) => (one: INode) => {
	Object.assign(one.parameters, parameters);
};

/** Fills in fields of an Edit Fields node. */
export const withFields = (values: Record<string, string>) => (one: INode) => {
	const { assignments } = one.parameters.assignments as {
		assignments: Array<{ name: string; value: unknown }>;
	};
	for (const field of assignments) field.value = values[field.name] ?? field.value;
};

/** A real n8n and a sandbox, as tests use them. */
export class RealN8n implements Runner {
	playground!: Playground;
	folder!: string;
	movedMs = 0;

	/** The file that says by how many ms n8n's clock is ahead, see harness/n8n/movedClock.cjs. */
	get clockFile(): string {
		return path.join(this.folder, 'clock');
	}

	get client(): N8nClient {
		return this.playground.n8n.client;
	}

	/** The sandbox. A reset replaces its `state`. */
	get sandbox(): Sandbox {
		return this.playground.sandbox;
	}

	/** The messages that were sent to customers, oldest first. */
	get outbound(): Message[] {
		return this.sandbox.state.messages.all.filter(({ direction }) => direction === 'outbound');
	}

	write(from: string, text: string, quotes?: string): { message: Message; deliveries: Delivery[] } {
		return this.sandbox.state.traffic.receive({ from, text, quotes });
	}

	async fault(order: FaultOrder): Promise<void> {
		this.sandbox.state.faults.add(order);
	}

	/** Runs the action node on items, as the editor's Execute button does. */
	async run({ parameters, items, onError }: RunnerOptions): Promise<RunnerResult> {
		const file = workflowOf(this.playground, items, parameters, { onError });
		const execution = await this.client.waitForExecution(await this.start(file));
		const { error } = execution.data.resultData;
		const outputs = [0, 1].map((output) => outputOf(execution, tested, output));
		return { status: execution.status, error: error && { ...error }, outputs };
	}

	/** Stores a workflow and runs it with a click. Returns the execution's ID. */
	async start(file: WorkflowFile, at = manualTrigger): Promise<string> {
		const { id } = await this.client.createWorkflow(file);
		return await this.client.run(id, at);
	}

	/** Runs a stored workflow with a click. @throws Error if the execution does not succeed */
	async runToEnd(id: string, at = clicked): Promise<Execution> {
		const execution = await this.client.waitForExecution(await this.client.run(id, at), 180_000);
		expect(execution.data.resultData.error?.message).toBeUndefined();
		return execution;
	}

	async untilWaiting(executionId: string): Promise<void> {
		const isWaiting = async () =>
			(await this.client.getExecution(executionId)).status === 'waiting';
		await until(`execution ${executionId} to wait`, isWaiting, { limit: 180_000 });
	}

	/** Asks people, and returns when n8n waits for their replies. @returns the execution's ID */
	async ask(people: string[], more: INodeParameters = {}, next: INode[] = []): Promise<string> {
		const question = {
			...{ resource: 'message', operation: 'sendAndWait', to: '={{ $json.phone }}' },
			...{ message: 'Would Tuesday suit you?', limitWaitTime: 60, waitTimeUnit: 'minutes' },
		};
		const items = people.map((phone) => ({ phone }));
		const file = workflowOf(this.playground, items, { ...question, ...more }, {}, next);
		const id = await this.start(file);
		await this.untilWaiting(id);
		return id;
	}

	/** The texts of the replies with which an execution continues; null for each person without a reply. */
	async replies(executionId: string): Promise<unknown[]> {
		const execution = await this.client.waitForExecution(executionId, 120_000);
		return outputOf(execution, tested).map(({ json }) => json.text ?? null);
	}

	/** An example, whose executions are stored in the tests' n8n. @throws Error if it has no node of a given name */
	example(name: string, changes: Changes = {}): WorkflowFile {
		const file = readExample(name, this.playground.credential);
		for (const [wanted, change] of Object.entries(changes)) {
			const found = file.nodes.find((candidate) => candidate.name === wanted);
			if (!found) throw new Error(`There is no node "${wanted}".`);
			change(found);
		}
		return { ...file, settings: { ...file.settings, saveManualExecutions: true } };
	}

	/** A workflow with only the trigger, which has a unique URL. */
	triggerFile(parameters: INodeParameters = {}): WorkflowFile {
		const credentials = { businessMessagingApi: this.playground.credential };
		const more = { credentials, webhookId: randomUUID() };
		return workflow('Trigger', [node(trigger, TRIGGER, 1.1, parameters, more)]);
	}

	async publish(file = this.triggerFile()): Promise<string> {
		const { id } = await this.client.createWorkflow(file);
		await this.client.activate(id);
		return id;
	}

	/** Publishes the trigger that keeps the replies of Send and Wait. */
	async publishInbox(): Promise<string> {
		return await this.publish(this.triggerFile({ keepReplies: true }));
	}

	async unpublishAll(): Promise<void> {
		for (const { id, active } of await this.client.listWorkflows())
			if (active) await this.client.deactivate(id);
	}

	/** Moves n8n's clock forward. Executions that were to continue by then continue within a minute. */
	async moveClock(ms: number): Promise<void> {
		this.movedMs += ms;
		await writeFile(this.clockFile, String(this.movedMs));
	}

	async restart(): Promise<void> {
		await this.playground.n8n.stop();
		await this.playground.n8n.start();
	}

	async crash(): Promise<void> {
		await this.playground.n8n.kill();
		await this.playground.n8n.start();
	}

	async untilDelivered(deliveries: Delivery[]): Promise<void> {
		const areDelivered = () => deliveries.every(({ state }) => state === 'delivered');
		await until('n8n to answer the deliveries', areDelivered, { limit: 180_000 });
	}

	/** Oldest first. Waits until there are as many as expected, and all have ended. */
	async executions(workflowId: string, count: number): Promise<Execution[]> {
		const ended = async () => {
			const found = await this.client.listAllExecutions(workflowId);
			return found.length >= count && found.every(hasEnded) && found.reverse();
		};
		const list = await until(`${count} executions`, ended);
		return await Promise.all(list.map(async ({ id }) => await this.client.getExecution(id)));
	}
}

/**
 * Starts n8n and the sandbox, without a rate limit, for the tests of a file. Before each test, unpublishes all
 * workflows and empties the sandbox. `pack` gives the tarball of the nodes; by default the present ones.
 */
export function useN8n(pack = packed): RealN8n {
	jest.setTimeout(15 * 60_000); // n8n needs time to be installed, to start and to run
	const n8n = new RealN8n();
	beforeAll(async () => {
		n8n.folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-e2e-'));
		const unlimited = {
			sandbox: { requestsPerWindow: 0 },
			credential: { requestsPerMinute: 100_000 },
		};
		const env = { NODE_OPTIONS: `--require=${MOVED_CLOCK}`, CLOCK_FILE: n8n.clockFile };
		const { folder } = n8n;
		n8n.playground = await openPlayground({ folder, env, tarball: await pack(), ...unlimited });
	}, 15 * 60_000);
	beforeEach(async () => {
		await n8n.unpublishAll();
		n8n.sandbox.reset();
	}, 180_000);
	afterAll(async () => {
		await n8n.playground?.close();
		await rm(n8n.folder, { recursive: true, force: true });
	}, 60_000);
	return n8n;
}

/** The tarball of the nodes, packed once for all test files. */
export async function packed(): Promise<string> {
	const folder = String(process.env.TEST_TEMP_FOLDER);
	const known = readdirSync(folder).find((name) => name.endsWith('.tgz'));
	return known ? path.join(folder, known) : await packFolder(PROJECT_FOLDER, folder);
}

/** A workflow that runs the action node on the given items, with a manual trigger before it. */
export function workflowOf(
	{ credential }: Playground,
	items: object[],
	parameters: INodeParameters,
	settings: Partial<INode> = {},
	next: INode[] = [],
): WorkflowFile {
	const credentials = { businessMessagingApi: credential };
	return workflow(`Test ${randomUUID()}`, [
		node(manualTrigger, 'n8n-nodes-base.manualTrigger', 1),
		...listNodes(JSON.stringify(items)),
		node(tested, ACTION, 1, parameters, { credentials, ...settings }),
		...next,
	]);
}
