/** The workflows that are run in production, each started by a webhook that says who is to be written to. */
import { randomUUID } from 'node:crypto';
import axios from 'axios';
import type { INode, INodeParameters } from 'n8n-workflow';
import { FIRST_NUMBER } from '../../tools/numbers';
import { outputOf, type Execution, type WorkflowFile } from '../../tools/n8n/client';
import { waitFor } from '../../tools/waitFor';
import type { Cluster } from './cluster';

/** The node under test. */
export const tested = 'Business Messaging';
const RUN_LIMIT = 5 * 60_000;
const unfinished = ['new', 'running', 'waiting'];

/** A part of a campaign: so many numbers, from that place on. */
export interface Part {
	from: number;
	count: number;
}

type NodeSettings = Pick<INode, 'type' | 'typeVersion' | 'parameters'> & Partial<INode>;

const node = (name: string, settings: NodeSettings): INode => ({
	id: randomUUID(),
	name,
	position: [0, 0],
	...settings,
});
const to = (next: string) => ({ main: [[{ node: next, type: 'main' as const, index: 0 }]] });
const credentials = (id: string) => ({ businessMessagingApi: { id, name: 'Service' } });

/** A workflow that is switched on. */
export class Production {
	private constructor(
		private readonly cluster: Cluster,
		readonly id: string,
		private readonly path: string,
	) {}

	/** Switches on a workflow that runs the action node for every number of a part. */
	static async campaign(
		cluster: Cluster,
		credential: string,
		parameters: INodeParameters,
	): Promise<Production> {
		const path = randomUUID();
		const numbers = `={{ Array.from({ length: $json.body.count }, (_, index) => ({ to: '+' + (${FIRST_NUMBER} + $json.body.from + index) })) }}`;
		const assignments = [{ id: '1', name: 'numbers', type: 'array', value: numbers }];
		const webhook = { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} };
		return await Production.switchOn(cluster, path, {
			name: `Campaign ${path}`,
			nodes: [
				node('Start', {
					type: 'n8n-nodes-base.webhook',
					typeVersion: 2.1,
					parameters: webhook,
					webhookId: path,
				}),
				node('List', {
					type: 'n8n-nodes-base.set',
					typeVersion: 3.4,
					parameters: { assignments: { assignments }, options: {} },
				}),
				node('Items', {
					type: 'n8n-nodes-base.splitOut',
					typeVersion: 1,
					parameters: { fieldToSplitOut: 'numbers', options: {} },
				}),
				node(tested, {
					...action({ to: '={{ $json.to }}', ...parameters }),
					credentials: credentials(credential),
				}),
			],
			connections: { Start: to('List'), List: to('Items'), Items: to(tested) },
			settings: { executionOrder: 'v1' },
		});
	}

	/** Switches on a workflow that answers everybody who writes. */
	static async autoReply(cluster: Cluster, credential: string): Promise<Production> {
		const trigger = {
			type: 'n8n-nodes-business-messaging.businessMessagingTrigger',
			typeVersion: 1.1,
			parameters: {},
			webhookId: randomUUID(),
		};
		const reply = action({
			resource: 'message',
			operation: 'sendText',
			to: '={{ $json.from }}',
			text: 'Thank you, we will answer soon.',
		});
		return await Production.switchOn(cluster, '', {
			name: 'Auto-reply',
			nodes: [
				node('Start', { ...trigger, credentials: credentials(credential) }),
				node(tested, { ...reply, credentials: credentials(credential) }),
			],
			connections: { Start: to(tested) },
			settings: { executionOrder: 'v1' },
		});
	}

	private static async switchOn(
		cluster: Cluster,
		path: string,
		file: WorkflowFile,
	): Promise<Production> {
		const { id } = await cluster.main.client.createWorkflow(file);
		await cluster.main.client.activate(id);
		return new Production(cluster, id, path);
	}

	/** Starts one execution for each part, at the same moment, through the webhook processor. */
	async start(parts: Part[]): Promise<void> {
		const url = `${this.cluster.webhooks.url}/webhook/${this.path}`;
		await Promise.all(
			parts.map(async (part) => await axios.post(url, part, { timeout: 60_000, proxy: false })),
		);
	}

	/** Ids of executions, newest first, in one of these states, or in any. At most 100, which is what n8n lists at once. */
	async executions(status?: string[]): Promise<string[]> {
		const filter = encodeURIComponent(
			JSON.stringify({ workflowId: this.id, ...(status && { status }) }),
		);
		const answer = await this.cluster.main.client.call<{ results: Array<{ id: string }> }>(
			'GET',
			`/rest/executions?filter=${filter}&limit=100`,
		);
		return answer.results.map(({ id }) => id);
	}

	/** Waits until so many executions are in one of these states. */
	async until(status: string[], count: number): Promise<string[]> {
		const found = async () => {
			const ids = await this.executions(status);
			return ids.length === count && ids;
		};
		return await waitFor(found, {
			what: `${count} executions to be ${status.join(' or ')}`,
			limit: RUN_LIMIT,
		});
	}

	/** Waits until no execution is under way. */
	async ended(): Promise<void> {
		await this.until(unfinished, 0);
	}

	/** Starts one execution for each part, waits for their ends, and gives what became of them. */
	async run(parts: Part[]): Promise<Execution[]> {
		const before = new Set(await this.executions());
		await this.start(parts);
		await this.ended();
		const ids = (await this.executions()).filter((id) => !before.has(id));
		return await Promise.all(
			ids.map(async (id) => await this.cluster.main.client.getExecution(id)),
		);
	}

	async switchOff(): Promise<void> {
		await this.cluster.main.client.deactivate(this.id);
	}
}

function action(parameters: INodeParameters): NodeSettings {
	return { type: 'n8n-nodes-business-messaging.businessMessaging', typeVersion: 1, parameters };
}

/** The records that the node under test gave out, by their `sendStatus`: sent ones have none. */
export function statusesOf(executions: Execution[]): Array<{ to: string; sendStatus?: string }> {
	return executions.flatMap((execution) =>
		outputOf(execution, tested).map(({ json }) => ({
			to: String(json.to),
			sendStatus: json.sendStatus as string | undefined,
		})),
	);
}

/** From the start of the first sending node to the end of the last one, seconds, by n8n's own clock. */
export function secondsOf(executions: Execution[]): number {
	const runs = executions.flatMap(({ data }) => data.resultData.runData[tested] ?? []);
	const ends = runs.map(({ startTime, executionTime }) => startTime + executionTime);
	return (Math.max(...ends) - Math.min(...runs.map(({ startTime }) => startTime))) / 1000;
}
