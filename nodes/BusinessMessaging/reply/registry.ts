/**
 * The temporary registrations at the service: one for each person who is asked. Only URLs of this very n8n with a
 * ticket that opens are ever touched.
 */
import type { IExecuteFunctions, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Client } from '../transport/client';
import {
	type RegisteredWebhook,
	addWebhook,
	listWebhooks,
	removeWebhooks,
} from '../webhooks/registrations';
import { type Ticket, TicketSeal, ticketParameter } from './ticket';

/** What of n8n's context is needed to know our own URLs. */
export type ResumeContext = Pick<
	IExecuteFunctions | IHookFunctions | IWebhookFunctions,
	'getSignedResumeUrl'
>;

/** A registration of ours. */
export interface Registration {
	/** The service's identifier, if it gives one. */
	id?: string;
	url: string;
	ticket: Ticket;
}

/** The registrations of one n8n at one service. */
export class Registry {
	private readonly seal: TicketSeal;

	/** @param base what the URLs of all waiting executions of this n8n begin with, with a slash at the end */
	constructor(
		readonly client: Client,
		readonly base: string,
	) {
		this.seal = new TicketSeal(client.config);
	}

	/** The registry as an execution sees it. */
	static of(context: ResumeContext, client: Client): Registry {
		const url = new URL(context.getSignedResumeUrl());
		return new Registry(client, new URL('..', url).href.split('?')[0]);
	}

	/** The signed URL that resumes the execution of the context. */
	urlFor(context: ResumeContext, ticket: Ticket): string {
		return context.getSignedResumeUrl({ [ticketParameter]: this.seal.close(ticket) });
	}

	/** The ticket of a delivery. */
	ticketOf(query: object): Ticket | undefined {
		return this.seal.open((query as Record<string, unknown>)[ticketParameter]);
	}

	/**
	 * Registers a URL for incoming messages.
	 *
	 * @throws ServiceError if nothing was registered
	 */
	async add(url: string, ticket: Ticket): Promise<Registration> {
		const id = await addWebhook(this.client, { url, events: ['message.received'] });
		return { id, url, ticket };
	}

	/** All registrations of ours, also those of other executions and workflows of this n8n. */
	async list(): Promise<Registration[]> {
		const webhooks = await listWebhooks(this.client);
		return webhooks.flatMap((webhook) => this.own(webhook) ?? []);
	}

	private own({ id, url }: RegisteredWebhook): Registration | undefined {
		// also as it is read: no `..` leads elsewhere
		if (
			!url?.startsWith(this.base) ||
			!URL.canParse(url) ||
			!new URL(url).href.startsWith(this.base)
		)
			return undefined;
		const ticket = this.seal.open(new URL(url).searchParams.get(ticketParameter));
		return ticket && { id, url, ticket };
	}

	/** Removes registrations; those that are gone already count as removed. @throws ServiceError */
	async remove(registrations: Registration[]): Promise<void> {
		const isNameless = registrations.some(({ id }) => id === undefined);
		const listed = isNameless ? await this.list() : [];
		const named = registrations.map(({ id, url }) => ({
			id: id ?? listed.find((one) => one.url === url)?.id,
		}));
		await removeWebhooks(
			this.client,
			named.filter(({ id }) => id !== undefined),
		);
	}
}
