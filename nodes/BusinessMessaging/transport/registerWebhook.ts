/** Registers webhooks. The specification shows no field names. So the usual ones are tried, and those that a refusal mentions. */
import { isEqual } from 'lodash';

import { endpoints } from '../api/endpoints';
import { BoundedMap } from '../boundedMap';
import type { Client } from './client';
import { ServiceError, isRefusedContent } from './errors';

/** `url`, `events`, and fields that the user has added. */
type WebhookBody = Record<string, unknown>;

/** How a service names the fields. */
interface Form {
	/** Field for the address. */
	address: string;
	/** How the events are written. Every form contains the events, because without them the service would deliver all events. */
	events: 'list' | 'text';
}

const addressFields = [
	...['url', 'callbackUrl', 'callback_url'],
	...['webhookUrl', 'webhook_url', 'endpoint'],
];

/** The forms that are tried if a refusal does not name the fields. */
const usualForms: Form[] = [
	{ address: 'url', events: 'list' },
	{ address: 'callbackUrl', events: 'list' },
	{ address: 'url', events: 'text' },
];
const maxForms = 3;

/** The form that each service has accepted, by base URL and key. */
const knownForms = new BoundedMap<string, Form>({ maxSize: 100, maxAgeMs: 24 * 3_600_000 });

/** Words which mean that the field names are wrong, not their values. */
const aboutFields =
	/required|missing|unknown|unexpected|unrecogni|invalid|must|not (a field|allowed)|body|field|param|propert|schema/i;

/**
 * Registers a webhook. A service that refuses a body has registered nothing, so up to two others are tried.
 * @throws ServiceError: the refusal that says most
 */
export async function registerWebhook(
	client: Client,
	body: WebhookBody,
	idempotencyKey?: string,
): Promise<unknown> {
	const tried: Form[] = [];
	const refusals: ServiceError[] = [];
	const known = knownForms.get(client.config.id);
	for (let form = known ?? usualForms.at(0); form && tried.length < maxForms; ) {
		// With the same key, the service might refuse another body.
		const key = idempotencyKey && `${idempotencyKey} ${form.address} ${form.events}`;
		const request = { body: toBody(form, body), idempotencyKey: key };
		const response = await client.call(endpoints.createWebhook, request).catch(asRefusal);
		if (!(response instanceof ServiceError)) {
			knownForms.set(client.config.id, form);
			return response;
		}
		tried.push(form);
		refusals.push(response);
		form = nextForm(wordsOf(response), tried, body);
	}
	const [first] = refusals;
	const telling = refusals.find((refusal) => !aboutFields.test(wordsOf(refusal)));
	throw telling ?? refusals.find((refusal) => wordsOf(refusal) !== wordsOf(first)) ?? first;
}

/** @throws the error, unless it refuses the body */
function asRefusal(error: unknown): ServiceError {
	if (isRefusedContent(error)) return error;
	throw error;
}

/** The form to try after a refusal; undefined if the refusal is not about field names. */
function nextForm(words: string, tried: Form[], { events }: WebhookBody): Form | undefined {
	const form = tried[tried.length - 1];
	const isNew = (other: Form) => !tried.some((one) => isEqual(one, other));
	const named = addressFields
		.filter((field) => new RegExp(`\\b${field}\\b`).test(words))
		.map((address) => ({ ...form, address }))
		.find(isNew);
	if (named) return named;
	const names = [events].flat().map(String).filter(Boolean);
	if (/\bevents?\b/i.test(words) || names.some((name) => words.includes(name))) {
		const other: Form = { ...form, events: form.events === 'list' ? 'text' : 'list' };
		const wanted = other.events === 'text' ? /\b(string|text)\b/i : /\b(array|list)\b/i;
		return wanted.test(words) && isNew(other) ? other : undefined;
	}
	return words === '' || aboutFields.test(words) ? usualForms.find(isNew) : undefined;
}

/** The service's own message in a refusal. */
function wordsOf({ message }: ServiceError): string {
	return message.split(': ').slice(1).join(': ');
}

function toBody(form: Form, { url, events, ...others }: WebhookBody): Record<string, unknown> {
	const given = form.events === 'list' ? events : [events].flat().join(',');
	return { [form.address]: url, ...(events !== undefined && { events: given }), ...others };
}
