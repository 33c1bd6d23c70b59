/**
 * Registering a webhook, whose fields the specification does not show. The usual names are tried one after the other: a
 * service that refuses a body has registered nothing. What it takes is kept for later registrations.
 */
import { sortBy } from 'lodash';

import { endpoints } from '../api/endpoints';
import type { Client } from './client';
import { type ServiceError, isRefusedContent } from './errors';

/** What is to be registered, with further fields of the user's own. */
export interface WebhookBody extends Record<string, unknown> {
	url?: unknown;
	events?: unknown;
}

/** How a service wants it. */
interface Form {
	/** Field for the address. */
	address: string;
	/** How the kinds of event are given; absent: not at all. */
	events: 'list' | 'text' | 'absent';
}

const addressFields = [
	'url',
	'callbackUrl',
	'callback_url',
	'webhookUrl',
	'webhook_url',
	'endpoint',
];
const eventForms = ['list', 'text', 'absent'] as const;
const forms: Form[] = eventForms.flatMap((events) =>
	addressFields.map((address) => ({ address, events })),
);

/** Words that are about the form of a body and not about what it asks for. */
const aboutForm =
	/field|param|propert|attribut|url|uri|callback|endpoint|address|event|required|missing|unknown|unexpected|invalid|must|should|body|schema/i;

/** What the services have taken, by address and key. */
const known = new Map<string, Form>();

/** Words that are about the form alone, and tell nothing of why a body of the right form was refused. */
const onlyForm =
	/required|missing|unknown|unexpected|unrecogni|not a field|not allowed|not permitted|must be an? (array|list|string|text)/i;

/**
 * Registers a webhook.
 *
 * @returns the service's answer
 * @throws ServiceError the most telling of the refusals
 */
export async function registerWebhook(
	client: Client,
	body: WebhookBody,
	idempotencyKey?: string,
): Promise<unknown> {
	const taken = known.get(client.config.id);
	const [first, ...others] = taken ? [taken, ...forms.filter((form) => form !== taken)] : forms;
	const outcome = await tryForm(client, first, body, idempotencyKey);
	if (!('refusal' in outcome)) return outcome.answer;
	const { message } = outcome.refusal;
	if (taken && !onlyForm.test(message)) throw outcome.refusal;
	// Words that name a field tell what is wanted.
	const isNamed = ({ address }: Form) =>
		message.includes(`${address}:`) || (address === first.address && /\bevents?\b/.test(message));
	const refusals = [outcome.refusal];
	for (const form of sortBy(others, (one) => !isNamed(one))) {
		const next = await tryForm(client, form, body, idempotencyKey);
		if (!('refusal' in next)) return next.answer;
		refusals.push(next.refusal);
	}
	throw refusals.find((refusal) => !onlyForm.test(refusal.message)) ?? outcome.refusal;
}

/** @throws ServiceError unless the service may only want another form */
async function tryForm(
	client: Client,
	form: Form,
	body: WebhookBody,
	idempotencyKey?: string,
): Promise<{ answer: unknown } | { refusal: ServiceError }> {
	const request = {
		body: toBody(form, body),
		// Another body under the same key would be refused, or answered as the first one was.
		idempotencyKey: idempotencyKey && `${idempotencyKey} ${form.address} ${form.events}`,
	};
	const outcome = await client.call(endpoints.createWebhook, request).then(
		(answer) => ({ answer }),
		(error: unknown) => ({ error }),
	);
	if ('error' in outcome) return { refusal: asRefusalOfForm(outcome.error) };
	known.set(client.config.id, form);
	return outcome;
}

/** @throws the error, if it is about anything but the form */
function asRefusalOfForm(error: unknown): ServiceError {
	if (!isRefusedContent(error)) throw error;
	const words = error.message.replace(/^[^:]*/, '');
	if (words === '' || aboutForm.test(words)) return error;
	throw error;
}

function toBody(
	{ address, events: form }: Form,
	{ url, events, ...others }: WebhookBody,
): Record<string, unknown> {
	const given = { list: { events }, text: { events: [events].flat().join(',') }, absent: {} }[form];
	return { [address]: url, ...(events === undefined ? {} : given), ...others };
}
