/** The inbox of a trigger in n8n. This module reads what a delivery brings, and writes what follows from it. */
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { endpoints } from '../api/endpoints';
import type { EventEnvelope } from '../api/events';
import { BoundedMap } from '../boundedMap';
import { writeLog } from '../log';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import { withDeadline } from '../transport/deadline';
import { ServiceError } from '../transport/errors';
import { eventsOf } from '../webhooks/deduplication';
import { hasSucceeded } from '../webhooks/delivery';
import { nodeKey, readState, writeState } from '../webhooks/nodeState';
import { webhookUrlOf } from '../webhooks/publicAddress';
import { type RegisteredWebhook, listWebhooks } from '../webhooks/registrations';
import { simplify } from '../webhooks/simpleEvent';
import { notRepeated, repetitionOf } from './answers';
import { toArrival } from './arrival';
import { callRun, callsOf, openRequest } from './calls';
import type { Person, Run } from './core';
import { Inbox, type Late, learn } from './inbox';
import type { Delivery, InboxPorts, TriggerRequest, TriggerResponse } from './ports';
import { seal, unseal } from './seal';
import { isTriggerUrl, withoutQuery } from './urls';

/**
 * How long deliveries use a credential that was read before, ms: n8n reads it from its database. A call always reads
 * it, so that a new key counts at once.
 */
const credentialMs = 5_000;

/**
 * How long repeating a question may take, ms: services give up after ten seconds or more. After this time, the
 * repetition counts as sent.
 */
const repeatMs = 7_000;

/**
 * How long n8n may go on with a call, ms. After this time, n8n counts as having failed: it is better to start a workflow
 * twice than to lose a message.
 */
const maxHandlingMs = 600_000;

interface Opened {
	inbox: Inbox;
	/** Identifies the service and the key with which the state is encrypted. */
	serviceId?: string;
	/** When the credential was read, by performance.now(). */
	readAt: number;
}

const opened = new BoundedMap<string, Opened>({ maxSize: 1_000 });

const keyOf = (context: IWebhookFunctions) => `${nodeKey(context)} ${webhookUrlOf(context)}`;

/** A delivery as the inbox needs it. */
function deliveryOf(context: IWebhookFunctions): Delivery {
	const response = context.getResponseObject();
	const ended = new Promise<'received' | 'lost' | 'failed'>((resolve) => {
		response.once('close', () => {
			if (response.statusCode >= 300) resolve('failed');
			else resolve(response.writableFinished ? 'received' : 'lost');
		});
	});
	return {
		stored: readState(context, 'inbox'),
		store: (live) => {
			writeState(context, 'inbox', live);
			eventsOf(context).keep(context);
		},
		ended,
		hasSucceeded: async () => await hasSucceeded(response, maxHandlingMs),
	};
}

function portsOf(context: IWebhookFunctions, client: Client, own: string): InboxPorts {
	const { id } = client.config;
	// A call may be made long after the delivery, and its receiver uses the API key of that time.
	const currentId = async () => (await connect(context).catch(() => client)).config.id;
	return {
		...callsOf(context, id),
		callTrigger: async (url, request) =>
			await callsOf(context, await currentId()).callTrigger(url, request),
		seal: (record) => seal(id, record),
		unseal: (text) => unseal(id, text),
		callRun: async (run, record) => await callRun(context, await currentId(), run, own, record),
		repeat: async (run, person, key) => await repeat(context, client, run, person, key),
		warn: (message) => writeLog(context, message),
	};
}

/** Repeats a question. @returns false if it was certainly not sent */
async function repeat(
	context: IWebhookFunctions,
	client: Client,
	run: Run,
	person: Person,
	key: string,
): Promise<boolean> {
	const body = { to: person.to, text: repetitionOf(run.questions[person.question]) };
	const request = { body, idempotencyKey: `${run.id}-${key}` };
	const call = withDeadline(client.call(endpoints.sendText, request), repeatMs);
	return await call.then(
		() => true,
		(error: unknown) => {
			if (!(error instanceof ServiceError) || error.sendStatus !== 'notSent') return true;
			writeLog(context, notRepeated(error.message));
			return false;
		},
	);
}

/** For an inbox that knows nothing and has nothing stored: it has nothing to encrypt and nobody to call. */
const noPorts: InboxPorts = {
	now: () => Date.now(),
	pause: async () => {},
	callTrigger: async () => undefined,
	seal: () => '',
	unseal: () => undefined,
	callRun: async () => 'unknown',
	repeat: async () => false,
	warn: () => {},
};

/** The inbox of a trigger that receives a delivery. @throws ServiceError if the credential is not valid */
async function open(
	context: IWebhookFunctions,
	delivery: Delivery,
	given?: Client,
): Promise<Inbox> {
	const own = webhookUrlOf(context);
	const make = () => ({ inbox: new Inbox(own, noPorts), readAt: -Infinity });
	const known: Opened = opened.getOrSet(keyOf(context), make);
	const { inbox } = known;
	const isUsed = !inbox.known.isEmpty || delivery.stored !== undefined;
	if (given || (isUsed && performance.now() - known.readAt >= credentialMs)) {
		const client = given ?? (await connect(context));
		known.readAt = performance.now();
		// The API key was changed, so the state is encrypted again, with the new key.
		if (known.serviceId !== undefined && known.serviceId !== client.config.id)
			inbox.known.sealAgain();
		known.serviceId = client.config.id;
		inbox.known.ports = portsOf(context, client, own);
	}
	inbox.known.load(delivery);
	return inbox;
}

/** The messages of a delivery, and the inbox's decisions about them. */
export interface Messages {
	/** Whether the inbox must get a message even if the trigger would not start a workflow with it. */
	concerns(event: EventEnvelope): boolean;
	/**
	 * Keeps the messages that are replies.
	 *
	 * @returns the events that start workflows; undefined if the service has to deliver again
	 */
	take(events: EventEnvelope[]): Promise<EventEnvelope[] | undefined>;
	/** Lets n8n store what is known, together with other changes. Otherwise, n8n writes back what it read when the delivery arrived. */
	store(): void;
}

/**
 * Opens the inbox for a delivery.
 *
 * @param headers those that may identify an event
 * @throws ServiceError if the credential is not valid
 */
export async function openMessages(
	context: IWebhookFunctions,
	events: EventEnvelope[],
	headers: Record<string, unknown>,
): Promise<Messages> {
	const arrivals = new Map(events.map((event) => [event, toArrival(event, headers)]));
	const delivery = deliveryOf(context);
	const inbox = await open(context, delivery);
	return {
		concerns: (event) => {
			const arrival = arrivals.get(event);
			return arrival !== undefined && inbox.concerns(arrival);
		},
		take: async (fresh) => {
			const messages = fresh.flatMap((event) => arrivals.get(event) ?? []);
			const hasOthers = messages.length < fresh.length;
			const verdicts = await inbox.consume(delivery, messages, hasOthers);
			if (verdicts === 'busy') return undefined;
			const left = [...verdicts];
			return fresh.filter((event) => {
				const verdict = arrivals.get(event) && left.shift();
				return verdict?.is !== 'taken' || verdict.startsToo === true;
			});
		},
		store: () => inbox.known.keep(delivery),
	};
}

/** The response to a call of a trigger, and what follows from the call. */
export interface Responded {
	response: TriggerResponse;
	/** Replies that came too late for their run: they start the workflow. */
	late?: Late[];
}

/**
 * Responds to a call of Send and Wait or of another trigger.
 *
 * @param accepts whether the trigger can own questions, only has to know of them, or neither
 * @returns undefined if the call does not come from this n8n
 * @throws ServiceError if the credential is not valid
 */
export async function respond(
	context: IWebhookFunctions,
	accepts: 'yes' | 'member' | 'no',
): Promise<Responded | undefined> {
	const client = await connect(context);
	const own = webhookUrlOf(context);
	const request: TriggerRequest | undefined = openRequest(
		client.config.id,
		context.getBodyData(),
		own,
	);
	if (!request) return undefined;
	if (accepts === 'no') return { response: { inbox: 'no' } };
	const delivery = deliveryOf(context);
	const inbox = await open(context, delivery, client);
	const { late, ...response } = await inbox.respond(delivery, request, accepts);
	return { response, late };
}

/** A reply that came too late for its run, as an event. */
export function toLateEvent({ person, message }: Late): EventEnvelope {
	const { messageId: id, text, respondedAt: timestamp } = message;
	const from = { from: person.to, senderId: person.sender };
	return {
		event: 'message.received',
		data: { ...(id !== undefined && { id }), ...from, text, timestamp },
	};
}

/** The item with which the workflow starts when a reply came too late for its run. */
export function toLateItem(late: Late, isSimplified: boolean): IDataObject {
	const { run, person, message } = late;
	const event = toLateEvent(late);
	const { asked } = run.questions[person.question];
	const { askedMessageId } = person;
	const shown = isSimplified ? simplify(event) : event;
	const cut = message.isCut && { textIsCut: true };
	return { ...shown, ...cut, late: true, asked, askedMessageId };
}

/**
 * Asks the other triggers which questions are open, for a trigger that was just published: Send and Wait could not tell
 * it.
 *
 * @param listed the registrations at the service, if they are known
 * @throws ServiceError
 */
export async function learnOpenQuestions(
	context: IHookFunctions,
	listed?: RegisteredWebhook[],
): Promise<void> {
	const own = webhookUrlOf(context);
	const client = await connect(context);
	const urls = (listed ?? (await listWebhooks(client))).flatMap(({ url }) => url ?? []);
	const others = urls.filter((url) => isTriggerUrl(url, own)).map(withoutQuery);
	const { id } = client.config;
	const ports = {
		...callsOf(context, id),
		seal: (record: string) => seal(id, record),
		unseal: (text: string) => unseal(id, text),
	};
	const stored = readState(context, 'inbox');
	const learned = await learn(
		ports,
		own,
		others.filter((url) => url !== own),
		stored,
	);
	if (learned) writeState(context, 'inbox', learned);
}
