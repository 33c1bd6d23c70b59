/** What all tests of the trigger do: triggers on n8n's engine, and deliveries to the URL that is really registered. */
import type { Service } from '../support/service';
import type { Answer, Trigger, TriggerOptions } from '../support/trigger';

/** A customer's phone number. */
export const customer = '+15550001111';

/** Body of a delivery: a customer writes. */
export function received(data: Record<string, unknown> = {}): {
	event: string;
	data: Record<string, unknown>;
} {
	return {
		event: 'message.received',
		data: {
			id: 'msg_1',
			from: customer,
			text: 'Hello',
			timestamp: '2030-01-31T10:00:00Z',
			...data,
		},
	};
}

let made = 0;

/** Triggers of one service. */
export class Triggers {
	constructor(private readonly service: Service) {}

	/**
	 * A trigger with the credential of the sandbox, in its own workflow. With the static data of another one, it
	 * behaves like that one after a restart of n8n.
	 */
	async make(options: TriggerOptions = {}): Promise<Trigger> {
		const workflowId = `workflow ${++made}`;
		return await this.service.engine.trigger({
			credentials: this.service.credentials(),
			workflowId,
			...options,
		});
	}

	/** The same, active. */
	async active(options: TriggerOptions = {}): Promise<Trigger> {
		const trigger = await this.make(options);
		await trigger.activate();
		return trigger;
	}

	/** The URL that is registered for a trigger, with its secret. */
	urlOf({ url }: Trigger): string {
		const webhook = this.service.sandbox.state.webhooks.all.find((one) => one.url.startsWith(url));
		if (!webhook) throw new Error(`Nothing is registered for ${url}`);
		return webhook.url;
	}

	/**
	 * Delivers to the registered URL, as the service would.
	 *
	 * @param body an object is sent as JSON, a string or a buffer as it is
	 * @param url by default the one that is registered
	 */
	async deliver(
		trigger: Trigger,
		body: unknown,
		headers: Record<string, string> = {},
		url = this.urlOf(trigger),
	): Promise<Answer> {
		return await trigger.deliver(body, headers, url);
	}
}
