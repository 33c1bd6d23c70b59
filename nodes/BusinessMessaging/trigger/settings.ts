/** Reads the fields of the trigger, once. */
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { mapValues, omit, uniq } from 'lodash';

import { type EventEnvelope } from '../api/events';
import { splitList, textOrJson } from '../jsonValues';
import { kindOf } from '../reading/readEvents';
import { InputError } from '../transport/errors';
import { credentialType } from '../transport/connect';
import { type SignatureSettings, signingKey } from '../webhooks/signature';
import { type Filters, checkSenders } from './filters';

type Context = IHookFunctions | IWebhookFunctions;

/** The fields of the trigger. */
export type TriggerSettings = ReturnType<typeof readTriggerSettings>;

/** Reads the fields. The filters are read apart, because they may contain expressions for a delivery. */
export function readTriggerSettings(context: Context) {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const fields = [context.getNodeParameter('events', ''), options.otherEvents ?? ''];
	const names = (fields as Array<string | string[]>).flat();
	const { signature } = options as { signature?: { values?: Partial<SignatureSettings> } };
	const isManual = options.registration === 'manual';
	/** Whether deliveries to a URL that is registered by hand must contain the credential's secret. */
	const demandsSecret = isManual && options.requireSecret === true;
	return {
		/** Whether the editor listens for one event on the test URL. */
		isTest: context.getMode() === 'manual',
		/** The chosen kinds of event, from both fields; an expression may return a text or a list for each. */
		events: uniq(names.flatMap((name) => splitList(String(name), /[\s,;]/))),
		keepsReplies: context.getNodeParameter('keepReplies', false) === true,
		isSimplified: context.getNodeParameter('simplify', true) !== false,
		/** Whether the user registers the URL by hand. */
		isManual,
		demandsSecret,
		/** Whether the trigger checks who calls it. */
		isAuthenticated: !isManual || demandsSecret || signature !== undefined,
		/** How deliveries must be signed, by default if no values are saved; undefined if signatures are not checked. */
		signature: signature && {
			scheme: 'sha256-hex' as const,
			header: 'X-Signature',
			...signature.values,
		},
		allowsDuplicates: options.allowDuplicateEvents === true,
		batchesReceipts: options.batchReceipts === true,
		/** How long a person must be silent before the messages start an execution, ms; 0 for no waiting. */
		groupMs: Math.max(0, Number(options.groupMessages) || 0) * 1_000,
		maxPayloadBytes: (Number(options.maxPayloadSize) || 1024) * 1024,
		/** If it differs from that of the registration, the registration gets a new secret. */
		secretVersion: Number(options.secretVersion) || 1,
	};
}

/** The filters of a delivery. The expression is written for a body that is one event, as n8n has parsed it. */
export function readFilters(context: IWebhookFunctions, isOneEvent: boolean): Filters {
	const written = (context.getNode().parameters.filters ?? {}) as Filters;
	const isEmpty = !/\w/.test(textOrJson(written.onlyRunIf)); // also "=", an expression without content
	const chosen = isOneEvent && !isEmpty ? written : omit(written, 'onlyRunIf');
	return mapValues(chosen, (_, name) => context.getNodeParameter(`filters.${name}`));
}

/** Whether an event was chosen: by the service's name for it, by our name, or by `*`. */
export function isChosen({ events }: TriggerSettings, envelope: EventEnvelope): boolean {
	return [envelope.event, kindOf(envelope), '*'].some((name) => events.includes(name));
}

/** Whether messages of customers were chosen. */
export function getsMessages(settings: TriggerSettings): boolean {
	return isChosen(settings, { event: 'message.received', data: {} });
}

/** The Webhook Secret of the credential, without spaces that were copied around it; empty if there is none. */
export async function credentialSecret(context: Context): Promise<string> {
	const { webhookSecret } = await context.getCredentials(credentialType);
	return typeof webhookSecret === 'string' ? webhookSecret.trim() : '';
}

/**
 * Checks for settings with which no event or no reply could ever arrive.
 * @throws InputError if a sender has no country code, a header is missing, the secret is missing or gives no key, or
 * the trigger cannot keep replies
 */
export async function checkSettings(
	context: IHookFunctions,
	settings: TriggerSettings,
): Promise<void> {
	for (const name of ['senders', 'excludedSenders'])
		checkSenders(context.getNodeParameter(`filters.${name}`, ''));
	const { signature, demandsSecret, keepsReplies } = settings;
	if (keepsReplies && !getsMessages(settings))
		throw new InputError(
			"With 'Keep Replies for Send and Wait', the trigger must receive messages",
			"Choose Message Received in 'Trigger On'.",
		);
	if (keepsReplies && settings.isManual)
		throw new InputError(
			"With 'Keep Replies for Send and Wait', the trigger must register its URL itself",
			"Choose Automatic in 'Registration' under 'Options'.",
		);
	if (signature && signature.scheme !== 'standardWebhooks' && signature.header.trim() === '')
		throw new InputError(
			"'Header' of 'Signature' is empty",
			'Enter the name of the header that holds the signature.',
		);
	if (!signature && !demandsSecret) return;
	const secret = await credentialSecret(context);
	if (secret.trim() === '') {
		throw new InputError(
			"'Webhook Secret' of the credential is empty",
			"Enter it there, or remove 'Signature' and 'Require Secret' under 'Options'.",
		);
	}
	if (signature && !signingKey(signature, secret)) {
		throw new InputError(
			"'Webhook Secret' of the credential is not a secret of Standard Webhooks",
			"Such a secret is base64, usually after whsec_. Copy it again from the service, or choose another 'Scheme' of 'Signature' under 'Options'.",
		);
	}
}
