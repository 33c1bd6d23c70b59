/** Registered webhooks. */
import { eventKinds } from '../../nodes/BusinessMessaging/api/events';
import { invalid } from '../errorResponses';
import { newId } from '../ids';
import { Records } from './records';

/** A webhook as the service shows it. */
export type Webhook = {
	id: string;
	/** Address of the receiver; several webhooks may have the same one (assumption). */
	url: string;
	/** Kinds of event that are delivered; if the registration named none, all known ones. `*` means every kind. */
	events: string[];
	createdAt: string;
};

/** All webhooks. */
export class Webhooks extends Records<Webhook> {
	protected readonly kind = 'webhook';

	/** @throws HttpError 422 if the scheme of the address is neither http nor https */
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

	/** The webhooks that are registered for a kind of event. */
	wanting(event: string): Webhook[] {
		return this.all.filter(({ events }) => events.includes(event) || events.includes('*'));
	}
}
