/** Runs whole workflows in n8n's engine. */
import { parse, stringify } from 'flatted';
import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import type {
	ExecutionStatus,
	IConnections,
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	INode,
	INodeExecutionData,
	IRun,
	IRunExecutionData,
	IWorkflowSettings,
	NodeExecutionHint,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { additionalDataFor } from './additionalData';
import { TestCredentialsHelper } from './credentials';
import { newRunData } from './engineParts';
import type { LoadedPackage } from './package';

/** A workflow as it is saved in n8n. */
export interface WorkflowDefinition {
	id: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
}

/** How a workflow is run. */
export interface ExecutionOptions {
	/** What the first node gets. */
	items?: INodeExecutionData[];
	/** Values of the credential that every node gets. */
	credentials?: ICredentialDataDecryptedObject;
	/** `trigger` by default, as for a workflow that is switched on; `manual` as in the editor. */
	mode?: WorkflowExecuteMode;
	/** n8n's own address, for those who call it back; by default one that nobody can reach. */
	baseUrl?: string;
	/** The Stop button: the execution is cancelled as soon as this is fulfilled. */
	cancelWhen?: Promise<unknown>;
}

/** The error with which an execution ended, as n8n stores it. */
export interface ExecutionError {
	name?: string;
	message: string;
	description?: string | null;
	httpCode?: string | null;
	context?: { itemIndex?: number; [key: string]: unknown };
	[key: string]: unknown;
}

let executions = 0;

/** What came out of an execution. */
export class Execution {
	constructor(
		readonly run: IRun,
		readonly definition: WorkflowDefinition,
		/** The execution's id; a retry has a new one. */
		readonly id: string,
	) {}

	/** `success`, `error`, `canceled` or `waiting`. Older engines leave `running` beside an error. */
	get status(): ExecutionStatus {
		return this.run.status === 'running' && this.error ? 'error' : this.run.status;
	}

	/** The error that stopped the execution. */
	get error(): ExecutionError | undefined {
		return this.run.data.resultData.error as ExecutionError | undefined;
	}

	/** Everything that went out of a node, one entry for each time it ran: its outputs, each a list of items. */
	roundsOf(node: string): INodeExecutionData[][][] {
		const runs = this.run.data.resultData.runData[node] ?? [];
		return runs.map(({ data }) => (data?.main ?? []).map((items) => items ?? []));
	}

	/** The outputs of a node's last run; none if it stopped with an error. */
	outputsOf(node: string): INodeExecutionData[][] {
		return this.roundsOf(node).at(-1) ?? [];
	}

	/** The hints that a node's last run shows. */
	hintsOf(node: string): NodeExecutionHint[] {
		return this.run.data.resultData.runData[node]?.at(-1)?.hints ?? [];
	}

	/** What a node has left in `getContext('node')`. */
	contextOf(node: string): Record<string, unknown> {
		return this.run.data.executionData?.contextData[`node:${node}`] ?? {};
	}
}

async function execute(
	loaded: LoadedPackage,
	definition: WorkflowDefinition,
	data: IRunExecutionData,
	{ credentials = {}, mode = 'trigger', baseUrl, cancelWhen }: ExecutionOptions,
): Promise<Execution> {
	const id = String(++executions);
	const workflow = new Workflow({
		...definition,
		name: definition.id,
		active: true,
		nodeTypes: loaded.nodeTypes,
		settings: { executionOrder: 'v1', ...definition.settings },
	});
	const now = new Date();
	const workflowData = {
		...definition,
		name: definition.id,
		active: true,
		isArchived: false,
		activeVersionId: null,
		createdAt: now,
		updatedAt: now,
	};
	const helper: ICredentialsHelper = new TestCredentialsHelper(loaded, credentials);
	const hooks = new ExecutionLifecycleHooks(mode, id, workflowData);

	const additionalData = { ...additionalDataFor(helper, baseUrl), hooks, executionId: id };
	const running = new WorkflowExecute(additionalData, mode, data).processRunExecutionData(workflow);
	void cancelWhen?.then(() => running.cancel());
	return new Execution(await running, definition, id);
}

/** Runs a workflow from its first node on. */
export async function runWorkflow(
	loaded: LoadedPackage,
	definition: WorkflowDefinition,
	options: ExecutionOptions,
): Promise<Execution> {
	const [node] = definition.nodes;
	const main = [options.items ?? [{ json: {} }]];
	const data = newRunData([{ node, data: { main }, source: null }]);
	return await execute(loaded, structuredClone(definition), data, options);
}

/**
 * The Retry button of an execution that has failed or was stopped: goes on at the node where it stopped, with the data
 * that went through n8n's database in between. Source: ExecutionService of n8n's cli.
 */
export async function retryExecution(
	loaded: LoadedPackage,
	{ run, definition }: Execution,
	options: ExecutionOptions,
): Promise<Execution> {
	const data = parse(stringify(run.data)) as IRunExecutionData;
	const { lastNodeExecuted, runData } = data.resultData;
	delete data.resultData.error;
	const lastRuns = lastNodeExecuted ? runData[lastNodeExecuted] : undefined;
	if (lastRuns?.at(-1)?.error !== undefined) lastRuns.pop();
	return await execute(loaded, definition, data, { mode: 'retry', ...options });
}
