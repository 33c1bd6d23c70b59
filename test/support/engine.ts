/** The built nodes in n8n's real engine, without a server and without a database. */
import { createHash } from 'node:crypto';
import { difference, map, pick } from 'lodash';
import { DataDeduplicationService, LoadOptionsContext } from 'n8n-core';
import {
	type ICredentialDataDecryptedObject,
	type INode,
	type INodeListSearchResult,
	type INodeParameters,
	type ResourceMapperFields,
	Workflow,
	type IDataDeduplicator,
} from 'n8n-workflow';
import { additionalDataFor, testCredential } from './cli';
import {
	type RunOptions,
	type RunResult,
	retryExecution,
	runWorkflow,
	testedNode,
	workflowFor,
} from './execution';
import { type LoadedPackage, loadPackage } from './package';
import { Trigger, type TriggerOptions } from './trigger';
import { WaitingExecution, WebhookServer } from './webhooks';

type Check = Parameters<IDataDeduplicator['checkProcessedAndRecord']>;
type Item = Check[0][number];
type List = [scope: Check[1], context: Check[2], options: Check[3]];

const hash = (value: Item) => createHash('md5').update(value.toString()).digest('base64');

/** Deduplication in memory. */
class MemoryDeduplicator implements IDataDeduplicator {
	private readonly lists = new Map<string, string[]>();

	/** Whether a call fails as if the database did, by the name of the method. */
	isFailing: (method: keyof IDataDeduplicator) => boolean = () => false;

	async checkProcessedAndRecord(items: Item[], ...list: List) {
		const key = await this.query('checkProcessedAndRecord', list);
		const known = this.lists.get(key);
		const entries = [...(known ?? [])];
		const output: { new: Item[]; processed: Item[] } = { new: [], processed: [] };
		for (const item of items) {
			// As in n8n: without a list yet, everything counts as new, also the second of two equal values.
			const isKnown = known !== undefined && entries.includes(hash(item));
			output[isKnown ? 'processed' : 'new'].push(item);
			if (!isKnown) entries.push(hash(item));
		}
		const [, , { maxEntries }] = list;
		this.lists.set(key, maxEntries ? entries.slice(-maxEntries) : entries);
		return output;
	}

	async removeProcessed(items: Item[], ...list: List): Promise<void> {
		const entries = this.lists.get(await this.query('removeProcessed', list)) ?? [];
		for (const item of items) {
			const index = entries.indexOf(hash(item));
			if (index !== -1) entries.splice(index, 1);
		}
	}

	async clearAllProcessedItems(...list: List): Promise<void> {
		this.lists.delete(await this.query('clearAllProcessedItems', list));
	}

	async getProcessedDataCount(...list: List): Promise<number> {
		return this.lists.get(await this.query('getProcessedDataCount', list))?.length ?? 0;
	}

	/** Forgets everything, as if n8n were new. */
	reset(): void {
		this.lists.clear();
		this.isFailing = () => false;
	}

	/** @returns the key of the list */
	private async query(
		method: keyof IDataDeduplicator,
		[scope, { node, workflow }, { mode }]: List,
	): Promise<string> {
		if (mode !== 'entries')
			throw new Error(`The harness only knows the mode "entries", not "${mode}"`);
		if (this.isFailing(method)) throw new Error('SQLITE_BUSY: database is locked');
		return `${workflow.id} ${scope === 'node' ? `n:${node?.id}` : ''}`;
	}
}

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
