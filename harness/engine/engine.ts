/** The built nodes in n8n's real engine, without a server and without a database. */
import { difference, map, pick } from 'lodash';
import { LoadOptionsContext } from 'n8n-core';
import {
	type ICredentialDataDecryptedObject,
	type INode,
	type INodeParameters,
	Workflow,
} from 'n8n-workflow';
import {
	type RunOptions,
	type RunResult,
	retryExecution,
	runWorkflow,
	testedNode,
	workflowFor,
} from './execution';
import {
	type LoadedPackage,
	additionalDataFor,
	dataTables,
	loadPackage,
	testCredential,
} from './loadPackage';
import { Trigger, type TriggerOptions } from './trigger';
import { WaitingExecution, WebhookServer } from './webhooks';

const action = 'businessMessaging';

/** n8n with the package installed. */
export class Engine {
	/** The data tables of the project. They stay between executions, until `reset()`. */
	readonly tables = dataTables;

	private readonly server = new WebhookServer();

	private readonly triggers: Trigger[] = [];

	constructor(readonly loaded: LoadedPackage) {}

	async run(options: RunOptions): Promise<RunResult> {
		const tested = this.makeNode(testedNode, action, options.parameters, {
			...pick(options, 'onError', 'retryOnFail', 'maxTries'),
			waitBetweenTries: 1, // 0 would mean n8n's default of one second
			...options.settings,
		});
		return await runWorkflow(this.loaded, workflowFor(tested, options), options);
	}

	/** Runs the action node, which must end by waiting. The waiting execution then accepts deliveries over HTTP. */
	async runUntilWaiting(options: RunOptions): Promise<WaitingExecution> {
		await this.server.start();
		const run = await this.run({ baseUrl: this.server.url, ...options });
		if (run.status !== 'waiting')
			throw new Error(
				`The execution does not wait, but ended: ${run.status} ${run.error?.message}`,
			);
		return new WaitingExecution(this.loaded, this.server, run, options.credentials ?? {});
	}

	/** Presses Retry on a failed or stopped run. The credentials must be given again. */
	async retry(run: RunResult, options: RunOptions = {}): Promise<RunResult> {
		return await retryExecution(this.loaded, run, options);
	}

	/** A trigger node in a workflow, with a unique URL. `close` the engine at the end. */
	async trigger(options: TriggerOptions): Promise<Trigger> {
		await this.server.start();
		const node = this.makeNode('Trigger', 'businessMessagingTrigger', options.parameters, {
			webhookId: options.webhookId ?? 'webhook-id',
			...pick(options, 'name', 'typeVersion'),
			...(options.beside && { id: 'id of the trigger beside it' }),
		});
		const trigger = new Trigger(this.loaded, this.server, node, options);
		this.triggers.push(trigger);
		return trigger;
	}

	/**
	 * The action node in the editor: searchable lists with typed text and page token, and mapped forms. Source:
	 * DynamicNodeParametersService of n8n's cli.
	 */
	editor({ parameters, credentials }: Pick<RunOptions, 'parameters' | 'credentials'>) {
		const { nodeTypes } = this.loaded;
		const { listSearch = {}, resourceMapping = {} } = this.loaded.node(action).methods!;
		const nodes = [this.makeNode('Temp-Node', action, parameters)];
		const contextOf = () => {
			const workflow = new Workflow({ nodes, connections: {}, active: false, nodeTypes });
			const additionalData = additionalDataFor(this.loaded, credentials);
			// The editor sends what is filled in, without defaults.
			additionalData.currentNodeParameters = nodes[0].parameters;
			const [node] = Object.values(workflow.nodes);
			return new LoadOptionsContext(workflow, node, additionalData, 'parameters');
		};
		return {
			listSearch: async (method: string, filter?: string, paginationToken?: string) =>
				await listSearch[method].call(contextOf(), filter, paginationToken),
			resourceMapping: async (method: string) => await resourceMapping[method].call(contextOf()),
		};
	}

	async testCredential(values: ICredentialDataDecryptedObject) {
		return await testCredential(this.loaded, values);
	}

	/** Waits until tests on test URLs have ended, and stops listening for webhooks. */
	async close(): Promise<void> {
		await Promise.allSettled(this.triggers.map(async ({ testEnded }) => await testEnded));
		await this.server.stop();
	}

	/** A node of the package, of its newest version. */
	private makeNode(
		name: string,
		type: string,
		parameters: INodeParameters = {},
		settings: Partial<INode> = {},
	): INode {
		const { credentials = [], version, properties } = this.loaded.node(type).description;
		const unknown = difference(Object.keys(parameters), map(properties, 'name'));
		if (unknown.length > 0) throw new Error(`${type} has no parameter ${unknown.join(', ')}`);
		return {
			id: `id of ${name}`,
			name,
			type: `${this.loaded.name}.${type}`,
			typeVersion: Math.max(...[version].flat()),
			position: [0, 0],
			parameters,
			credentials: Object.fromEntries(
				credentials.map((credential) => [credential.name, { id: '1', name: 'Test' }]),
			),
			...settings,
		};
	}
}

/** Loads the built package into n8n's engine. */
export async function loadEngine(): Promise<Engine> {
	return new Engine(await loadPackage());
}
