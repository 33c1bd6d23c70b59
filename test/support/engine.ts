/** The built nodes in n8n's real engine, without a server and without a database. */
import { difference, map, pick } from 'lodash';
import { DataDeduplicationService, LoadOptionsContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	INode,
	INodeListSearchResult,
	INodeParameters,
	ResourceMapperFields,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { additionalDataFor, testCredential } from './cli';
import { MemoryDeduplicator } from './deduplicator';
import type { RunOptions, RunResult } from './execution';
import { retryExecution, runWorkflow, testedNode, workflowFor } from './execution';
import type { LoadedPackage } from './package';
import { loadPackage } from './package';
import { Trigger } from './trigger';
import type { TriggerOptions } from './trigger';
import { WaitingExecution, WebhookServer } from './webhooks';

const action = 'businessMessaging';

/** The action node open in n8n's editor. Source: DynamicNodeParametersService of n8n's cli. */
class Editor {
	constructor(
		private readonly loaded: LoadedPackage,
		private readonly node: INode,
		private readonly credentials: ICredentialDataDecryptedObject,
	) {}

	/** Opens a searchable list. `filter` is what was typed, `paginationToken` what the page before has returned. */
	async listSearch(
		method: string,
		filter?: string,
		paginationToken?: string,
	): Promise<INodeListSearchResult> {
		const search = this.loaded.node(action).methods!.listSearch![method];
		return await search.call(this.context(), filter, paginationToken);
	}

	/** Loads the fields of a mapped form. */
	async resourceMapping(method: string): Promise<ResourceMapperFields> {
		return await this.loaded.node(action).methods!.resourceMapping![method].call(this.context());
	}

	private context(): LoadOptionsContext {
		const { nodeTypes } = this.loaded;
		const workflow = new Workflow({
			nodes: [this.node],
			connections: {},
			active: false,
			nodeTypes,
		});
		const additionalData = additionalDataFor(this.loaded, this.credentials);
		// The editor sends what is filled in, without defaults.
		additionalData.currentNodeParameters = this.node.parameters;
		const [node] = Object.values(workflow.nodes);
		return new LoadOptionsContext(workflow, node, additionalData, 'parameters');
	}
}

const deduplicator = new MemoryDeduplicator();
let ready: Promise<void> | undefined;

/** n8n with the package installed. */
export class Engine {
	/** What n8n would keep in its database for `checkProcessedAndRecord`; outlives executions until `reset()`. */
	readonly processed = deduplicator;

	private readonly server = new WebhookServer();

	private readonly triggers: Trigger[] = [];

	constructor(readonly loaded: LoadedPackage) {}

	/** Runs the action node on the given items. */
	async run(options: RunOptions): Promise<RunResult> {
		const { onError, retryOnFail, maxTries, settings } = options;
		const tested = this.makeNode(testedNode, action, options.parameters, {
			...(onError && { onError }),
			...(retryOnFail && { retryOnFail, maxTries, waitBetweenTries: 1 }), // 0 would mean n8n's default of a second
			...settings,
		});
		return await runWorkflow(this.loaded, workflowFor(tested, options), options);
	}

	/** Runs the action node, which has to wait then; what is delivered to the execution is taken over HTTP. */
	async runUntilWaiting(options: RunOptions): Promise<WaitingExecution> {
		await this.server.start();
		const run = await this.run({ baseUrl: this.server.url, ...options });
		if (run.status !== 'waiting')
			throw new Error(
				`The execution does not wait, but ended: ${run.status} ${run.error?.message}`,
			);
		return new WaitingExecution(this.loaded, this.server, run, options.credentials ?? {});
	}

	/** Presses Retry on a failed or stopped run; give the credentials again. */
	async retry(run: RunResult, options: RunOptions = {}): Promise<RunResult> {
		return await retryExecution(this.loaded, run, options);
	}

	/** A trigger node in a workflow, with a unique URL; `close` the engine at the end. */
	async trigger(options: TriggerOptions): Promise<Trigger> {
		await this.server.start();
		const node = this.makeNode('Trigger', 'businessMessagingTrigger', options.parameters, {
			webhookId: options.webhookId ?? 'webhook-id',
			...pick(options, 'name', 'typeVersion'),
		});
		const trigger = new Trigger(this.loaded, this.server, node, options);
		this.triggers.push(trigger);
		return trigger;
	}

	/** The pickers and mapped forms of the action node, as the editor calls them. */
	editor(options: Pick<RunOptions, 'parameters' | 'credentials'>): Editor {
		const node = this.makeNode('Temp-Node', action, options.parameters);
		return new Editor(this.loaded, node, options.credentials ?? {});
	}

	/** Presses Test in the credential's dialogue. */
	async testCredential(values: ICredentialDataDecryptedObject) {
		return await testCredential(this.loaded, values);
	}

	/** Lets tests on test URLs end and stops listening for webhooks. */
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
	ready ??= DataDeduplicationService.init(deduplicator);
	await ready;
	return new Engine(await loadPackage());
}
