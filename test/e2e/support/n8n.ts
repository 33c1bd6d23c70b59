/** A real n8n beside a sandbox, for the end-to-end tests of one file. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import type { INode, INodeParameters } from 'n8n-workflow';

import { outputOf } from '../../../tools/n8n/client';
import type { N8nClient, WorkflowFile } from '../../../tools/n8n/client';
import { readExample } from '../../../tools/examples';
import { ACTION, listNodes, node, workflow } from '../../../tools/n8n/workflow';
import { openPlayground } from '../../../tools/playground';
import type { Playground } from '../../../tools/playground';
import type { Sandbox } from '../../../sandbox';
import { faultSchema } from '../../../sandbox/faults';
import type { FaultOrder } from '../../../sandbox/faults';
import type { Runner, RunnerOptions, RunnerResult } from '../../support/everyOperation';

/** The name of the node under test in `workflowOf`, and of the trigger to start it with. */
export const tested = 'Business Messaging';
export const manualTrigger = 'Start';

/** Changes to nodes, by their names. */
type Changes = Record<string, (node: INode) => void>;

/** Gives a node other parameters. */
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

/** Both, as tests use them. */
export class RealN8n implements Runner {
	playground!: Playground;

	get client(): N8nClient {
		return this.playground.n8n.client;
	}

	/** A reset replaces its `state`. */
	get sandbox(): Sandbox {
		return this.playground.sandbox;
	}

	/** Runs the action node on items, as the editor's Execute button does. */
	async run({ parameters, items, onError }: RunnerOptions): Promise<RunnerResult> {
		const { id } = await this.client.createWorkflow(
			workflowOf(this.playground, items, parameters, { onError }),
		);
		const execution = await this.client.waitForExecution(await this.client.run(id, manualTrigger));
		const { error } = execution.data.resultData;
		const outputs = [0, 1].map((output) => outputOf(execution, tested, output));
		return { status: execution.status, error: error && { ...error }, outputs };
	}

	/** An example for the n8n of the tests, whose executions are kept. @throws Error if it has no node of a name */
	example(name: string, changes: Changes = {}): WorkflowFile {
		const file = readExample(name, this.playground.credential);
		for (const [wanted, change] of Object.entries(changes)) {
			const found = file.nodes.find((candidate) => candidate.name === wanted);
			if (!found) throw new Error(`There is no node "${wanted}".`);
			change(found);
		}
		return { ...file, settings: { ...file.settings, saveManualExecutions: true } };
	}

	async fault(order: FaultOrder): Promise<void> {
		this.sandbox.state.faults.add(faultSchema.parse(order));
	}
}

/** Starts both before the tests of a file, without limits of rate, and stops them afterwards. */
export function useN8n(): RealN8n {
	jest.setTimeout(15 * 60_000); // n8n takes its time: to be installed, to start, to run
	const n8n = new RealN8n();
	let folder: string;
	beforeAll(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-e2e-'));
		const unlimited = {
			sandbox: { requestsPerWindow: 0 },
			credential: { requestsPerMinute: 100_000 },
		};
		n8n.playground = await openPlayground({ folder, ...unlimited });
	}, 15 * 60_000);
	afterAll(async () => {
		await n8n.playground?.close();
		await rm(folder, { recursive: true, force: true });
	}, 60_000);
	return n8n;
}

/** A workflow that runs the action node on the given items, with a manual trigger before it. */
export function workflowOf(
	{ credential }: Playground,
	items: object[],
	parameters: INodeParameters,
	settings: Partial<INode> = {},
): WorkflowFile {
	const credentials = { businessMessagingApi: credential };
	return workflow(`Test ${randomUUID()}`, [
		node(manualTrigger, 'n8n-nodes-base.manualTrigger', 1),
		...listNodes(JSON.stringify(items)),
		node(tested, ACTION, 1, parameters, { credentials, ...settings }),
	]);
}
