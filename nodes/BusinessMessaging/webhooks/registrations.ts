/** Webhooks that are registered at the service: listing, adding and removing them. */
import { at, isEqual, isString, sortBy } from 'lodash';

import { endpoints } from '../api/endpoints';
import { type ServiceRecord, isRecord, splitList, textOrJson } from '../jsonValues';
import { readId, readRecord, readWebhookUrl } from '../reading/readResponse';
import { InputError, asFailure } from '../transport/errors';
import type { Client } from '../transport/client';
import { readRecords } from '../transport/lists';
import { registerWebhook } from '../transport/registerWebhook';
import { canonical } from './publicAddress';

/** Fields that may contain the event types of a registration. Assumption: the specification shows none. */
const eventKeys = ['events', 'eventTypes', 'event_types', 'subscriptions', 'triggers'];

/** Fields with the name of an event type, in a registration that has a record for each. This is an assumption, too. */
const nameKeys = ['name', 'event', 'type', 'event_type', 'eventType', 'value'];

/** A registration, as far as the service shows it. */
export interface RegisteredWebhook {
	id?: string;
	/** In canonical form. */
	url?: string;
	events?: string[];
}

/** All registrations of the account. @throws ServiceError */
export async function listWebhooks(client: Client): Promise<RegisteredWebhook[]> {
	const { records, shortfall } = await readRecords(client, endpoints.listWebhooks);
	if (shortfall) throw shortfall;
	return records.map(readWebhook);
}

function readWebhook(record: ServiceRecord): RegisteredWebhook {
	const url = readWebhookUrl(record);
	// The service may hide more of it than the query.
	const isHidden = url === undefined || /^[^?]*(\*{3}|…|•)/.test(url);
	return {
		id: readId(record, 'webhook'),
		url: isHidden ? undefined : canonical(url),
		events: readEvents(record),
	};
}

/** The event types of a registration; undefined if the service does not show them, or shows them in an unknown form. */
function readEvents(record: ServiceRecord): string[] | undefined {
	const events = at(record, eventKeys).find((value) => value !== undefined);
	if (typeof events === 'string') return splitList(events, /[\s,;]/);
	if (!Array.isArray(events)) return undefined;
	const names = events.map((event: unknown) =>
		isRecord(event) ? at(event, nameKeys).find(isString) : textOrJson(event),
	);
	return names.every(isString) ? names : undefined;
}

/** Whether two lists name the same event types. */
export function areSameEvents(one: string[], other: string[]): boolean {
	return isEqual(sortBy(one), sortBy(other));
}

/** Registers a webhook. If an error leaves its existence open, checks the service's list. @returns its ID, if shown */
export async function addWebhook(
	client: Client,
	wanted: { url: string; events: string[] },
): Promise<string | undefined> {
	try {
		return readId(readRecord(await registerWebhook(client, { ...wanted }), 'webhook'), 'webhook');
	} catch (error) {
		const failure = asFailure(error);
		if (failure.sendStatus !== 'mayHaveBeenSent') throw failure;
		const found = (await listWebhooks(client)).find(
			({ url, events }) =>
				url === canonical(wanted.url) && areSameEvents(events ?? wanted.events, wanted.events),
		);
		if (!found) throw failure;
		return found.id;
	}
}

/** Removes registrations; one that is gone already counts as removed. @throws ServiceError, also for one without an ID */
export async function removeWebhooks(
	client: Client,
	webhooks: Array<Pick<RegisteredWebhook, 'id'>>,
): Promise<void> {
	for (const { id } of webhooks) {
		if (id === undefined)
			throw new InputError(
				"The service lists this node's webhook, but without the webhook's ID",
				'Remove the webhook in the settings of the service.',
			);
		const failure = await client
			.call(endpoints.deleteWebhook, { id })
			.then(() => undefined, asFailure);
		if (failure && failure.statusCode !== 404) throw failure;
	}
}
