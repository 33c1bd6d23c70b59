/** Workflows that run in production, each started by a webhook that says who is to be written to, or by a customer. */
import { randomUUID } from 'node:crypto';
import axios from 'axios';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { type Execution, outputOf, type WorkflowFile } from '../../tools/n8n/client';
import * as make from '../../tools/n8n/workflow';
import { FIRST_NUMBER, type Part, type Rate, type SandboxClient } from '../../tools/sandboxClient';
import { until } from '../../tools/until';
import type { Cluster } from './cluster';

/** The node under test. */
const tested = 'Business Messaging';
const RUN_LIMIT = 5 * 60_000;

/** A workflow that is switched on. */
export class Production {
	private constructor(
		private readonly cluster: Cluster,
		readonly id: string,
		private readonly path: string,
	) {}

	/** Switches on a workflow that runs the action node for every number of a part. @param rate by default no limit */
	static async campaign(
		cluster: Cluster,
		service: SandboxClient,
		parameters: INodeParameters,
		rate?: Rate,
	): Promise<Production> {
		const path = randomUUID();
		const webhook = { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} };
		const numbers = `={{ Array.from({ length: $json.body.count }, (_, index) => ({ to: '+' + (${FIRST_NUMBER} + $json.body.from + index) })) }}`;
		const credential = make.withCredential(await credentialFor(cluster, service, rate));
		const action = { to: '={{ $json.to }}', ...parameters };
		const file = make.workflow(`Campaign ${path}`, [
			make.node('Start', 'n8n-nodes-base.webhook', 2.1, webhook, { webhookId: path }),
			...make.listNodes(numbers),
			make.node(tested, make.ACTION, 1, action, credential),
		]);
		return await Production.switchOn(cluster, path, file);
	}

	/** Switches on a workflow that answers everybody who writes. */
	static async autoReply(cluster: Cluster, service: SandboxClient): Promise<Production> {
		const credential = make.withCredential(await credentialFor(cluster, service));
		const reply = {
			resource: 'message',
			operation: 'sendText',
			to: '={{ $json.from }}',
			text: 'Thank you, we will answer soon.',
		};
		const file = make.workflow('Auto-reply', [
			make.node('Start', make.TRIGGER, 1.1, {}, { webhookId: randomUUID(), ...credential }),
			make.node(tested, make.ACTION, 1, reply, credential),
		]);
		return await Production.switchOn(cluster, '', file);
	}

	private static async switchOn(
		cluster: Cluster,
		path: string,
		file: WorkflowFile,
	): Promise<Production> {
		const { client } = cluster.main;
		const { id } = await client.createWorkflow(file);
		await client.activate(id);
		return new Production(cluster, id, path);
	}

	/** Starts one execution for each part, at the same moment, through the webhook process. */
	async start(parts: Part[]): Promise<void> {
		const url = `${this.cluster.webhooks.url}/webhook/${this.path}`;
		const options = { timeout: 60_000, proxy: false } as const;
		await Promise.all(parts.map(async (part) => await axios.post(url, part, options)));
	}

	/** Ids of executions, newest first, in one of these states, or in any. At most 100, which is what n8n lists at once. */
	async executions(status?: string[]): Promise<string[]> {
		const list = await this.cluster.main.client.listExecutions(this.id, 100, status);
		return list.map(({ id }) => id);
	}

	/** Waits until so many executions are in one of these states. */
	async until(status: string[], count: number): Promise<string[]> {
		const what = `${count} executions to be ${status.join(' or ')}`;
		const found = async () => {
			const ids = await this.executions(status);
			return ids.length === count && ids;
		};
		return await until(what, found, { limit: RUN_LIMIT });
	}

	/** Waits until no execution is under way. */
	async ended(): Promise<void> {
		await this.until(['new', 'running', 'waiting'], 0);
	}

	/** Executions with all that their nodes gave out. */
	async read(ids: string[]): Promise<Execution[]> {
		const { client } = this.cluster.main;
		return await Promise.all(ids.map(async (id) => await client.getExecution(id)));
	}

	/** Starts one execution for each part, waits for their ends, and gives what became of them. */
	async run(parts: Part[]): Promise<Execution[]> {
		const before = await this.executions();
		await this.start(parts);
		await this.ended();
		return await this.read((await this.executions()).filter((id) => !before.includes(id)));
	}

	async switchOff(): Promise<void> {
		await this.cluster.main.client.deactivate(this.id);
	}
}

/** Stores the credential of a service. Its rate is shared by all who use the same service and key. */
async function credentialFor({ main }: Cluster, service: SandboxClient, rate?: Rate) {
	const values = service.credential(rate);
	return await main.client.createCredential('Service', 'businessMessagingApi', values);
}

/** The records that the node under test gave out. */
export function outputsOf(executions: Execution[]): IDataObject[] {
	return executions.flatMap((execution) => outputOf(execution, tested).map(({ json }) => json));
}

/** From the start of the first sending node to the end of the last one, seconds, by n8n's own clock. */
export function secondsOf(executions: Execution[]): number {
	const runs = executions.flatMap(({ data }) => data.resultData.runData[tested] ?? []);
	const ends = runs.map(({ startTime, executionTime }) => startTime + executionTime);
	return (Math.max(...ends) - Math.min(...runs.map(({ startTime }) => startTime))) / 1000;
}
