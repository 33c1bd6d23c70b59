/** One delivery of the service: checked, then answered, and handed on to the workflow if it is wanted. */
import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { uniqBy } from 'lodash';

import type { EventEnvelope } from '../api/events';
import { answerGet, answerPost, challengeWebhook } from './challenge';
import { type Delivery, noEvent, readDelivery, readEvents } from '../webhooks/delivery';
import { deduplicationKeyOf } from '../webhooks/deduplicationKey';
import { downloadMedia, mediaUrl } from './media';
import { someRegistration } from './memory';
import { type TriggerOptions, readOptions } from './options';
import { readEvent, simplify } from '../webhooks/simpleEvent';
import { recognize } from '../webhooks/deduplication';
import { handled, refuse } from '../webhooks/respond';
import { givenSecret, isSame } from '../webhooks/secret';
import {
	credentialSecret,
	demandedSignature,
	demandsSecret,
	isChosen,
	isManual,
	isSimplified,
	passesFilters,
} from './settings';
import { isSigned } from '../webhooks/signature';

/**
 * Handles a delivery of one event or several, which start one execution with an item each: 200 once handled, also if the
 * event is not wanted or was handled before; 401 for a caller that does not know the secret or has not signed; 413 for a
 * body that is too large; 400 for one that is no event; 503 for a copy of an event whose fate is open. Source:
 * specification, "Events"; the statuses besides 200 are assumptions.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	if (context.getWebhookName() === challengeWebhook) return answerGet(context);
	const challenge = answerPost(context.getBodyData());
	if (challenge) return challenge;
	const options = readOptions(context);
	if (!(await knowsSecret(context))) return refuse(context, 401, 'The secret is missing or wrong');
	const delivery = await readDelivery(context);
	if (delivery.rawBody.length > options.largestBody)
		return refuse(context, 413, 'The body is too large');
	if (!(await hasSignature(context, delivery)))
		return refuse(context, 401, 'The signature is missing, wrong or too old');
	const envelopes = readEvents(context, delivery);
	if (!envelopes) return refuse(context, 400, noEvent);
	const wanted = envelopes.filter(
		(envelope) => isChosen(context, envelope) && passesFilters(context, readEvent(envelope)),
	);
	if (wanted.length === 0) return handled('Not wanted');
	const isTest = context.getMode() === 'manual';
	// An identifier of the delivery tells nothing about which of several events this is.
	const headers = envelopes.length > 1 ? {} : delivery.headers;
	const fresh =
		options.takesRepeats || isTest ? wanted : await withoutRepeats(context, wanted, headers);
	if (fresh === 'underWay')
		return refuse(context, 503, 'The same event is being handled at this moment');
	if (fresh.length === 0) return handled('Delivered before');
	return {
		workflowData: [
			await Promise.all(fresh.map(async (envelope) => await toItem(context, envelope, options))),
		],
	};
}

/** The events that are new. */
async function withoutRepeats(
	context: IWebhookFunctions,
	envelopes: EventEnvelope[],
	headers: Delivery['headers'],
): Promise<EventEnvelope[] | 'underWay'> {
	const fresh: EventEnvelope[] = [];
	const keyed = envelopes.map((envelope) => ({
		envelope,
		key: deduplicationKeyOf(envelope, headers),
	}));
	for (const { envelope, key } of uniqBy(keyed, (event) => event.key ?? event)) {
		const fate = key ? await recognize(context, key) : 'new';
		if (fate === 'underWay') return fate;
		if (fate === 'new') fresh.push(envelope);
	}
	return fresh;
}

async function knowsSecret(context: IWebhookFunctions): Promise<boolean> {
	const given = givenSecret(context);
	if (!isManual(context)) return someRegistration(context, ({ secret }) => isSame(secret, given));
	if (!demandsSecret(context)) return true;
	const secret = await credentialSecret(context);
	return secret !== '' && isSame(secret, given);
}

async function hasSignature(context: IWebhookFunctions, delivery: Delivery): Promise<boolean> {
	const scheme = demandedSignature(context);
	return !scheme || isSigned(scheme, await credentialSecret(context), delivery, Date.now());
}

async function toItem(
	context: IWebhookFunctions,
	envelope: EventEnvelope,
	options: TriggerOptions,
): Promise<INodeExecutionData> {
	const json = isSimplified(context) ? simplify(envelope) : (envelope as IDataObject);
	const address = options.downloadsMedia ? mediaUrl(envelope.data) : undefined;
	if (address === undefined) return { json };
	const media = await downloadMedia(context, address, options.largestFile);
	return 'error' in media
		? { json: { ...json, mediaError: media.error } }
		: { json, binary: { media: media.binary } };
}
