/** A real n8n beside a sandbox, for the end-to-end tests of one file. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import type { INode, INodeParameters } from 'n8n-workflow';

import { outputOf } from '../../../tools/n8n/client';
import type { N8nClient, WorkflowFile } from '../../../tools/n8n/client';
import { openPlayground } from '../../../tools/playground';
import type { Playground } from '../../../tools/playground';
import type { Sandbox } from '../../../sandbox';
import { faultSchema } from '../../../sandbox/faults';
import type { FaultOrder } from '../../../sandbox/faults';
import type { Runner, RunnerOptions, RunnerResult } from '../../support/everyOperation';

/** The name of the node under test in `workflowOf`, and of the trigger to start it with. */
export const tested = 'Business Messaging';
export const manualTrigger = 'Start';

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

	async fault(order: FaultOrder): Promise<void> {
		this.sandbox.state.faults.add(faultSchema.parse(order));
	}
}

/** Starts both before the tests of a file, without limits of rate, and stops them afterwards. */
export function useN8n(): RealN8n {
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
	const at = (x: number): [number, number] => [x, 0];
	const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
	const list = {
		assignments: {
			assignments: [{ id: '1', name: 'people', type: 'array', value: JSON.stringify(items) }],
		},
		options: {},
	};
	return {
		name: `Test ${Math.random().toString(36).slice(2)}`,
		nodes: [
			{
				id: '1',
				name: manualTrigger,
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: at(0),
				parameters: {},
			},
			{
				id: '2',
				name: 'List',
				type: 'n8n-nodes-base.set',
				typeVersion: 3.4,
				position: at(200),
				parameters: list,
			},
			{
				id: '3',
				name: 'Items',
				type: 'n8n-nodes-base.splitOut',
				typeVersion: 1,
				position: at(400),
				parameters: { fieldToSplitOut: 'people', options: {} },
			},
			{
				id: '4',
				name: tested,
				type: 'n8n-nodes-business-messaging.businessMessaging',
				typeVersion: 1,
				position: at(600),
				parameters,
				credentials: { businessMessagingApi: credential },
				...settings,
			},
		],
		connections: { [manualTrigger]: to('List'), List: to('Items'), Items: to(tested) },
		settings: { executionOrder: 'v1', saveManualExecutions: true },
	};
}
