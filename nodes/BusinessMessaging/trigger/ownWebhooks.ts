/** The node's registrations as they are at the service. Only those with exactly our URL are ever touched. */
import { asFailure } from '../operations/outcome';
import type { Client } from '../transport/client';
import { isRefusedContent } from '../transport/errors';
import {
	type RegisteredWebhook,
	addWebhook,
	areSameEvents,
	listWebhooks,
	removeWebhooks,
	statusOf,
} from '../webhooks/registrations';
import { isOwnUrl, withSecret } from '../webhooks/secret';
import type { Registration } from './memory';

/** What a node wants to be registered, and what n8n remembers of it. */
export interface Wanted {
	/** n8n's webhook URL. */
	url: string;
	events: string[];
	/** As remembered or as it is to be made. */
	registration: Registration;
}

/** The registrations with exactly our URL; of a service that shows no URLs, the one that we remember. */
export async function listOwn(
	client: Client,
	url: string,
	id: string | undefined,
): Promise<RegisteredWebhook[]> {
	return (await listWebhooks(client)).filter((webhook) =>
		webhook.url === undefined ? id !== undefined && webhook.id === id : isOwnUrl(webhook.url, url),
	);
}

/** Whether a registration has the wanted secret and events. Events that the service does not show are believed to be as remembered. */
export function isAsWanted(
	webhook: RegisteredWebhook,
	{ url, events, registration }: Wanted,
): boolean {
	const address = withSecret(url, registration.secret);
	const remembered = webhook.id === registration.id ? registration.events : undefined;
	return (
		(webhook.url ?? address) === address &&
		areSameEvents(webhook.events ?? remembered ?? [], events)
	);
}

/**
 * Registers, beside registrations that are out of date if the service allows it, so that no event falls in between.
 *
 * @param outdated are gone afterwards
 * @returns the service's identifier, if it gives one
 */
export async function create(
	client: Client,
	{ url, events, registration }: Wanted,
	outdated: RegisteredWebhook[],
): Promise<string | undefined> {
	const webhook = { url: withSecret(url, registration.secret), events };
	const id = await addWebhook(client, webhook).catch(async (error: unknown) => {
		const failure = asFailure(error);
		const isTaken = isRefusedContent(failure) || statusOf(failure) === 409;
		if (outdated.length === 0 || !isTaken) throw failure;
		await removeWebhooks(client, outdated); // the service takes no second registration of an address
		outdated = [];
		return await addWebhook(client, webhook);
	});
	await removeWebhooks(client, outdated);
	return id;
}
