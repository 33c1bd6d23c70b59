/** One delivery of the service: checked, then answered, and handed on to the workflow if it is wanted. */
import type { IDataObject, INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { type EventEnvelope, eventEnvelopeSchema } from '../api/events';
import { greatestDepth, isDeeper } from '../api/read';
import { downloadMedia, mediaUrl } from './media';
import { someRegistration } from './memory';
import { type TriggerOptions, readOptions } from './options';
import { readEvent, simplify } from './output';
import { identityOf, recognize } from './repeats';
import { givenSecret, isSame } from './secret';
import { credentialSecret, demandedSignature, demandsSecret, isChosen, isManual, isSimplified, passesFilters } from './settings';
import { type SignedDelivery, isSigned, readDelivery } from './signature';

/**
 * Handles a delivery: 200 once handled, also if the event is not wanted or was handled before; 401 for a caller that
 * does not know the secret or has not signed; 413 for a body that is too large; 400 for one that is no event; 503 for a
 * copy of an event whose fate is open. Source: specification, "Events"; the statuses besides 200 are assumptions.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const options = readOptions(context);
	if (!(await knowsSecret(context))) return refuse(context, 401, 'The secret is missing or wrong');
	const delivery = await readDelivery(context);
	if (delivery.rawBody.length > options.largestBody) return refuse(context, 413, 'The body is too large');
	if (!(await hasSignature(context, delivery))) return refuse(context, 401, 'The signature is missing, wrong or too old');
	const envelope = readEnvelope(context, delivery);
	if (!envelope) return refuse(context, 400, 'The body is no event: it needs "event" (text) and "data" (object)');
	if (!isChosen(context, envelope.event) || !passesFilters(context, readEvent(envelope))) return handled('Not wanted');
	const identity = identityOf(envelope, delivery.headers);
	const isTest = context.getMode() === 'manual';
	const fate = identity && !options.takesRepeats && !isTest ? await recognize(context, identity) : 'new';
	if (fate === 'taken') return handled('Delivered before');
	if (fate === 'underWay') return refuse(context, 503, 'The same event is being handled at this moment');
	return { workflowData: [[await toItem(context, envelope, options)]] };
}

function handled(message: string): IWebhookResponseData {
	return { webhookResponse: { message } };
}

function refuse(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

async function knowsSecret(context: IWebhookFunctions): Promise<boolean> {
	const given = givenSecret(context);
	if (!isManual(context)) return someRegistration(context, ({ secret }) => isSame(secret, given));
	if (!demandsSecret(context)) return true;
	const secret = await credentialSecret(context);
	return secret !== '' && isSame(secret, given);
}

async function hasSignature(context: IWebhookFunctions, delivery: SignedDelivery): Promise<boolean> {
	const scheme = demandedSignature(context);
	return !scheme || isSigned(scheme, await credentialSecret(context), delivery, Date.now());
}

/** n8n parses JSON only if the header says that it is some; the raw body tells what really came. */
function readEnvelope(context: IWebhookFunctions, { rawBody }: SignedDelivery): EventEnvelope | undefined {
	const parsed = eventEnvelopeSchema.safeParse(context.getBodyData());
	const envelope = parsed.success ? parsed.data : eventEnvelopeSchema.safeParse(parseJson(String(rawBody))).data;
	return isDeeper(envelope, greatestDepth) ? undefined : envelope;
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

async function toItem(context: IWebhookFunctions, envelope: EventEnvelope, options: TriggerOptions): Promise<INodeExecutionData> {
	const json = isSimplified(context) ? simplify(envelope) : (envelope as IDataObject);
	const address = options.downloadsMedia ? mediaUrl(envelope.data) : undefined;
	if (address === undefined) return { json };
	const media = await downloadMedia(context, address, options.largestFile);
	return 'error' in media ? { json: { ...json, mediaError: media.error } } : { json, binary: { media: media.binary } };
}
