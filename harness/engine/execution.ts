/** Executions of one node of the package, between a start node and nothing else. Most tests need only this. */
import { parse, stringify } from 'flatted';
import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import type {
	ExecutionStatus,
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	IRun,
	IRunExecutionData,
	WorkflowExecuteMode,
	NodeExecutionHint,
} from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import { type LoadedPackage, additionalDataFor } from './loadPackage';

/** How a node is run. */
export interface RunOptions extends Pick<INode, 'onError' | 'retryOnFail' | 'maxTries'> {
	parameters?: INodeParameters;
	/** Items, or just their JSON; by default one empty item. */
	items?: Array<INodeExecutionData | IDataObject>;
	/** Values of the credential, which every node gets. */
	credentials?: ICredentialDataDecryptedObject;
	/** Further settings of the node, e.g. `typeVersion`. */
	settings?: Partial<INode>;
	/** Runs the node in a loop, as n8n's Loop Over Items does, with batches of this size. */
	batchSize?: number;
	/** Executions of workflows with different IDs share the data tables of the project. */
	workflowId?: string;
	/** The mode in which n8n runs the workflow, e.g. an evaluation. */
	mode?: WorkflowExecuteMode;
	/** The ID of the evaluation to which the execution belongs. n8n also gives it to sub-workflows. */
	evaluationRunId?: string;
	/** The ID of the execution; by default a number that was not used before. */
	executionId?: string;
	/** The time zone in the settings of the workflow; by default n8n's own. */
	timezone?: string;
	/** n8n's own address, for services that call n8n; by default an address that nobody can reach. */
	baseUrl?: string;
	/** The Stop button: the execution is cancelled as soon as this promise is fulfilled. */
	cancelWhen?: Promise<unknown>;
}

/** The error with which an execution ended, as n8n stores it. */
export interface ExecutionError {
	message: string;
	description?: string | null;
	context?: { itemIndex?: number; [key: string]: unknown };
	[key: string]: unknown;
}

/** An execution, from the view of the tested node. */
export interface RunResult {
	/** `success`, `error`, `canceled` or `waiting`. */
	status: ExecutionStatus;
	error?: ExecutionError;
	/** The outputs of the node's last run; with `continueErrorOutput` the second one is the error output. */
	outputs: INodeExecutionData[][];
	/** The outputs of each run of the node: more than one in a loop. */
	rounds: INodeExecutionData[][][];
	hints: NodeExecutionHint[];
	/** What the node has stored in `getContext('node')`. */
	context: Record<string, unknown>;
	/** Everything that n8n stores of the execution. */
	run: IRun;
	workflow: WorkflowDefinition;
	/** The ID of the execution; a retry has a new one. */
	id: string;
}

type WorkflowDefinition = Pick<n8nWorkflow.IWorkflowBase, 'id' | 'nodes' | 'connections'>;

/** The name of the tested node in its workflow. */
export const testedNode = 'Tested Node';

const links = (node: string, ...outputs: string[][]) => ({
	[node]: {
		main: outputs.map((targets) =>
			targets.map((target) => ({ node: target, type: 'main' as const, index: 0 })),
		),
	},
});

/** A workflow with the tested node, in a loop if there is a batch size. */
export function workflowFor(tested: INode, { batchSize, workflowId: id = 'workflow' }: RunOptions) {
	const place = { typeVersion: 1, position: [0, 0] as [number, number] };
	const start = { ...place, id: 'Start', name: 'Start', type: 'test.start', parameters: {} };
	if (batchSize === undefined)
		return { id, nodes: [start, tested], connections: links('Start', [testedNode]) };
	const batches = { ...start, id: 'Batches', name: 'Batches', type: 'test.batches' };
	return {
		id,
		nodes: [start, { ...batches, parameters: { batchSize } }, tested],
		connections: {
			...links('Start', ['Batches']),
			...links('Batches', [], [testedNode]),
			...links(testedNode, ['Batches']),
		},
	};
}

/** Not available in older engines: see `npm run test:compat`. */
const { createRunExecutionData }: Partial<Pick<typeof n8nWorkflow, 'createRunExecutionData'>> =
	n8nWorkflow;

function newRunData(node: INode, items: INodeExecutionData[]): IRunExecutionData {
	const nodeExecutionStack = [{ node, data: { main: [items] }, source: null }];
	if (createRunExecutionData)
		return createRunExecutionData({ executionData: { nodeExecutionStack } });
	const empty = { contextData: {}, metadata: {}, waitingExecution: {}, waitingExecutionSource: {} };
	return {
		startData: {},
		resultData: { runData: {} },
		executionData: { ...empty, nodeExecutionStack },
	} as unknown as IRunExecutionData;
}

let executions = 0;

async function execute(
	loaded: LoadedPackage,
	definition: WorkflowDefinition,
	data: IRunExecutionData,
	usualMode: 'trigger' | 'retry',
	options: RunOptions,
): Promise<RunResult> {
	const { credentials, baseUrl, cancelWhen, evaluationRunId, executionId, timezone } = options;
	const { mode = usualMode } = options;
	const id = executionId ?? String(++executions);
	const saved = { ...definition, name: definition.id, active: true };
	const workflow = new n8nWorkflow.Workflow({
		...saved,
		nodeTypes: loaded.nodeTypes,
		settings: { executionOrder: 'v1', ...(timezone && { timezone }) },
	});
	const hooks = new ExecutionLifecycleHooks(mode, id, saved as n8nWorkflow.IWorkflowBase);
	const additionalData = {
		...additionalDataFor(loaded, credentials, baseUrl),
		hooks,
		executionId: id,
		evaluationRunId,
	};
	const running = new WorkflowExecute(additionalData, mode, data).processRunExecutionData(workflow);
	void cancelWhen?.then(() => running.cancel());
	return resultOf(await running, definition, id);
}

function resultOf(run: IRun, workflow: WorkflowDefinition, id: string): RunResult {
	const { resultData, executionData } = run.data;
	const isWhole = run.status === 'success' || run.status === 'waiting';
	const error = resultData.error as ExecutionError | undefined;
	const runs = resultData.runData[testedNode] ?? [];
	const rounds = runs.map(({ data }) => (data?.main ?? []).map((items) => items ?? []));
	return {
		// Older engines leave `running` as the status beside an error.
		status: run.status === 'running' && error ? 'error' : run.status,
		error,
		outputs: rounds.at(-1) ?? [],
		rounds,
		hints: runs.at(-1)?.hints ?? [],
		context: executionData?.contextData[`node:${testedNode}`] ?? {},
		// n8n stores the execution now. The node may still be working: what it writes from now on is lost.
		run: isWhole ? run : { ...run, data: parse(stringify(run.data)) as IRunExecutionData },
		workflow,
		id,
	};
}

const hasJson = (item: INodeExecutionData | IDataObject): item is INodeExecutionData =>
	typeof item.json === 'object' && item.json !== null;

/** Runs a workflow from its first node on. */
export async function runWorkflow(
	loaded: LoadedPackage,
	definition: WorkflowDefinition,
	options: RunOptions,
): Promise<RunResult> {
	const items = (options.items ?? [{}]).map((item) => (hasJson(item) ? item : { json: item }));
	const data = newRunData(definition.nodes[0], items);
	return await execute(loaded, structuredClone(definition), data, 'trigger', options);
}

/**
 * The Retry button: continues at the node where the execution stopped, with the data that n8n has stored. Source:
 * ExecutionService of n8n's cli.
 */
export async function retryExecution(
	loaded: LoadedPackage,
	{ run, workflow }: RunResult,
	options: RunOptions,
): Promise<RunResult> {
	const data = parse(stringify(run.data)) as IRunExecutionData;
	const { lastNodeExecuted, runData } = data.resultData;
	delete data.resultData.error;
	const lastRuns = lastNodeExecuted ? runData[lastNodeExecuted] : undefined;
	if (lastRuns?.at(-1)?.error !== undefined) lastRuns.pop();
	return await execute(loaded, workflow, data, 'retry', options);
}

/**
 * Continues a waiting execution with what the node's webhook has returned, as far as this node's output. Source:
 * WaitingWebhooks and webhook-helpers of n8n's cli.
 */
export async function resumeExecution(
	loaded: LoadedPackage,
	{ run, workflow, id: executionId }: RunResult,
	main: INodeExecutionData[][],
	options: RunOptions,
): Promise<RunResult> {
	const data = parse(stringify(run.data)) as IRunExecutionData;
	const [entry] = data.executionData!.nodeExecutionStack;
	entry.node.disabled = true;
	entry.data.main = main;
	// Older versions of n8n ignore this, and pass on the first output only.
	entry.metadata = { ...entry.metadata, forwardAllOutputs: true };
	data.waitTill = undefined;
	data.resultData.runData[data.resultData.lastNodeExecuted!].pop();
	const alone = { ...workflow, connections: {} };
	return await execute(loaded, alone, data, 'trigger', { ...options, executionId });
}
