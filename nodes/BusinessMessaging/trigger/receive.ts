/** One delivery of the service: checks it, responds, and starts the workflow if the filters allow it. */
import { mapValues, omit, uniqBy } from 'lodash';
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { type EventEnvelope, eventEnvelopeSchema } from '../api/events';
import { isRecord, textOrJson } from '../jsonValues';
import { writeLog } from '../log';
import { asFailure } from '../transport/errors';
import { type Messages, openMessages, respond, toLateEvent, toLateItem } from '../inbox/atTrigger';
import { inboxEvent } from '../inbox/calls';
import { eventsOf } from '../webhooks/deduplication';
import { deduplicationKeyOf } from '../webhooks/deduplicationKey';
import {
	type Delivery,
	handled,
	readDelivery,
	readEvents,
	refuse,
	refuseBody,
} from '../webhooks/delivery';
import { givenSecret, isSame } from '../webhooks/secret';
import { isSigned } from '../webhooks/signature';
import { readEvent } from '../webhooks/simpleEvent';
import { answerGet, answerPost, challengeWebhook } from './challenge';
import { collect } from './collect';
import { type Filters, filtersMessages, passesFilters } from './filters';
import { toItems } from './toItems';
import { keepRegistration, knowsSecret } from './registration';
import {
	type TriggerOptions,
	credentialSecret,
	demandedSignature,
	demandsSecret,
	isChosen,
	isManual,
	readOptions,
} from './settings';

/**
 * Handles a delivery of one event or several, which start one execution with an item each: 200 once the delivery is
 * handled, also if its events are filtered out or were handled before; 401 with a wrong secret or without a valid
 * signature; 413 for a body that is too large; 400 for a body without events; 503 for a duplicate of an event that is
 * still being handled, and while it is not known whether a secret is right or whether a message is a reply to Send and
 * Wait. Source: specification, "Events"; the statuses besides 200 are assumptions.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	if (context.getWebhookName() === challengeWebhook) return answerGet(context);
	const body: unknown = context.getBodyData();
	const challenge = answerPost(body);
	if (challenge) return challenge;
	if (isRecord(body) && body.event === inboxEvent) return await answerCall(context);
	const isKnown = await hasSecret(context);
	if (isKnown === undefined) return refuse(context, 503, 'The secret could not be checked');
	if (!isKnown) return refuse(context, 401, 'The secret is missing or wrong');
	const delivery = await readDelivery(context);
	const options = readOptions(context);
	if (delivery.rawBody.length > options.maxPayloadBytes)
		return refuse(context, 413, 'The body is too large');
	if (!(await hasSignature(context, delivery)))
		return refuse(context, 401, 'The signature is missing, wrong or too old');
	const events = await readEvents(context, delivery);
	return events ? await handle(context, events, delivery, options) : refuseBody(context);
}

/** Responds to Send and Wait and to other triggers. Their calls are encrypted with the API key, so they need no secret. */
async function answerCall(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const getsMessages =
		context.getMode() !== 'manual' && isChosen(context, { event: 'message.received', data: {} });
	const able = isManual(context) ? 'member' : 'yes';
	const responded = await respond(context, getsMessages ? able : 'no');
	if (!responded) return refuse(context, 403, 'This call does not come from this n8n instance');
	const { response, late } = responded;
	if (!late) {
		const isFiltered = filtersMessages(filtersOf(context));
		return { webhookResponse: isFiltered ? { ...response, isFiltered } : response };
	}
	const filters = messageFilters(context);
	const wanted = late.filter((one) => passesFilters(filters, readEvent(toLateEvent(one))));
	if (wanted.length < late.length)
		writeLog(
			context,
			`Replies that came too late for their run do not pass the filters (${late.length - wanted.length}). They start nothing.`,
		);
	if (wanted.length === 0) return { webhookResponse: response };
	const isSimplified = context.getNodeParameter('simplify', true) !== false;
	return { workflowData: [wanted.map((one) => ({ json: toLateItem(one, isSimplified) }))] };
}

/** The filters as the user wrote them. */
function filtersOf(context: IWebhookFunctions): Filters {
	return (context.getNode().parameters.filters ?? {}) as Filters;
}

/** The values of the filters, except the expression, which is written for the body of a delivery. */
function messageFilters(context: IWebhookFunctions): Filters {
	const others = omit(filtersOf(context), 'onlyRunIf');
	return mapValues(others, (_, name) => context.getNodeParameter(`filters.${name}`));
}

async function handle(
	context: IWebhookFunctions,
	events: EventEnvelope[],
	{ headers }: Delivery,
	options: TriggerOptions,
): Promise<IWebhookResponseData> {
	const isTest = context.getMode() === 'manual';
	// The ID of a delivery with several events does not identify any of them.
	const about = events.length > 1 ? {} : headers;
	const inbox = isTest ? undefined : await openMessages(context, events, about);
	// Whatever becomes of the events: n8n would write back replies and other changes without the secret.
	const wasLost = inbox !== undefined && keepRegistration(context);
	if (wasLost) inbox.store();
	const chosen = context.getNodeParameter('filters', {}) as Filters;
	// The expression is written for a body that is one event, as n8n has parsed it. It would drop events of any other body.
	const isOneEvent = eventEnvelopeSchema.safeParse(context.getBodyData()).success;
	const { onlyRunIf } = filtersOf(context);
	const isEmpty = !/\w/.test(textOrJson(onlyRunIf)); // also "=", an expression without content
	const filters = isOneEvent && !isEmpty ? chosen : omit(chosen, 'onlyRunIf');
	const isWanted = (event: EventEnvelope) =>
		isChosen(context, event) && passesFilters(filters, readEvent(event));
	const candidates = events.filter((event) => isWanted(event) || inbox?.concerns(event));
	if (candidates.length === 0) return handled('Not chosen in the trigger');
	const allowsDuplicates = options.allowsDuplicates || isTest;
	const fresh = allowsDuplicates ? candidates : await withoutDuplicates(context, candidates, about);
	if (fresh === 'underWay')
		return refuse(context, 503, 'The same event is being handled at this moment');
	if (fresh.length === 0) return handled('Duplicate event');
	const others = inbox ? await takeReplies(context, inbox, fresh) : fresh;
	if (!others) return refuse(context, 503, 'Not known yet whether the message is a reply');
	// Replies need not be stored here: the inbox recognizes a reply that is delivered again, and stores it with others of
	// the same moment.
	if (others.length === 0) return handled('Received as a reply');
	const wanted = others.filter(isWanted);
	const collected = wanted.length > 0 ? await collect(context, wanted, options) : wanted;
	if (!collected) return { noWebhookResponse: true };
	// Meanwhile, another secret may have been registered.
	const isKept = keepRegistration(context) || wasLost;
	eventsOf(context).store(context, collected.length > 0, isKept);
	// Otherwise, these changes of n8n's static data would write back an older state of the inbox.
	inbox?.store();
	if (collected.length === 0) return handled('Not chosen in the trigger');
	const isSimplified = context.getNodeParameter('simplify', true) !== false;
	return { workflowData: [toItems(collected, isSimplified, options).map((json) => ({ json }))] };
}

/** Keeps the replies to questions of Send and Wait. @returns the other events; undefined if the service should deliver again */
async function takeReplies(
	context: IWebhookFunctions,
	inbox: Messages,
	events: EventEnvelope[],
): Promise<EventEnvelope[] | undefined> {
	try {
		return await inbox.take(events);
	} catch (error) {
		writeLog(context, `A reply could not be handled: ${asFailure(error).message}`);
		return undefined;
	}
}

/** The events that are new. */
async function withoutDuplicates(
	context: IWebhookFunctions,
	events: EventEnvelope[],
	headers: Delivery['headers'],
): Promise<EventEnvelope[] | 'underWay'> {
	const fresh: EventEnvelope[] = [];
	const known = eventsOf(context);
	known.update(context);
	const keyed = events.map((event) => ({ event, key: deduplicationKeyOf(event, headers) }));
	for (const { event, key } of uniqBy(keyed, (one) => one.key ?? one)) {
		const state = key ? await known.recognize(context, key) : 'new';
		if (state === 'underWay') return state;
		if (state === 'new') fresh.push(event);
	}
	return fresh;
}

async function hasSecret(context: IWebhookFunctions): Promise<boolean | undefined> {
	const given = givenSecret(context);
	if (!isManual(context)) return await knowsSecret(context, given);
	if (!demandsSecret(context)) return true;
	const secret = await credentialSecret(context);
	// A + in the URL arrives as a space, so both count as the same character.
	const [expected, received] = [secret, given].map((text) => text.replaceAll('+', ' '));
	return secret !== '' && isSame(expected, received);
}

async function hasSignature(context: IWebhookFunctions, delivery: Delivery): Promise<boolean> {
	const signature = demandedSignature(context);
	return !signature || isSigned(signature, await credentialSecret(context), delivery, Date.now());
}
