/** Registered webhooks. */
import { remove } from 'lodash';

import { eventKinds } from '../../nodes/BusinessMessaging/api/events';
import { invalid } from '../errorResponses';
import { newId } from '../ids';

/** A webhook as the service gives it out. */
export type Webhook = {
	id: string;
	/** Address of the receiver; more than one webhook may have the same (assumption). */
	url: string;
	/** Kinds of event that it wants; all that are known if it named none. `*` means every kind. */
	events: string[];
	createdAt: string;
};

/** All webhooks in the order of their registration. */
export class Webhooks {
	readonly all: Webhook[] = [];

	/** @throws HttpError 422 if the address is neither http nor https */
	create({ url, events }: { url: string; events?: string[] }): Webhook {
		if (!/^https?:$/.test(new URL(url).protocol))
			throw invalid('url', 'must begin with http:// or https://');
		const wanted = events ?? eventKinds.map(({ value }) => value);
		const webhook = {
			id: newId('whk'),
			url,
			events: [...new Set(wanted)],
			createdAt: new Date().toISOString(),
		};
		this.all.push(webhook);
		return webhook;
	}

	get(id: string): Webhook | undefined {
		return this.all.find((webhook) => webhook.id === id);
	}

	/** @returns whether there was one */
	delete(id: string): boolean {
		return remove(this.all, { id }).length > 0;
	}

	/** The webhooks that want a kind of event. */
	wanting(event: string): Webhook[] {
		return this.all.filter(({ events }) => events.includes(event) || events.includes('*'));
	}
}
