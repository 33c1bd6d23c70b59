/** What the tests of replies share: executions that wait, and people who write. */
import { randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';

import { seal, unseal } from '../../../nodes/BusinessMessaging/webhooks/seal';
import type { Delivery } from '../../../sandbox/deliveries';
import { until } from '../../../harness/until';
import type { Service } from '../../../harness/engine/service';
import type { Trigger } from '../../../harness/engine/trigger';
import type { WaitingExecution } from '../../../harness/engine/webhooks';

/** Where a trigger has its questions stored. */
export const inboxKey = 'inbox of id of Trigger';

/** What it has stored, in the order of the schema. */
interface Stored {
	runs: Array<{ url: string; asked: number; people: unknown[][] }>;
	ended?: unknown[];
	answered?: unknown[];
}

export const [anna, berta, carl, dora] = [1, 2, 3, 4].map((n) => `+1555000100${n}`);

const question: INodeParameters = {
	resource: 'message',
	operation: 'sendAndWait',
	to: '={{ $json.phone }}',
	message: 'Tuesday?',
};

/** What comes out of an execution, in one list; undefined while it waits. */
export function jsonOf({ outputs }: WaitingExecution): unknown[] | undefined {
	return outputs?.flatMap((items) => items.map((item) => item.json));
}

/** The texts of the messages that have started executions of a trigger. */
export function startedBy({ executions }: Trigger): unknown[] {
	return executions.map(({ items }) => items[0][0].json.text);
}

/** The people of one service, and who asks them. */
export class People {
	constructor(private readonly service: Service) {}

	/** Asks, and waits for the answers. */
	async ask(people: string[], parameters: INodeParameters = {}, more: object = {}) {
		return await this.service.engine.runUntilWaiting({
			parameters: { ...question, ...parameters },
			items: people.map((phone) => ({ phone })),
			credentials: this.service.credentials(),
			...more,
		});
	}

	/** Writes, and waits until all webhooks have the message. */
	async write(from: string, text: string): Promise<Delivery[]> {
		return await this.delivered(this.state.traffic.receive({ from, text }).deliveries);
	}

	/** Delivers once more what was delivered, to the webhooks that are still there. */
	async again(deliveries: Delivery[]): Promise<Delivery[]> {
		return await this.delivered(
			deliveries.flatMap(({ webhookId, event, data }) => {
				const webhook = this.state.webhooks.get(webhookId);
				return webhook ? this.state.deliveries.deliver(webhook, event, data) : [];
			}),
		);
	}

	async delivered(deliveries: Delivery[]): Promise<Delivery[]> {
		await until('messages to be delivered', () =>
			deliveries.every(({ state }) => state !== 'pending'),
		);
		return deliveries;
	}

	/** The questions that a trigger has stored. */
	storedBy({ staticData }: Trigger): Stored {
		return unseal(this.service.id(), String(staticData[inboxKey]).split(' ')[1]) as Stored;
	}

	/** Questions as a trigger stores them, and as one process tells another. */
	toText(stored: Stored): string {
		return `${randomUUID()} ${seal(this.service.id(), JSON.stringify({ ended: [], ...stored }))}`;
	}

	get state() {
		return this.service.sandbox.state;
	}
}
