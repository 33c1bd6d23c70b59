/** Workflows that begin with the trigger, on a real n8n. */
import { randomUUID } from 'node:crypto';

import { range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { Execution, WorkflowFile } from '../../../tools/n8n/client';
import { waitFor } from '../../../tools/waitFor';
import type { Delivery } from '../../../sandbox/deliveries';
import type { Webhook } from '../../../sandbox/state/webhooks';
import type { RealN8n } from './n8n';

/** The name of the trigger in the workflows made here. */
export const trigger = 'When a customer writes';

const ended = new Set(['success', 'error', 'crashed', 'canceled']);

/** Makes them and looks at what becomes of them. */
export class TriggerWorkflows {
	constructor(private readonly n8n: RealN8n) {}

	/** A workflow of the trigger alone, with a URL of its own. */
	file(parameters: INodeParameters = {}): WorkflowFile {
		const node = {
			id: '1',
			name: trigger,
			type: 'n8n-nodes-business-messaging.businessMessagingTrigger',
			typeVersion: 1.1,
			position: [0, 0] as [number, number],
			parameters,
			credentials: { businessMessagingApi: this.n8n.playground.credential },
			webhookId: randomUUID(),
		};
		return { name: 'Trigger', nodes: [node], connections: {} };
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

	/** Waits until n8n has taken all deliveries with the first try. */
	async settled(deliveries: Delivery[]): Promise<void> {
		const isSettled = async () => deliveries.every(({ state }) => state !== 'pending');
		await waitFor(isSettled, { what: 'n8n to answer the deliveries', limit: 60_000, interval: 20 });
		expect(deliveries.map(({ attempts }) => attempts.map(({ status }) => status))).toEqual(
			deliveries.map(() => [200]),
		);
	}

	/** The executions of a workflow, oldest first, once there are as many as expected and all have ended. */
	async executions(workflowId: string, count: number): Promise<Execution[]> {
		const list = await waitFor(
			async () => {
				const found = await this.n8n.client.listAllExecutions(workflowId);
				return found.length >= count && found.every(({ status }) => ended.has(status)) && found;
			},
			{ what: `${count} executions`, limit: 60_000 },
		);
		return await Promise.all(
			list.reverse().map(async ({ id }) => await this.n8n.client.getExecution(id)),
		);
	}
}

/** Puts 20 webhooks of others at the service, among them some whose address looks much like ours. @returns copies of them */
export function foreignWebhooks({ sandbox }: RealN8n, ownUrl: string): Webhook[] {
	const { origin, pathname } = new URL(ownUrl);
	const lookAlikes = [
		`${pathname}s`,
		pathname.slice(0, -1),
		`${pathname}/more`,
		pathname.replace('/webhook/', '/webhook-test/'),
		'/webhook/another/webhook',
		`${pathname}?token=short`,
	];
	const urls = [
		...lookAlikes.map((path) => `${origin}${path}`),
		...range(14).map((n) => `https://example.com/hook/${n}`),
	];
	return urls.map((url) =>
		structuredClone(sandbox.state.webhooks.create({ url, events: ['message.received'] })),
	);
}
