/** One delivery of the service: reads it, decides what it is, responds, and starts the workflow if the filters allow it. */
import { uniqBy } from 'lodash';
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { type EventEnvelope, eventEnvelopeSchema } from '../api/events';
import { isRecord } from '../jsonValues';
import { writeLog } from '../log';
import { asFailure } from '../transport/errors';
import { toArrival } from '../inbox/arrival';
import { callEvent, refusal } from '../inbox/calls';
import type { Arrival, Late, Verdict } from '../inbox/core';
import {
	type Handled,
	openKeeper,
	openOther,
	readCall,
	readHandled,
	toLateEvent,
	toLateItem,
} from '../inbox/openKeeper';
import { isTriggerUrl } from '../inbox/urls';
import { eventsOf } from '../webhooks/deduplication';
import { handled, readDelivery, readEvents, refuse, refuseBody } from '../webhooks/delivery';
import { type StateName, nodeKey, readState, writeAll } from '../webhooks/nodeState';
import { webhookUrlOf } from '../webhooks/publicAddress';
import { givenSecret, isSame } from '../webhooks/secret';
import { type IncomingEvent, readIncoming } from '../webhooks/incomingEvent';
import { isSigned } from '../webhooks/signature';
import { readEvent } from '../webhooks/simpleEvent';
import { answerGet, answerPost, challengeWebhook } from './challenge';
import { collect } from './collect';
import { type Filters, passesFilters } from './filters';
import { toItems } from './toItems';
import { knowsSecret, presentRegistration } from './secrets';
import {
	type TriggerSettings,
	credentialSecret,
	getsMessages,
	isChosen,
	readFilters,
	readTriggerSettings,
} from './settings';

/**
 * Handles a delivery: one execution with an item for each event. 200: handled, filtered out or a duplicate; 400: no
 * event; 401: secret or signature; 413: too large; 503: deliver again, because it is not known yet whether the secret is
 * right, whether the event is a duplicate, or whether a message is a reply. Source: specification, "Events"; the statuses
 * besides 200 are assumptions.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	if (context.getWebhookName() === challengeWebhook) return answerGet(context);
	const body: unknown = context.getBodyData();
	const challenge = answerPost(body);
	if (challenge) return challenge;
	const settings = readTriggerSettings(context);
	if (isRecord(body) && body.event === callEvent) return await answerCall(context, settings);
	const isKnown = await hasSecret(context, settings);
	if (isKnown === undefined) return refuse(context, 503, 'The secret could not be checked');
	if (!isKnown) return refuse(context, 401, 'The secret is missing or wrong');
	const delivery = await readDelivery(context);
	if (delivery.rawBody.length > settings.maxPayloadBytes)
		return refuse(context, 413, 'The body is too large');
	const { signature } = settings;
	if (signature && !isSigned(signature, await credentialSecret(context), delivery, Date.now()))
		return refuse(context, 401, 'The signature is missing, wrong or too old');
	const events = await readEvents(context, delivery);
	if (!events) return refuseBody(context);
	const isOneEvent = eventEnvelopeSchema.safeParse(body).success;
	const filters = readFilters(context, isOneEvent);
	// The ID of a delivery with several events does not identify any of them.
	const about = events.length > 1 ? {} : delivery.headers;
	return await handle(context, settings, filters, events, about);
}

async function hasSecret(
	context: IWebhookFunctions,
	{ isManual, demandsSecret }: TriggerSettings,
): Promise<boolean | undefined> {
	const given = givenSecret(context);
	if (!isManual) return await knowsSecret(context, given);
	if (!demandsSecret) return true;
	const secret = await credentialSecret(context);
	// A + in the URL arrives as a space, so both count as the same character.
	const [expected, received] = [secret, given].map((text) => text.replaceAll('+', ' '));
	return secret !== '' && isSame(expected, received);
}

/** Responds to Send and Wait and to other triggers. Their calls are encrypted with the API key, so they need no secret. */
async function answerCall(
	context: IWebhookFunctions,
	settings: TriggerSettings,
): Promise<IWebhookResponseData> {
	const call = await readCall(context);
	if (call === 401) return refuse(context, 401, refusal);
	if (call === 503) return refuse(context, 503, 'Try again');
	const { request, client } = call;
	const delivery = readHandled(context, presentRegistration(context)?.madeAt ?? 0);
	if (request.is === 'look') {
		const { trigger } = openOther(context, delivery, settings.isManual);
		if (isTriggerUrl(request.inbox, webhookUrlOf(context))) trigger.look(request.inbox);
		write(context, { inboxUrl: trigger.inbox }, false);
		return { webhookResponse: call.respond({ inbox: 'no' }) };
	}
	const isInbox = settings.keepsReplies && !settings.isTest && getsMessages(settings);
	const keeper = await openKeeper(context, delivery, client);
	const { response, late = [] } = await keeper.respond(delivery, request, isInbox);
	const webhookResponse = call.respond({ ...response, workflow: context.getWorkflow().name });
	const items = itemsOf(context, settings, late);
	const { live } = delivery;
	if (live || items.length > 0) write(context, { inbox: live ?? keeper.live }, items.length > 0);
	return items.length > 0 ? { webhookResponse, workflowData: [items] } : { webhookResponse };
}

function itemsOf(context: IWebhookFunctions, settings: TriggerSettings, late: Late[]) {
	if (late.length === 0) return [];
	const filters = readFilters(context, false);
	const wanted = late.filter((one) => passesFilters(filters, readEvent(toLateEvent(one))));
	if (wanted.length < late.length)
		writeLog(
			context,
			`Replies that came too late for Send and Wait: ${late.length - wanted.length}. The filters of this trigger do not let them pass, so they start no workflow.`,
		);
	return wanted.map((one) => ({ json: toLateItem(one, settings.isSimplified) }));
}

/** Writes everything, not only what has changed: n8n would write back the rest as it was when the delivery arrived. */
function write(
	context: IWebhookFunctions,
	changed: Partial<Record<StateName, unknown>>,
	isStarting: boolean,
): void {
	const response = context.getResponseObject();
	const events = eventsOf(nodeKey(context));
	const registrations = presentRegistration(context)?.all;
	const all = {
		recentEvents: events.liveFor(response, readState(context, 'recentEvents')),
		...(registrations && { registrations }),
		...changed,
	};
	writeAll(context, Object.entries(all) as Array<[StateName, unknown]>, isStarting);
}

/** What decides on the messages of a delivery: the inbox, or another trigger, which asks it. */
interface Judge {
	/** Whether a message has to be judged even if the trigger would not start a workflow with it. */
	concerns(arrival: Arrival): boolean;
	/** @returns undefined if the service has to deliver again */
	judge(arrivals: Arrival[], hasOthers: boolean): Promise<Verdict[] | undefined>;
	/** What this delivery has changed; n8n has to store it before it responds. */
	changed(): Partial<Record<StateName, unknown>>;
	/** What n8n has to store whenever it stores anything. Otherwise, it would write back the older state that it has read. */
	all(): Partial<Record<StateName, unknown>>;
}

async function openJudge(
	context: IWebhookFunctions,
	settings: TriggerSettings,
	delivery: Handled,
): Promise<Judge | undefined> {
	if (settings.isTest) return undefined;
	if (!settings.keepsReplies) {
		const other = openOther(context, delivery, settings.isManual);
		const inboxUrl = () => ({ inboxUrl: other.trigger.inbox });
		return {
			concerns: () => false,
			judge: async (arrivals) => (arrivals.length > 0 ? await other.ask(arrivals) : []),
			changed: () => (other.isStored() ? {} : inboxUrl()),
			all: inboxUrl,
		};
	}
	const keeper = await openKeeper(context, delivery);
	return {
		concerns: (arrival) => keeper.concerns(arrival),
		judge: async (arrivals, hasOthers) => {
			const verdicts = await keeper.receive(delivery, arrivals, hasOthers);
			return verdicts === 'busy' ? undefined : verdicts;
		},
		changed: () => (delivery.live ? { inbox: delivery.live } : {}),
		all: () => ({ inbox: delivery.live ?? keeper.live }),
	};
}

interface Incoming extends IncomingEvent {
	/** The event as a message that may be a reply; absent for any other event. */
	arrival?: Arrival;
	/** Whether the trigger's settings and filters allow it to start the workflow. */
	isWanted: boolean;
}

/** @param about headers that may identify the event */
async function handle(
	context: IWebhookFunctions,
	settings: TriggerSettings,
	filters: Filters,
	events: EventEnvelope[],
	about: Record<string, unknown>,
): Promise<IWebhookResponseData> {
	const node = nodeKey(context);
	eventsOf(node).update(readState(context, 'recentEvents'));
	const since = presentRegistration(context)?.madeAt ?? 0;
	const judge = await openJudge(context, settings, readHandled(context, since));
	const startNothing = (reason: string) => {
		writeChanged(context, judge, false);
		return handled(reason);
	};
	const incoming = events.map((envelope) => {
		const event = readIncoming(envelope, about);
		const isWanted = isChosen(settings, envelope) && passesFilters(filters, event.fields);
		return { ...event, arrival: toArrival(event), isWanted };
	});
	const candidates = incoming.filter(
		({ isWanted, arrival }) => isWanted || (arrival && judge?.concerns(arrival)),
	);
	if (candidates.length === 0) return startNothing('Not chosen in the trigger');
	const fresh =
		settings.allowsDuplicates || settings.isTest
			? candidates
			: await withoutDuplicates(context, candidates);
	if (fresh === 'underWay')
		return refuse(context, 503, 'The same event is being handled at this moment');
	if (fresh.length === 0) return startNothing('Duplicate event');
	const others = await withoutReplies(context, judge, fresh);
	if (!others) return refuse(context, 503, 'Not known yet whether the message is a reply');
	if (others.length === 0) return startNothing('Received as a reply');
	const wanted = others.filter(({ isWanted }) => isWanted);
	if (wanted.length === 0) return startNothing('Not chosen in the trigger');
	const collected = await collect(node, context.getResponseObject(), wanted, settings);
	if (!collected) return { noWebhookResponse: true };
	writeChanged(context, judge, true);
	return { workflowData: [toItems(collected, settings).map((json) => ({ json }))] };
}

function writeChanged(
	context: IWebhookFunctions,
	judge: Judge | undefined,
	isStarting: boolean,
): void {
	const changed = judge?.changed() ?? {};
	const hasEvents = eventsOf(nodeKey(context)).hasEvents(context.getResponseObject());
	// n8n would write back other changes without the secret.
	const isLost = presentRegistration(context)?.isLost === true;
	if (Object.keys(changed).length > 0 || hasEvents || isLost)
		write(context, { ...judge?.all(), ...changed }, isStarting);
}

/** Leaves out replies, unless they start workflows too. @returns undefined if the service should deliver again */
async function withoutReplies(
	context: IWebhookFunctions,
	judge: Judge | undefined,
	incoming: Incoming[],
): Promise<Incoming[] | undefined> {
	if (!judge) return incoming;
	const arrivals = incoming.flatMap(({ arrival }) => arrival ?? []);
	try {
		const verdicts = await judge.judge(arrivals, arrivals.length < incoming.length);
		return (
			verdicts &&
			incoming.filter(({ arrival }) => {
				const verdict = arrival && verdicts[arrivals.indexOf(arrival)];
				return verdict?.is !== 'taken' || verdict.startsToo === true;
			})
		);
	} catch (error) {
		writeLog(context, `A reply could not be handled: ${asFailure(error).message}`);
		return undefined;
	}
}

async function withoutDuplicates(
	context: IWebhookFunctions,
	incoming: Incoming[],
): Promise<Incoming[] | 'underWay'> {
	const recent = eventsOf(nodeKey(context));
	const response = context.getResponseObject();
	const fresh: Incoming[] = [];
	for (const one of uniqBy(incoming, (each) => each.key ?? each)) {
		const state = one.key ? await recent.recognize(response, one.key) : 'new';
		if (state === 'underWay') return state;
		if (state === 'new') fresh.push(one);
	}
	return fresh;
}
