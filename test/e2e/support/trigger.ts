/** Workflows that begin with the trigger, on a real n8n. */
import { randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { type Execution, hasEnded, type WorkflowFile } from '../../../tools/n8n/client';
import { node, TRIGGER, workflow } from '../../../tools/n8n/workflow';
import { until } from '../../../tools/until';
import type { Delivery } from '../../../sandbox/deliveries';
import type { RealN8n } from './n8n';

/** The name of the trigger in the workflows made here. */
export const trigger = 'When a customer writes';

/** Makes them and reads what they have started. */
export class TriggerWorkflows {
	constructor(private readonly n8n: RealN8n) {}

	/** A workflow with only the trigger, which has a unique URL. */
	file(parameters: INodeParameters = {}): WorkflowFile {
		const credentials = { businessMessagingApi: this.n8n.playground.credential };
		const more = { credentials, webhookId: randomUUID() };
		return workflow('Trigger', [node(trigger, TRIGGER, 1.1, parameters, more)]);
	}

	/** Stores a workflow. @returns its id */
	async make(active: boolean, file = this.file()): Promise<string> {
		const { id } = await this.n8n.client.createWorkflow(file);
		if (active) await this.n8n.client.activate(id);
		return id;
	}

	async deactivateAll(): Promise<void> {
		for (const { id, active } of await this.n8n.client.listWorkflows())
			if (active) await this.n8n.client.deactivate(id);
	}

	/** Waits until n8n has taken all deliveries at the first attempt. */
	async settled(deliveries: Delivery[]): Promise<void> {
		const isSettled = async () => deliveries.every(({ state }) => state !== 'pending');
		await until('n8n to answer the deliveries', isSettled);
		expect(deliveries.map(({ attempts }) => attempts.map(({ status }) => status))).toEqual(
			deliveries.map(() => [200]),
		);
	}

	/** The executions of a workflow, oldest first, once there are as many as expected and all have ended. */
	async executions(workflowId: string, count: number): Promise<Execution[]> {
		const ended = async () => {
			const found = await this.n8n.client.listAllExecutions(workflowId);
			return found.length >= count && found.every(hasEnded) && found.reverse();
		};
		const list = await until(`${count} executions`, ended);
		return await Promise.all(list.map(async ({ id }) => await this.n8n.client.getExecution(id)));
	}
}
