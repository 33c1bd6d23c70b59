/** The inbox of a trigger in n8n. This module reads what a delivery brings, and provides what the protocol needs. */
import { randomBytes } from 'crypto';
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { endpoints } from '../api/endpoints';
import type { EventEnvelope } from '../api/events';
import { BoundedMap } from '../boundedMap';
import { writeLog } from '../log';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import { withDeadline } from '../transport/deadline';
import { ServiceError, asFailure } from '../transport/errors';
import { hasSucceeded } from '../webhooks/delivery';
import { nodeKey, readState } from '../webhooks/nodeState';
import { webhookUrlOf } from '../webhooks/publicAddress';
import { listWebhooks } from '../webhooks/registrations';
import { simplify } from '../webhooks/simpleEvent';
import { notRepeated, repetitionOf } from './answers';
import { callRun, callsOf, openCall } from './calls';
import type { Arrival, Late, Person, Run, Verdict } from './core';
import { Keeper } from './keeper';
import { DeliveryNames } from './messageNames';
import { OtherTrigger } from './otherTrigger';
import type { InboxDelivery, KeeperPorts, Request, InboxResponse } from './protocol';
import { seal, unseal } from './seal';
import { triggersAmong } from './urls';

/** How long deliveries reuse a credential, ms, to spare n8n's database. Calls read it again, so a new key counts. */
const credentialMs = 5_000;
/** How long repeating a question may take, ms: services give up after ten seconds or more. Later, it counts as sent. */
const repeatMs = 7_000;
/** How long another trigger waits for the service's list of webhooks, ms. */
const maxListMs = 5_000;
/** How long n8n may handle a call, ms. Then it counts as failed: better start a workflow twice than lose a message. */
const maxHandlingMs = 600_000;

interface OpenedKeeper {
	keeper: Keeper;
	/** Identifies the key with which the state is encrypted. */
	keyId?: string;
	/** When the credential was read, by performance.now(). */
	readAt: number;
}

const keepers = new BoundedMap<string, OpenedKeeper>({ maxSize: 1_000 });
const otherTriggers = new BoundedMap<string, { trigger: OtherTrigger; names: DeliveryNames }>({
	maxSize: 1_000,
});

/** Differs for each process and each trigger. */
const newName = () => randomBytes(6).toString('base64url');
const keyOf = (context: IWebhookFunctions) => `${nodeKey(context)} ${webhookUrlOf(context)}`;

/** A delivery, and what n8n has to store with it of the inbox. */
export interface Handled extends InboxDelivery {
	/** The value to store; undefined if nothing of the inbox has changed. */
	live?: { toJSON(): unknown };
}

/** @param since when the trigger was registered at the service, ms since 1970 */
export function readHandled(context: IWebhookFunctions, since: number): Handled {
	const response = context.getResponseObject();
	const handled: Handled = {
		stored: readState(context, 'inbox'),
		since,
		store: (live) => (handled.live = live),
		ended: new Promise((resolve) => {
			response.once('close', () => {
				if (response.statusCode >= 300) resolve('failed');
				else resolve(response.writableFinished ? 'received' : 'lost');
			});
		}),
		hasSucceeded: async () => await hasSucceeded(response, maxHandlingMs),
	};
	return handled;
}

function portsOf(context: IWebhookFunctions, client: Client, own: string): KeeperPorts {
	const { keyId } = client.config;
	const { helpers } = context;
	// A call may be made long after the delivery, and its receiver uses the API key of that time.
	const keyIdNow = async () => (await connect(context).catch(() => client)).config.keyId;
	return {
		...callsOf(helpers, keyIdNow),
		seal: (text) => seal(keyId, text),
		unseal: (text) => unseal(keyId, text),
		callRun: async (run, isHandOver) =>
			await callRun(helpers, await keyIdNow(), run, own, isHandOver),
		repeat: async (run, person, key) => await repeat(context, client, run, person, key),
		warn: (message) => writeLog(context, message),
	};
}

/** Sends the text that asks a person again. @returns false only if it was certainly not sent */
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

/** Opens the inbox for a delivery. @param given the client of a call @throws ServiceError for an invalid credential */
export async function openKeeper(
	context: IWebhookFunctions,
	delivery: InboxDelivery,
	given?: Client,
): Promise<Keeper> {
	const own = webhookUrlOf(context);
	const known = keepers.get(keyOf(context));
	const isRecent = known !== undefined && performance.now() - known.readAt < credentialMs;
	if (isRecent && !given) {
		known.keeper.load(delivery);
		return known.keeper;
	}
	const client = given ?? (await connect(context));
	const ports = portsOf(context, client, own);
	const opened = keepers.getOrSet(keyOf(context), () => ({
		keeper: new Keeper(own, ports, newName()),
		readAt: 0,
	}));
	const { keyId } = client.config;
	opened.readAt = performance.now();
	opened.keeper.ports = ports;
	// The API key was changed, so everything is encrypted again, with the new key.
	if (opened.keyId !== undefined && opened.keyId !== keyId) opened.keeper.sealAgain();
	opened.keyId = keyId;
	opened.keeper.load(delivery);
	return opened.keeper;
}

/** A trigger that is not the inbox. */
export interface Other {
	trigger: OtherTrigger;
	/** Whether n8n has stored where the inbox is. */
	isStored: () => boolean;
	/** What messages are; undefined if the service has to deliver again. */
	ask: (arrivals: Arrival[]) => Promise<Verdict[] | undefined>;
}

/** Opens another trigger than the inbox for a delivery. */
export function openOther(
	context: IWebhookFunctions,
	delivery: InboxDelivery,
	isManual: boolean,
): Other {
	const own = webhookUrlOf(context);
	const keyIdNow = async () => (await connect(context)).config.keyId;
	const ports = {
		...callsOf(context.helpers, keyIdNow),
		isManual,
		listInbox: async () => await withDeadline(listInbox(context, own), maxListMs),
		warn: (message: string) => writeLog(context, message),
	};
	const { trigger, names } = otherTriggers.getOrSet(keyOf(context), () => ({
		trigger: new OtherTrigger(ports),
		names: new DeliveryNames(newName()),
	}));
	trigger.ports = ports;
	const stored = readState(context, 'inboxUrl');
	if (trigger.inbox === undefined && typeof stored === 'string') trigger.look(stored);
	const confirmed = delivery.ended.then((end) => end === 'received');
	return {
		trigger,
		isStored: () => trigger.inbox === stored,
		ask: async (arrivals) => {
			const messages = arrivals.map((arrival) => names.begin(arrival, Date.now(), confirmed));
			return await trigger.ask(messages, { trigger: own, registeredAt: delivery.since });
		},
	};
}

/** The registered inbox; undefined without one, or without a list. @throws ServiceError for a failure that may pass */
async function listInbox(context: IWebhookFunctions, own: string): Promise<string | undefined> {
	const list = connect(context).then(listWebhooks);
	const listed = await list.catch((error: unknown) => {
		const mayPass = ['uncertain', 'unreachable', 'rateLimited'];
		if (!(error instanceof ServiceError) || mayPass.includes(error.kind)) throw asFailure(error);
		return [];
	});
	const urls = listed.map(({ url }) => url);
	return triggersAmong(urls, own).inboxes[0];
}

/** A call, and what becomes of it. */
export interface Call {
	client: Client;
	request: Request;
	respond: (response: InboxResponse) => object;
}

/** Decrypts a call. @returns the status with which to refuse it, if it is not valid */
export async function readCall(context: IWebhookFunctions): Promise<Call | 401 | 503> {
	const client = await connect(context).catch(() => undefined);
	if (!client) return 401;
	const call = openCall(client.config.keyId, webhookUrlOf(context), context.getBodyData());
	if (!call) return 401;
	if (call === 'tooEarly') return 503;
	return { client, request: call.content as Request, respond: call.respond };
}

/** A reply that came too late for its run, as an event. */
export function toLateEvent({ to, sender, message }: Late): EventEnvelope {
	const { messageId: id, text, respondedAt: timestamp } = message;
	return {
		event: 'message.received',
		data: { ...(id !== undefined && { id }), from: to, senderId: sender, text, timestamp },
	};
}

/** The item with which the workflow starts when a reply came too late for its run. */
export function toLateItem(late: Late, isSimplified: boolean): IDataObject {
	const { asked, askedMessageId, message } = late;
	const event = toLateEvent(late);
	const shown = isSimplified ? simplify(event) : event;
	const cut = message.isCut && { textIsCut: true };
	return { ...shown, ...cut, late: true, asked, askedMessageId };
}
