/** The built nodes in n8n's real engine, without a server and without a database. */
import path from 'node:path';
import { difference, map, partition, pick } from 'lodash';
import { DataDeduplicationService, LoadOptionsContext } from 'n8n-core';
import {
	type ICredentialDataDecryptedObject,
	type INode,
	type INodeParameters,
	Workflow,
	type IDataDeduplicator,
} from 'n8n-workflow';
import {
	type RunOptions,
	type RunResult,
	retryExecution,
	runWorkflow,
	testedNode,
	workflowFor,
} from './execution';
import { timing as normalTiming } from '../../nodes/BusinessMessaging/execution/claims';
import { root } from './files';
import { type LoadedPackage, additionalDataFor, loadPackage, testCredential } from './package';
import { Trigger, type TriggerOptions } from './trigger';
import { WaitingExecution, WebhookServer } from './webhooks';

type Check = Parameters<IDataDeduplicator['checkProcessedAndRecord']>;
type Item = Check[0][number];
type List = [scope: Check[1], context: Check[2], options: Check[3]];

/** n8n's deduplication, kept in memory. */
class MemoryDeduplicator implements IDataDeduplicator {
	private readonly lists = new Map<string, string[]>();
	/** The entries of each list once more, because searching a full list takes as long as a slow database. */
	private readonly sets = new WeakMap<string[], Set<string>>();

	/** Whether a call of a method fails as if the database had failed. */
	isFailing: (method: keyof IDataDeduplicator) => boolean = () => false;

	async checkProcessedAndRecord(items: Item[], ...list: List) {
		const key = this.query('checkProcessedAndRecord', list);
		const known = this.lists.get(key);
		const entries = known ?? [];
		const set = this.setOf(entries);
		const [processed, unknown] = partition(items, (item) => {
			// As in n8n: as long as there is no list, all values count as new, even the second of two equal ones.
			const isKnown = known !== undefined && set.has(item.toString());
			if (!isKnown) entries.push(item.toString());
			set.add(item.toString());
			return isKnown;
		});
		const [, , { maxEntries = Infinity }] = list;
		this.lists.set(key, entries.length > maxEntries ? entries.slice(-maxEntries) : entries);
		return { new: unknown, processed };
	}

	async removeProcessed(items: Item[], ...list: List): Promise<void> {
		const entries = this.lists.get(this.query('removeProcessed', list)) ?? [];
		for (const item of items) {
			const index = entries.indexOf(item.toString());
			if (index !== -1) entries.splice(index, 1);
		}
		this.sets.delete(entries);
	}

	private setOf(entries: string[]): Set<string> {
		const set = this.sets.get(entries) ?? new Set(entries);
		this.sets.set(entries, set);
		return set;
	}

	async clearAllProcessedItems(...list: List): Promise<void> {
		this.lists.delete(this.query('clearAllProcessedItems', list));
	}

	async getProcessedDataCount(...list: List): Promise<number> {
		return this.lists.get(this.query('getProcessedDataCount', list))?.length ?? 0;
	}

	/** Forgets everything, as in a new n8n. */
	reset(): void {
		this.lists.clear();
		this.isFailing = () => false;
	}

	/** @returns the key of the list */
	private query(method: keyof IDataDeduplicator, [scope, { node, workflow }]: List): string {
		if (this.isFailing(method)) throw new Error('SQLITE_BUSY: database is locked');
		return `${workflow.id} ${scope === 'node' ? `n:${node?.id}` : ''}`;
	}
}

const action = 'businessMessaging';

const deduplicator = new MemoryDeduplicator();
let ready: Promise<void> | undefined;

/** n8n with the package installed. */
export class Engine {
	/** What n8n would keep in its database for `checkProcessedAndRecord`. It stays between executions, until `reset()`. */
	readonly processed = deduplicator;

	private readonly server = new WebhookServer();

	private readonly triggers: Trigger[] = [];

	constructor(readonly loaded: LoadedPackage) {}

	/** Runs the action node on the given items. */
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
		});
		const trigger = new Trigger(this.loaded, this.server, node, options);
		this.triggers.push(trigger);
		return trigger;
	}

	/**
	 * The action node when it is open in the editor: its searchable lists, with the typed text and the token of the next
	 * page, and its mapped forms. Source: DynamicNodeParametersService of n8n's cli.
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

	/** Presses Test in the credential's dialogue. */
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

/** Divides the times for which the built nodes watch their claims by a hundred; the ratios between the times stay. */
async function hurryClaims(): Promise<void> {
	const file = path.join(root, 'dist/nodes/BusinessMessaging/execution/claims.js');
	const { timing } = (await import(file)) as { timing: typeof normalTiming };
	for (const name of ['maxCall', 'slowCall', 'check', 'pause'] as const)
		timing[name] = normalTiming[name] / 100;
}

/** Loads the built package into n8n's engine. */
export async function loadEngine(): Promise<Engine> {
	await hurryClaims();
	ready ??= DataDeduplicationService.init(deduplicator);
	await ready;
	return new Engine(await loadPackage());
}
