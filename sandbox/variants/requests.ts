/** Requests as a service with other habits wants them, turned into those of the contract. */
import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { conflict, invalid } from '../errors';
import type { Settings } from '../options';
import type { Webhook } from '../state/webhooks';
import type { Choice } from './table';

/** What a request carries, unchecked. */
export interface Asked {
	id: string;
	query: unknown;
	body: unknown;
}

/**
 * A request in the words of the contract.
 *
 * @throws HttpError 422 or 409 for what the service does not take
 */
export function readRequest(
	settings: Settings,
	webhooks: readonly Webhook[],
	name: EndpointName,
	{ id, query, body }: Asked,
): Asked {
	const isRegistration = name === 'createWebhook';
	return {
		id,
		query: readQuery(settings, { ...(query as object) }),
		body: isRegistration ? readWebhook(settings.variants, webhooks, { ...(body as object) }) : body,
	};
}

function readQuery(
	{ variants: choice, pageSizeCap }: Settings,
	{ limit, page, ...others }: Record<string, unknown>,
): Record<string, unknown> {
	if (choice.paging === 'none') return others;
	if (choice['page-size'] === 'refused' && Number(limit) > pageSizeCap)
		throw invalid('limit', `must be at most ${pageSizeCap}`);
	const isCountedFrom0 = choice['page-base'] === '0' && page !== undefined;
	return {
		...others,
		...(choice['page-size'] !== 'ignored' && { limit }),
		page: isCountedFrom0 ? Number(page) + 1 : page,
	};
}

function readWebhook(
	choice: Choice,
	webhooks: readonly Webhook[],
	{ events, ...body }: Record<string, unknown>,
): Record<string, unknown> {
	const key = choice['webhook-url'];
	const { [key]: url, ...others } = body;
	if (url === undefined) throw invalid(key, 'is required');
	const isTaken =
		choice['webhook-duplicates'] === 'refused' && webhooks.some((webhook) => webhook.url === url);
	if (isTaken) throw conflict(key, 'There is already a webhook with this address');
	return {
		...others,
		url,
		...(events !== undefined && { events: readEvents(choice['webhook-events'], events) }),
	};
}

function readEvents(form: Choice['webhook-events'], events: unknown): unknown {
	switch (form) {
		case 'array':
			return events;
		case 'string':
			if (typeof events !== 'string') throw invalid('events', 'must be a text');
			return events.split(',');
		case 'absent':
			throw invalid('events', 'is not a field of a webhook');
	}
}
