/** Shared by the tests of replies: executions that wait, and people who write. */
import type { INodeParameters } from 'n8n-workflow';

import { unseal } from '../../../nodes/BusinessMessaging/inbox/seal';
import type { Delivery } from '../../../sandbox/deliveries';
import { until } from '../../../harness/until';
import type { Service } from '../../../harness/engine/service';
import type { Trigger } from '../../../harness/engine/trigger';
import type { WaitingExecution } from '../../../harness/engine/webhooks';

/** The name under which the questions of a trigger are stored. */
const inboxKey = 'inbox of id of Trigger';

export const [anna, berta, carl] = [1, 2, 3].map((n) => `+1555000100${n}`);

const question: INodeParameters = {
	resource: 'message',
	operation: 'sendAndWait',
	to: '={{ $json.phone }}',
	message: 'Tuesday?',
};

/** The output of an execution in one list, once it has continued. */
export async function jsonOf(execution: WaitingExecution): Promise<unknown[]> {
	const outputs = await until('the run to go on', () => execution.outputs);
	return outputs.flatMap((items) => items.map((item) => item.json));
}

/** The texts of the messages that have started executions of a trigger. */
export function startedBy({ executions }: Trigger): unknown[] {
	return executions.map(({ items }) => items[0][0].json.text);
}

/**
 * Stops n8n's clock, so that a time limit does not pass before the replies that have to be in time, however slow the machine is.
 *
 * @returns lets it go on
 */
export function stopClock(): () => void {
	const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
	return () => clock.mockRestore();
}

/** The people of one service, and the run that asks them. */
export class People {
	constructor(private readonly service: Service) {}

	/** Asks people. The execution then waits for their replies. */
	async ask(people: string[], parameters: INodeParameters = {}, more: object = {}) {
		return await this.service.engine.runUntilWaiting({
			parameters: { ...question, ...parameters },
			items: people.map((phone) => ({ phone })),
			credentials: this.service.credentials(),
			...more,
		});
	}

	/** Writes, and waits until all webhooks have the message. */
	async write(from: string, text: string, quotes?: string): Promise<Delivery[]> {
		return await this.delivered(this.state.traffic.receive({ from, text, quotes }).deliveries);
	}

	/** Repeats deliveries, to the webhooks that still exist. */
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

	/** Waits until a question to a person is being sent. */
	async untilAsked(phone: string): Promise<void> {
		await until(`a question to ${phone}`, () => this.state.messages.withCustomer(phone).length > 0);
	}

	/** The items with which a trigger has started executions, as soon as there are this many. */
	async itemsOf({ executions }: Trigger, count: number): Promise<unknown[]> {
		const items = () => executions.flatMap((one) => one.items[0].map(({ json }) => json));
		return await until(`${count} items`, () => items().length >= count && items());
	}

	/** What a trigger has stored of each run, decrypted. */
	storedBy({ staticData }: Trigger): string[] {
		const others = ['settled', 'late', 'by'];
		const runs = Object.entries(staticData[inboxKey] ?? {}).filter(
			([name]) => !others.includes(name),
		);
		return runs.map(([, text]) => unseal(this.service.keyId(), text as string) ?? 'unreadable');
	}

	get state() {
		return this.service.sandbox.state;
	}
}
