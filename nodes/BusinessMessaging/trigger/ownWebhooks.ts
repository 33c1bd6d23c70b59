/** The node's registrations as they are at the service. Only those with exactly our URL are ever touched. */
import { isEqual } from 'lodash';

import { endpoints } from '../api/endpoints';
import { type ServiceRecord, readId, readRecord, readWebhookUrl } from '../api/read';
import { type ItemFailure, asFailure } from '../operations/outcome';
import type { Client } from '../transport/client';
import { ServiceError, isRefusedContent } from '../transport/errors';
import { listRecords } from '../transport/pages';
import { registerWebhook } from '../transport/webhooks';
import type { Registration } from './memory';
import { isOwnUrl, withSecret } from './secret';

/** Where the kinds of event of a registration may stand. Assumption: the specification shows no field of it. */
const eventKeys = ['events', 'eventTypes', 'event_types', 'subscriptions', 'triggers'];

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
): Promise<ServiceRecord[]> {
	const records = await listRecords(client, endpoints.listWebhooks);
	return records.filter((record) => {
		const registered = readWebhookUrl(record);
		return registered === undefined
			? id !== undefined && readId(record) === id
			: isOwnUrl(registered, url);
	});
}

/** Whether a registration has the wanted secret and events. Events that the service does not show are believed to be as remembered. */
export function isAsWanted(record: ServiceRecord, { url, events, registration }: Wanted): boolean {
	const address = withSecret(url, registration.secret);
	const remembered = readId(record) === registration.id ? registration.events : undefined;
	const registered = eventsOf(record) ?? remembered;
	return (
		(readWebhookUrl(record) ?? address) === address &&
		isEqual(registered?.slice().sort(), events.slice().sort())
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
	wanted: Wanted,
	outdated: ServiceRecord[],
): Promise<string | undefined> {
	const body = { url: withSecret(wanted.url, wanted.registration.secret), events: wanted.events };
	const outcome = await registerWebhook(client, body).then(
		(record) => ({ record }),
		(error) => ({ failure: asFailure(error) }),
	);
	if (
		'failure' in outcome &&
		outdated.length > 0 &&
		(isRefusedContent(outcome.failure) || statusOf(outcome.failure) === 409)
	) {
		await removeAll(client, outdated); // the service takes no second registration of an address
		return await create(client, wanted, []);
	}
	const record =
		'failure' in outcome ? await findAfter(outcome.failure, client, wanted) : outcome.record;
	await removeAll(client, outdated);
	return readId(readRecord(record));
}

/** The new registration, if it came about although no good answer came back. @throws the failure if it did not */
async function findAfter(
	failure: ItemFailure,
	client: Client,
	wanted: Wanted,
): Promise<ServiceRecord> {
	const mayExist = failure.sendStatus === 'mayHaveBeenSent';
	const found = mayExist
		? (await listOwn(client, wanted.url, undefined)).find((record) => isAsWanted(record, wanted))
		: undefined;
	if (!found) throw failure;
	return found;
}

/** Removes registrations; one that is gone already is as good as removed. */
export async function removeAll(client: Client, records: ServiceRecord[]): Promise<void> {
	for (const record of records) {
		const failure = await client
			.call(endpoints.deleteWebhook, { id: readId(record) })
			.then(() => undefined, asFailure);
		if (failure && statusOf(failure) !== 404) throw failure;
	}
}

/** The kinds of event of a registration, if the service shows them. */
function eventsOf(record: ServiceRecord): string[] | undefined {
	const events = eventKeys.map((key) => record[key]).find((value) => value !== undefined);
	if (Array.isArray(events)) return events.map(String);
	return typeof events === 'string' ? events.split(/[\s,;]+/).filter(Boolean) : undefined;
}

/** The HTTP status of a failed call. */
export function statusOf(failure: ItemFailure): number | undefined {
	return failure instanceof ServiceError ? failure.statusCode : undefined;
}
