/** Runs the built nodes in n8n's real engine, without a server and without a database. */
import { difference, map, pick } from 'lodash';
import { DataDeduplicationService } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeTypeDescription,
	NodeExecutionHint,
} from 'n8n-workflow';

import { testCredential } from './credentials';
import type { CredentialTestResult } from './credentials';
import { MemoryDeduplicator } from './deduplicator';
import { Editor } from './editor';
import type { EditorOptions } from './editor';
import { retryExecution, runWorkflow } from './execution';
import type { Execution, ExecutionOptions, WorkflowDefinition } from './execution';
import { loadPackage, newestVersion } from './package';
import type { LoadedPackage } from './package';
import { Trigger } from './trigger';
import type { TriggerOptions } from './trigger';
import { WaitingExecution } from './waiting';
import { WebhookServer } from './webhookServer';

/** One node between a start and nothing: what most tests need. */
export interface RunOptions extends Omit<ExecutionOptions, 'items'> {
	/** The node type without the package, by default the first one that is no trigger. */
	node?: string;
	parameters?: INodeParameters;
	/** Items, or just their JSON; by default one empty item. */
	items?: Array<INodeExecutionData | IDataObject>;
	onError?: INode['onError'];
	retryOnFail?: boolean;
	maxTries?: number;
	/** Further settings of the node, e.g. `executeOnce`. */
	settings?: Partial<INode>;
	/** Runs the node in a loop, as n8n's Loop Over Items does, with batches of this size. */
	batchSize?: number;
	/** Workflows with different ids have different memories in `checkProcessedAndRecord`. */
	workflowId?: string;
}

/** An execution, seen from the node that was to be tested. */
export interface RunResult {
	status: Execution['status'];
	error: Execution['error'];
	/** The outputs of the node's last run; with `continueErrorOutput` the second one is the error output. */
	outputs: INodeExecutionData[][];
	/** The outputs of each run of the node: more than one in a loop. */
	rounds: INodeExecutionData[][][];
	hints: NodeExecutionHint[];
	/** What the node has left in `getContext('node')`. */
	context: Record<string, unknown>;
	execution: Execution;
}

/** Name of the tested node in the workflows that `run` makes. */
const testedNode = 'Tested Node';

const main = (node: string, ...outputs: string[][]) => ({
	[node]: {
		main: outputs.map((targets) =>
			targets.map((target) => ({ node: target, type: 'main' as const, index: 0 })),
		),
	},
});

const hasJson = (item: INodeExecutionData | IDataObject): item is INodeExecutionData =>
	typeof item.json === 'object' && item.json !== null;

function resultOf(execution: Execution): RunResult {
	const { status, error } = execution;
	return {
		status,
		error,
		outputs: execution.outputsOf(testedNode),
		rounds: execution.roundsOf(testedNode),
		hints: execution.hintsOf(testedNode),
		context: execution.contextOf(testedNode),
		execution,
	};
}

const deduplicator = new MemoryDeduplicator();
let ready: Promise<void> | undefined;

/** n8n with one package installed. */
export class Engine {
	/** What n8n would keep in its database for `checkProcessedAndRecord`; outlives executions until `reset()`. */
	readonly processed = deduplicator;

	private readonly server = new WebhookServer();

	private readonly triggers: Trigger[] = [];

	constructor(readonly loaded: LoadedPackage) {}

	/** The description of a node, as the editor gets it. */
	description(node: string): INodeTypeDescription {
		return this.loaded.node(node).description;
	}

	/** Makes a node of the package for a workflow definition. */
	makeNode(
		name: string,
		type: string,
		parameters: INodeParameters = {},
		settings: Partial<INode> = {},
	): INode {
		const { credentials = [], version, properties } = this.description(type);
		const unknown = difference(Object.keys(parameters), map(properties, 'name'));
		if (unknown.length > 0) throw new Error(`${type} has no parameter ${unknown.join(', ')}`);
		return {
			id: `id of ${name}`,
			name,
			type: `${this.loaded.name}.${type}`,
			typeVersion: newestVersion({ version } as INodeTypeDescription),
			position: [0, 0],
			parameters,
			credentials: Object.fromEntries(
				credentials.map((credential) => [credential.name, { id: '1', name: 'Test' }]),
			),
			...settings,
		};
	}

	/** Runs one node on the given items. */
	async run(options: RunOptions): Promise<RunResult> {
		const items = (options.items ?? [{}]).map((item) => (hasJson(item) ? item : { json: item }));
		return resultOf(
			await runWorkflow(this.loaded, this.workflowFor(options), { ...options, items }),
		);
	}

	/** Runs one node that has to wait then; what is delivered to the execution is taken over HTTP. */
	async runUntilWaiting(options: RunOptions): Promise<WaitingExecution> {
		await this.server.start();
		const { status, error, execution } = await this.run({ baseUrl: this.server.url, ...options });
		if (status !== 'waiting')
			throw new Error(`The execution does not wait, but ended: ${status} ${error?.message ?? ''}`);
		return new WaitingExecution(this.loaded, this.server, execution, options.credentials ?? {});
	}

	/** Presses Retry on a failed or stopped run; give the credentials again. */
	async retry(run: RunResult, options: ExecutionOptions = {}): Promise<RunResult> {
		return resultOf(await retryExecution(this.loaded, run.execution, options));
	}

	/** A trigger node in a workflow, with an address of its own; `close` the engine at the end. */
	async trigger(options: TriggerOptions): Promise<Trigger> {
		await this.server.start();
		const type = options.node ?? this.loaded.nodeNames.find((name) => this.isTrigger(name)) ?? '';
		const node = this.makeNode('Trigger', type, options.parameters, {
			webhookId: options.webhookId ?? 'webhook-id',
			...pick(options, 'name', 'typeVersion'),
		});
		const trigger = new Trigger(this.loaded, this.server, node, options);
		this.triggers.push(trigger);
		return trigger;
	}

	/** The pickers and mapped forms of a node, as the editor calls them. */
	editor(options: EditorOptions): Editor {
		const node = this.makeNode('Temp-Node', options.node ?? this.firstAction(), options.parameters);
		return new Editor(this.loaded, node, options.credentials);
	}

	/** Presses Test in the credential's dialogue. */
	async testCredential(values: ICredentialDataDecryptedObject): Promise<CredentialTestResult> {
		const [type] = this.loaded.credentialNames;
		return await testCredential(this.loaded, type, values);
	}

	/** Lets tests on test URLs end and stops listening for webhooks. */
	async close(): Promise<void> {
		await Promise.allSettled(this.triggers.map(async ({ testEnded }) => await testEnded));
		await this.server.stop();
	}

	private isTrigger(name: string): boolean {
		return this.description(name).group.includes('trigger');
	}

	private firstAction(): string {
		return this.loaded.nodeNames.find((name) => !this.isTrigger(name)) ?? '';
	}

	private workflowFor(options: RunOptions): WorkflowDefinition {
		const { onError, retryOnFail, maxTries, settings, batchSize } = options;
		const { node = this.firstAction(), parameters, workflowId = 'workflow' } = options;
		const tested = this.makeNode(testedNode, node, parameters, {
			...(onError && { onError }),
			...(retryOnFail && { retryOnFail, maxTries, waitBetweenTries: 1 }), // 0 would mean n8n's default of a second
			...settings,
		});
		const helper = (name: string, type: string, own: INodeParameters = {}): INode => {
			const position: [number, number] = [0, 0];
			return { id: name, name, type, typeVersion: 1, position, parameters: own };
		};
		const start = helper('Start', 'test.start');
		if (batchSize === undefined)
			return { id: workflowId, nodes: [start, tested], connections: main('Start', [testedNode]) };
		return {
			id: workflowId,
			nodes: [start, helper('Batches', 'test.batches', { batchSize }), tested],
			connections: {
				...main('Start', ['Batches']),
				...main('Batches', [], [testedNode]),
				...main(testedNode, ['Batches']),
			},
		};
	}
}

/**
 * Loads the built package into n8n's engine.
 *
 * @param directory the folder with its package.json, by default this project's
 */
export async function loadEngine(directory?: string): Promise<Engine> {
	ready ??= DataDeduplicationService.init(deduplicator);
	await ready;
	return new Engine(await loadPackage(directory));
}
