/** A real n8n beside a sandbox, for the end-to-end tests of one file. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import type { WorkflowFile } from '../../../playground/n8nClient';
import { openPlayground } from '../../../playground/playground';
import type { Playground } from '../../../playground/playground';

/** The name of the node under test in `workflowOf`, and of the trigger to start it with. */
export const tested = 'Business Messaging';
export const manualTrigger = 'Start';

/** Starts both before the tests of a file and stops them afterwards. */
export function useN8n(): { playground: Playground } {
	const holder = {} as { playground: Playground };
	let folder: string;
	beforeAll(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-e2e-'));
		holder.playground = await openPlayground({ folder });
	}, 15 * 60_000);
	afterAll(async () => {
		await holder.playground?.close();
		await rm(folder, { recursive: true, force: true });
	}, 60_000);
	return holder;
}

interface NodeSettings {
	[setting: string]: unknown;
}

/** A workflow that runs the action node on the given items, with a manual trigger before it. */
export function workflowOf(
	{ credential }: Playground,
	items: object[],
	parameters: INodeParameters,
	settings: NodeSettings = {},
): WorkflowFile {
	const at = (x: number): [number, number] => [x, 0];
	const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
	const list = { assignments: { assignments: [{ id: '1', name: 'people', type: 'array', value: JSON.stringify(items) }] }, options: {} };
	return {
		name: `Test ${Math.random().toString(36).slice(2)}`,
		nodes: [
			{ id: '1', name: manualTrigger, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, position: at(0), parameters: {} },
			{ id: '2', name: 'List', type: 'n8n-nodes-base.set', typeVersion: 3.4, position: at(200), parameters: list },
			{ id: '3', name: 'Items', type: 'n8n-nodes-base.splitOut', typeVersion: 1, position: at(400), parameters: { fieldToSplitOut: 'people', options: {} } },
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
