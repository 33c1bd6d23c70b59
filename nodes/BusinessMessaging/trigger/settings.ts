/** Reading the fields of the trigger. */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { uniq } from 'lodash';

import { type EventEnvelope, kindOf } from '../api/events';
import { InputError } from '../operations/inputError';
import { credentialType } from '../transport/connect';
import { type Filters, compileFilters } from './filters';
import type { SimpleEvent } from '../webhooks/simpleEvent';
import { type SignatureScheme, schemeOf } from '../webhooks/signature';

type Context = IHookFunctions | IWebhookFunctions;

/** Names every kind of event. */
const everyKind = '*';

/** The chosen kinds of event, from both fields; an expression may give a text or a list for either. */
export function chosenEvents(context: Context): string[] {
	const fields = ['events', 'otherEvents'].map(
		(name) => context.getNodeParameter(name, '') as string | string[],
	);
	return uniq(fields.flat().flatMap((names) => String(names).split(/[\s,;]+/))).filter(Boolean);
}

/** Whether an event was chosen, by the name that the service gives it or by ours. */
export function isChosen(context: Context, envelope: EventEnvelope): boolean {
	const chosen = chosenEvents(context);
	return [envelope.event, kindOf(envelope), everyKind].some((name) => chosen.includes(name));
}

/** Whether an event passes the filters. @throws InputError if a filter cannot be used */
export function passesFilters(context: Context, event: SimpleEvent): boolean {
	return readFilters(context)(event);
}

function readFilters(context: Context): (event: SimpleEvent) => boolean {
	return compileFilters(context.getNodeParameter('filters', {}) as Filters);
}

/** Whether the user registers the URL by hand. */
export function isManual(context: Context): boolean {
	return context.getNodeParameter('registration', 'automatic') === 'manual';
}

/** Whether a URL that is registered by hand must bring the credential's secret along. */
export function demandsSecret(context: Context): boolean {
	return isManual(context) && context.getNodeParameter('requireSecret', false) === true;
}

/** The signature that deliveries must have; undefined for none. */
export function demandedSignature(context: Context): SignatureScheme | undefined {
	return schemeOf({
		kind: context.getNodeParameter('signature', 'none') as string,
		header: context.getNodeParameter('signatureHeader', '') as string,
		custom: context.getNodeParameter('customSignature', {}) as Record<string, unknown>,
	});
}

/** The Webhook Secret of the credential; empty if there is none. */
export async function credentialSecret(context: Context): Promise<string> {
	const { webhookSecret } = await context.getCredentials(credentialType);
	return typeof webhookSecret === 'string' ? webhookSecret : '';
}

/** Whether events come out in the simplified form. */
export function isSimplified(context: IWebhookFunctions): boolean {
	return context.getNodeParameter('simple', true) !== false;
}

/**
 * Finds out at the activation what would otherwise keep every event from the workflow.
 *
 * @throws InputError for a filter that cannot be used or a secret that is missing
 */
export async function checkSettings(context: IHookFunctions): Promise<void> {
	readFilters(context);
	const signature = demandedSignature(context);
	if (signature?.header === '')
		throw new InputError(
			'The Signature Header is empty',
			'Enter the name of the header that holds the signature',
		);
	if ((signature || demandsSecret(context)) && (await credentialSecret(context)) === '') {
		throw new InputError(
			'The Webhook Secret of the credential is empty',
			'Enter there the secret with which the service signs, or choose no signature',
		);
	}
}
