/** Reads the fields of the trigger. */
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { uniq } from 'lodash';

import { type EventEnvelope } from '../api/events';
import { splitList } from '../jsonValues';
import { kindOf } from '../reading/readEvents';
import { InputError } from '../transport/errors';
import { credentialType } from '../transport/connect';
import { type SignatureSettings, signingKey } from '../webhooks/signature';
import { checkSenders } from './filters';

type Context = IHookFunctions | IWebhookFunctions;

const optionsOf = (context: Context) => context.getNodeParameter('options', {}) as IDataObject;

/** The chosen kinds of event, from both fields; an expression may return a text or a list for each. */
export function chosenEvents(context: Context): string[] {
	const fields = [context.getNodeParameter('events', ''), optionsOf(context).otherEvents ?? ''];
	const names = (fields as Array<string | string[]>).flat();
	return uniq(names.flatMap((name) => splitList(String(name), /[\s,;]/)));
}

/** Whether an event was chosen: by the service's name for it, by our name, or by `*`. */
export function isChosen(context: Context, envelope: EventEnvelope): boolean {
	const chosen = chosenEvents(context);
	return [envelope.event, kindOf(envelope), '*'].some((name) => chosen.includes(name));
}

/** Whether the user registers the URL by hand. */
export function isManual(context: Context): boolean {
	return optionsOf(context).registration === 'manual';
}

/** Whether deliveries to a URL that is registered by hand must contain the credential's secret. */
export function demandsSecret(context: Context): boolean {
	return isManual(context) && optionsOf(context).requireSecret === true;
}

/** How deliveries must be signed, by default if no values are saved; undefined if signatures are not checked. */
export function demandedSignature(context: Context): SignatureSettings | undefined {
	const { signature } = optionsOf(context) as {
		signature?: { values?: Partial<SignatureSettings> };
	};
	return signature && { scheme: 'sha256-hex', header: 'X-Signature', ...signature.values };
}

/** The Webhook Secret of the credential, without spaces that were copied around it; empty if there is none. */
export async function credentialSecret(context: Context): Promise<string> {
	const { webhookSecret } = await context.getCredentials(credentialType);
	return typeof webhookSecret === 'string' ? webhookSecret.trim() : '';
}

/**
 * Checks, when the workflow is published, for settings with which no event could ever arrive.
 *
 * @throws InputError if a sender has no country code, a header is missing, or the secret is missing or gives no key
 */
export async function checkSettings(context: IHookFunctions): Promise<void> {
	for (const name of ['senders', 'excludedSenders'])
		checkSenders(context.getNodeParameter(`filters.${name}`, ''));
	const signature = demandedSignature(context);
	if (signature && signature.scheme !== 'standardWebhooks' && signature.header.trim() === '')
		throw new InputError(
			"'Header' of 'Signature' is empty",
			'Enter the name of the header that holds the signature.',
		);
	if (!signature && !demandsSecret(context)) return;
	const secret = await credentialSecret(context);
	if (secret.trim() === '') {
		throw new InputError(
			"'Webhook Secret' of the credential is empty",
			"Enter the signing secret of the service there, or remove 'Signature' and 'Require Secret' under 'Options'.",
		);
	}
	if (signature && !signingKey(signature, secret)) {
		throw new InputError(
			"'Webhook Secret' of the credential is not a secret of Standard Webhooks",
			"Such a secret is base64, usually after whsec_. Copy it again from the service, or choose another 'Scheme' of 'Signature' under 'Options'.",
		);
	}
}

/** The options of the trigger. If the version of the secret differs from that of the registration, the registration gets a new secret. */
export type TriggerOptions = ReturnType<typeof readOptions>;

/** Reads the options. */
export function readOptions(context: Context) {
	const options = optionsOf(context);
	return {
		allowsDuplicates: options.allowDuplicateEvents === true,
		batchesReceipts: options.batchReceipts === true,
		/** How long a person must be silent before the messages start an execution, ms; 0 for no waiting. */
		groupMs: Math.max(0, Number(options.groupMessages) || 0) * 1_000,
		maxPayloadBytes: (Number(options.maxPayloadSize) || 1024) * 1024,
		secretVersion: Number(options.secretVersion) || 1,
	};
}
