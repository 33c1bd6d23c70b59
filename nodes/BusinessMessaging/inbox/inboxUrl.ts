/** Where the inbox is, as far as another trigger knows it. */
import type { IWebhookFunctions } from 'n8n-workflow';
import { isEqual } from 'lodash';
import { z } from 'zod';

import { writeLog } from '../log';
import { connect } from '../transport/connect';
import { withDeadline } from '../transport/deadline';
import { ServiceError, asFailure } from '../transport/errors';
import type { Kept } from '../webhooks/kept';
import { webhookUrlOf } from '../webhooks/publicAddress';
import { listWebhooks } from '../webhooks/registrations';
import { callsOf } from './calls';
import { newProcessName } from './inboxMemory';
import { DeliveryNames } from './messageNames';
import { OtherTrigger } from './otherTrigger';
import { triggersAmong } from './urls';

/** How long another trigger waits for the service's list of webhooks, ms. */
const maxListMs = 5_000;

/** The URL without its secret, and since when it counts, ms since 1970. Without a URL, there is no inbox. */
const notedSchema = z.object({ url: z.string().optional(), at: z.number() });
type Noted = z.infer<typeof notedSchema>;

/** Where the inbox is. What was noted last counts. */
export class InboxUrl implements Kept {
	private noted: Noted = { at: 0 };
	private trigger?: OtherTrigger;
	private readonly names = new DeliveryNames(newProcessName());

	merge(stored: unknown): void {
		const { data: other } = notedSchema.safeParse(stored);
		if (!other || other.at <= this.current.at) return;
		this.noted = other;
		this.show();
	}

	isBehind(stored: unknown): boolean {
		return this.current.at > 0 && !isEqual(this.current, stored);
	}

	live(): Noted | undefined {
		return this.current.at > 0 ? this.current : undefined;
	}

	/** Notes where the inbox is; undefined if there is none. */
	set(url: string | undefined): void {
		this.note(url);
		this.show();
	}

	private note(url: string | undefined): void {
		this.noted = { ...(url !== undefined && { url }), at: Math.max(Date.now(), this.noted.at + 1) };
	}

	/** The inbox is gone. */
	forget(url: string): void {
		if (this.current.url === url) this.set(undefined);
	}

	/** Opens the trigger for a delivery. @param isManual whether its URL is registered by hand */
	open(context: IWebhookFunctions, isManual: boolean) {
		const own = webhookUrlOf(context);
		const ports = {
			...callsOf(context.helpers, async () => (await connect(context)).config.keyId),
			isManual,
			listInbox: async () => await withDeadline(listInbox(context, own), maxListMs),
			warn: (message: string) => writeLog(context, message),
		};
		if (this.trigger) this.trigger.ports = ports;
		else {
			this.trigger = new OtherTrigger(ports);
			this.show();
		}
		return { own, trigger: this.trigger, names: this.names };
	}

	/** The trigger may have found another inbox in the service's list. */
	private get current(): Noted {
		if (this.trigger && this.trigger.inbox !== this.noted.url) this.note(this.trigger.inbox);
		return this.noted;
	}

	private show(): void {
		const { noted, trigger } = this;
		if (noted.url !== undefined) trigger?.look(noted.url);
		else if (trigger?.inbox !== undefined) trigger.forget(trigger.inbox);
	}
}

/** The registered inbox; undefined without one, or without a list. @throws ServiceError for a failure that may pass */
async function listInbox(context: IWebhookFunctions, own: string): Promise<string | undefined> {
	const list = connect(context).then(listWebhooks);
	const listed = await list.catch((error: unknown) => {
		const mayPass = ['uncertain', 'unreachable', 'rateLimited'];
		if (!(error instanceof ServiceError) || mayPass.includes(error.kind)) throw asFailure(error);
		return [];
	});
	const urls = listed.map(({ url }) => url);
	return triggersAmong(urls, own).inboxes[0];
}
