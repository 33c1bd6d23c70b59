/** Translates requests to a service with other conventions into the format of the contract. */
import { randomUUID } from 'node:crypto';
import axios from 'axios';
import type { Choice } from '.';
import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { HttpError, invalid } from '../errorResponses';
import type { Settings } from '../options';
import { firstPage, hasCursors, pageOfCursor } from './lists';

/** The parts of a request, unchecked. */
export interface Asked {
	id: string;
	query: unknown;
	body: unknown;
}

/** The path under which everything is that has moved. */
export const movedPath = '/moved';

/** The path to which a call is redirected, on the same host; undefined if it is not redirected. */
export function redirectOf(choice: Choice, method: string, url: string): string | undefined {
	const isMoved = {
		none: false,
		reads: method === 'GET',
		contacts: /\/contacts\b/.test(url),
	}[choice.redirects];
	return isMoved && !url.startsWith(movedPath) ? `${movedPath}${url}` : undefined;
}

/** A request in the format of the contract. @throws HttpError 422 or 409 if the service refuses it */
export async function readRequest(
	settings: Settings,
	name: EndpointName,
	{ id, query, body }: Asked,
): Promise<Asked> {
	const read = { id, query: readQuery(settings, { ...(query as object) }), body };
	if (name !== 'createWebhook') return read;
	const webhook = readWebhook(settings.variants, { ...(body as object) });
	await challenge(settings.variants, webhook.url);
	return { ...read, body: webhook };
}

function readQuery(
	{ variants: choice, pageSizeCap }: Settings,
	{ limit, page, cursor, ...others }: Record<string, unknown>,
): Record<string, unknown> {
	const isTooLarge = Number(limit) > pageSizeCap;
	if (choice['page-size'] === 'refused' && isTooLarge)
		throw invalid('limit', `must be at most ${pageSizeCap}`);
	if (choice['page-size'] === 'failing' && isTooLarge)
		throw new HttpError(500, 'internal', 'Something went wrong');
	const number = page === undefined ? undefined : Number(page) + firstPage(choice);
	return {
		...others,
		limit,
		page: hasCursors(choice) ? pageOfCursor(cursor) : number,
	};
}

function readWebhook(
	choice: Choice,
	{ events, ...body }: Record<string, unknown>,
): Record<string, unknown> {
	const key = choice['webhook-url'];
	const { [key]: url, ...others } = body;
	if (url === undefined) throw invalid(key, 'is required');
	return { ...others, url, ...(events !== undefined && { events: readEvents(choice, events) }) };
}

function readEvents(choice: Choice, events: unknown): unknown {
	const form = choice['webhook-events'];
	if (form === 'absent') throw invalid('events', 'is not a field of a webhook');
	if (form === 'string' && typeof events !== 'string') throw invalid('events', 'must be a text');
	return form === 'string' ? String(events).split(',') : events;
}

const timeLimitMs = 5_000;

/** Calls an address before it is registered. @throws HttpError 422 if the response is not as the service requires */
async function challenge(choice: Choice, url: unknown): Promise<void> {
	const form = choice['webhook-challenge'];
	if (form === 'none' || typeof url !== 'string' || !URL.canParse(url)) return;
	const word = randomUUID();
	const options = { proxy: false, timeout: timeLimitMs } as const;
	const calls = {
		hub: async () => {
			const hub = { 'hub.mode': 'subscribe', 'hub.verify_token': 'unused', 'hub.challenge': word };
			return (await axios.get<unknown>(url, { params: hub, ...options })).data === word;
		},
		post: async () => {
			const body = { type: 'url_verification', challenge: word };
			return (await axios.post<{ challenge?: string }>(url, body, options)).data.challenge === word;
		},
		ping: async () => (await axios.post(url, { event: 'ping' }, options)).status === 200,
	};
	const isAnswered = await calls[form]().catch(() => false);
	if (!isAnswered) throw invalid(choice['webhook-url'], 'did not answer the challenge');
}
