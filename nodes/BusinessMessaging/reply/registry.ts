/**
 * The temporary registrations at the service: one for each person who is asked. Only URLs of this very n8n with a
 * ticket that opens are ever touched.
 */
import type { IExecuteFunctions, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { endpoints } from '../api/endpoints';
import { type ServiceRecord, readId, readRecord, readWebhookUrl } from '../api/read';
import { type ItemFailure, asFailure } from '../operations/outcome';
import type { Client } from '../transport/client';
import { listRecords } from '../transport/pages';
import { registerWebhook } from '../transport/webhooks';
import { removeAll } from '../trigger/ownWebhooks';
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
	 * @throws ServiceError if that failed for certain
	 */
	async add(url: string, ticket: Ticket): Promise<Registration> {
		try {
			const answer = await registerWebhook(this.client, { url, events: ['message.received'] });
			return { id: readId(readRecord(answer)), url, ticket };
		} catch (error) {
			return await this.findAfter(asFailure(error), url);
		}
	}

	/** The registration, if it came about although no good answer came back. @throws the failure if it did not */
	private async findAfter(failure: ItemFailure, url: string): Promise<Registration> {
		const found =
			failure.sendStatus === 'mayHaveBeenSent'
				? (await this.list()).find((one) => one.url === url)
				: undefined;
		if (!found) throw failure;
		return found;
	}

	/** All registrations of ours, also those of other executions and workflows of this n8n. */
	async list(): Promise<Registration[]> {
		const records = await listRecords(this.client, endpoints.listWebhooks);
		return records.flatMap((record) => this.own(record) ?? []);
	}

	private own(record: ServiceRecord): Registration | undefined {
		const url = readWebhookUrl(record);
		// also as it is read: no `..` leads elsewhere
		if (
			!url?.startsWith(this.base) ||
			!URL.canParse(url) ||
			!new URL(url).href.startsWith(this.base)
		)
			return undefined;
		const ticket = this.seal.open(new URL(url).searchParams.get(ticketParameter));
		return ticket && { id: readId(record), url, ticket };
	}

	/** Removes registrations; those that are gone already are as good as removed. @throws ServiceError */
	async remove(registrations: Registration[]): Promise<void> {
		const isNameless = registrations.some(({ id }) => id === undefined);
		const listed = isNameless ? await this.list() : [];
		const idOf = ({ id, url }: Registration) => id ?? listed.find((one) => one.url === url)?.id;
		await removeAll(
			this.client,
			registrations.map((one) => ({ id: idOf(one) })).filter(({ id }) => id !== undefined),
		);
	}
}
