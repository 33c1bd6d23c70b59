/** A shop: its workflows on the n8n under test, and the service that they call. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import axios from 'axios';
import type { INode, INodeParameters } from 'n8n-workflow';
import { type Sandbox, startSandbox } from '../../../sandbox';
import { numbers } from '../../../sandbox/variants';
import { onStop, UserError } from '../../../harness/cli';
import type { Execution } from '../../../harness/n8n/client';
import * as make from '../../../harness/n8n/workflow';
import { FIRST_NUMBER } from '../../../harness/sandboxClient';
import { until } from '../../../harness/until';
import type { Machine } from './machine';

/** The documented 1,000 requests per minute, but six times as fast. */
export const RATE = { requests: 1000, windowMs: 10_000 };
/** How long calls are repeated while n8n or the service fails. */
const PATIENCE = 5 * 60_000;
/** How long a run may take beyond the time for which it waits for replies. */
const RUN_LIMIT = 20 * 60_000;

/** How long a question waits for replies. */
export const QUESTION_MINUTES = 10;

/** The segment of those who want no more campaigns. */
export const OPTED_OUT = 'opted-out';
/** The names of two nodes: the one that starts a workflow, and the one that sends, asks or saves. */
export const START = 'Start';
export const ACTION = 'Action';

/** An execution that has not begun after this time, ms, never will: n8n's database failed in between. */
const BEGIN_LIMIT = 3 * 60_000;

/** In SQL: an execution that is no part of another one. A node's calls to data tables are such parts; n8n marks them as deleted, but not as ended. */
const isWhole = `mode <> 'integrated'`;

/** In SQL: an execution that has not ended. */
export function isOpen(): string {
	const since = new Date(Date.now() - BEGIN_LIMIT).toISOString().replace('T', ' ').slice(0, 19);
	return `(status IN ('running', 'waiting') OR (status = 'new' AND "createdAt" > '${since}')) AND ${isWhole}`;
}

/** The nodes of a shop's workflows, by the names of the workflows. */
export interface Workflows {
	/** Workflows that are started by webhook, with the people that they handle. */
	started?: Record<string, INodeParameters>;
	/** Workflows that customers and the service start; `records` if they record the events in the campaign log first. */
	triggered?: Record<
		string,
		{ trigger: INodeParameters; records?: true; action?: INodeParameters }
	>;
}

/** A value of the {@link Body} with which a workflow was started. */
export const ofStart = (name: string) => `={{ $('${START}').first().json.body.${name} }}`;

/** A workflow: its ID, and a part of its URL. */
interface Place {
	id: string;
	path: string;
}

/** The people of a run, with consecutive numbers. The first `repeats` of them are in the list twice. */
export interface Body {
	text: string;
	from: number;
	count: number;
	repeats?: number;
	excluded?: string;
	/** How long a question waits; {@link QUESTION_MINUTES} by default. */
	minutes?: number;
}

/** Repeats a call while n8n or the service fails. @throws what it throws after five minutes */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
	for (const end = Date.now() + PATIENCE; ; await delay(1000)) {
		try {
			return await work();
		} catch (error) {
			if (Date.now() > end) throw error;
		}
	}
}

/** A shop that is open until the day is over. */
export class Shop {
	isOver = false;
	readonly places: Record<string, Place> = {};
	/** ID of the credential. */
	credential = '';
	/** Random whole numbers below a limit, from the seed. */
	readonly random: (below: number) => number;

	private constructor(
		readonly machine: Machine,
		readonly sandbox: Sandbox,
		seed: number,
	) {
		this.random = numbers(seed);
	}

	/** Starts a service, and publishes the workflows. */
	static async open(machine: Machine, workflows: Workflows, seed = 0): Promise<Shop> {
		const sandbox = await startSandbox({
			port: 0,
			requestsPerWindow: RATE.requests,
			rateWindowMs: RATE.windowMs,
			latencyMs: 20,
			receiptDelaysMs: { sent: null, delivered: 300, read: null },
			deliveryAttempts: 30,
			deliveryRetryDelayMs: 500,
			sampleContacts: 0,
		});
		onStop(async () => await sandbox.close());
		const shop = new Shop(machine, sandbox, seed);
		await shop.publish(workflows);
		return shop;
	}

	/** Waits until the service has brought every delivery to n8n, or given up. */
	async untilDelivered(): Promise<void> {
		const { log } = this.sandbox.state.deliveries;
		const isSettled = () => log.last().every(({ state }) => state !== 'pending');
		await until('n8n to answer the deliveries', isSettled, { limit: PATIENCE });
	}

	/** Unpublishes the workflows. @returns how many webhooks are left at the service */
	async close(): Promise<number> {
		const { client } = this.machine.main;
		for (const { id } of Object.values(this.places))
			await patiently(async () => await client.deactivate(id));
		return this.sandbox.state.webhooks.all.length;
	}

	private async publish({ started = {}, triggered = {} }: Workflows): Promise<void> {
		const { client } = this.machine.main;
		this.credential = await client.createCredential('Service', 'businessMessagingApi', {
			apiKey: this.sandbox.key,
			baseUrl: this.sandbox.url,
			apiPath: 'automatic',
			requestsPerMinute: RATE.requests,
			rateWindowMs: RATE.windowMs,
		});
		const own = make.withCredential(this.credential);
		const action = (parameters: INodeParameters, more: Partial<INode>) =>
			make.node(ACTION, make.ACTION, 1, parameters, { ...own, ...more });
		const number = `Number(${FIRST_NUMBER}) + $json.body.from + index % $json.body.count`;
		const items = `={{ Array.from({ length: $json.body.count + ($json.body.repeats ?? 0) }, (_, index) => ({ to: '+' + (${number}) })) }}`;
		for (const [name, parameters] of Object.entries(started)) {
			const path = randomUUID();
			const webhook = { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} };
			await this.publishOne(name, path, [
				make.node(START, 'n8n-nodes-base.webhook', 2.1, webhook, { webhookId: path }),
				...make.listNodes(items),
				action(parameters, { onError: 'continueRegularOutput' }),
			]);
		}
		const record = { resource: 'campaign', operation: 'recordEvents' };
		for (const [name, { trigger, records, action: parameters }] of Object.entries(triggered)) {
			const path = randomUUID();
			await this.publishOne(name, path, [
				make.node(START, make.TRIGGER, 1.1, trigger, { webhookId: path, ...own }),
				...(records
					? [make.node('Record', make.ACTION, 1, record, { ...own, retryOnFail: true })]
					: []),
				...(parameters ? [action(parameters, {})] : []),
			]);
		}
	}

	private async publishOne(name: string, path: string, nodes: INode[]): Promise<void> {
		const { client } = this.machine.main;
		const { id } = await client.createWorkflow(make.workflow(name, nodes));
		await client.activate(id);
		this.places[name] = { id, path };
	}

	/** Starts a workflow by its webhook, exactly once for each body, whatever happens to n8n. Returns when the executions have ended. */
	async run(name: string, ...bodies: Body[]): Promise<Execution[]> {
		const { client } = this.machine.main;
		const { id, path } = this.places[name];
		const [before = 0] = await this.executions(id, 0, 'ORDER BY id DESC LIMIT 1');
		const post = async (body: Body) =>
			await axios.post(`${this.machine.url}/webhook/${path}`, body, {
				timeout: 60_000,
				proxy: false,
			});
		const hasStarted = async () => (await this.executions(id, before)).length > 0;
		const start = async (body: Body) => {
			while (!(await post(body).then(Boolean, () => false))) {
				// After a failure, n8n may still start the workflow: a process that starts handles what it has received meanwhile.
				const appears = until('the execution', hasStarted, { limit: 15_000, interval: 500 });
				if (await appears.then(Boolean, () => false)) break;
			}
		};
		await Promise.all(bodies.map(start));
		const ended = async () =>
			(await this.executions(id, before)).length >= bodies.length &&
			(await this.executions(id, before, `AND ${isOpen()}`)).length === 0;
		const what = `the workflow ${name} to end`;
		const waits = bodies.map(({ minutes = QUESTION_MINUTES }) => minutes * 60_000);
		const limit = RUN_LIMIT + Math.max(0, ...waits);
		await until(what, ended, { limit, interval: 1000 }).catch(async (error: unknown) => {
			const open = await this.describeOpen(id, before);
			throw new UserError(`${(error as Error).message} Still open: ${open}`);
		});
		const ids = await this.executions(id, before, 'ORDER BY id');
		return await Promise.all(
			ids.map(async (one) => await patiently(async () => await client.getExecution(String(one)))),
		);
	}

	/** The workflow's executions that have not ended, so that the one that n8n cannot continue is found in its log. */
	private async describeOpen(workflowId: string, after: number): Promise<string> {
		const rows = await this.machine.database.run(
			`SELECT id, status, "startedAt", "waitTill" FROM execution_entity WHERE "workflowId" = '${workflowId}' AND id > ${after} AND ${isOpen()}`,
		);
		return JSON.stringify(rows);
	}

	/** The IDs of a workflow's executions after the one with this ID. @param more is appended to the SQL */
	async executions(workflowId: string, after: number, more = ''): Promise<number[]> {
		const condition = `"workflowId" = '${workflowId}' AND id > ${after} AND ${isWhole} ${more}`;
		return await this.machine.database.numbers(
			`SELECT id FROM execution_entity WHERE ${condition}`,
		);
	}
}
