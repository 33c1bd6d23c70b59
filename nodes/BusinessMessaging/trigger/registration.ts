/**
 * The registration of the trigger, from publishing to unpublishing. The service's list counts, because what n8n
 * remembers may be lost or out of date. Only registrations with exactly our URL are ever changed or removed.
 */
import { randomBytes } from 'crypto';
import { compact, omit, reject, upperFirst, without } from 'lodash';
import { type IHookFunctions, type IWebhookFunctions, NodeOperationError } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { printable, writeLog } from '../log';
import { type ServiceError, InputError, asFailure, isRefusedContent } from '../transport/errors';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import { pause } from '../transport/deadline';
import { learnOpenQuestions } from '../inbox/atTrigger';
import { nodeKey, readState, writeState } from '../webhooks/nodeState';
import { checkDeliverable, undeliverableReason, webhookUrlOf } from '../webhooks/publicAddress';
import {
	type RegisteredWebhook,
	addWebhook,
	areSameEvents,
	listWebhooks,
	removeWebhooks,
} from '../webhooks/registrations';
import { isOwnUrl, isSame, shownSecret, withSecret } from '../webhooks/secret';
import { checkSettings, chosenEvents, isChosen, isManual, readOptions } from './settings';

/** What n8n remembers of a registration. */
interface Registration {
	/** n8n's webhook URL. */
	url: string;
	/** The secret, which is part of the registered URL. */
	secret: string;
	/** The user changes this number to get a new secret. */
	secretVersion: number;
	/** The service's ID; absent if it gave none or nothing is registered. */
	id?: string;
}

/** A stored registration with the time at which it was written, ms since 1970. The latest one is current. */
type Saved = Registration & { savedAt: number };
type Kind = 'production' | 'test';
/** 256 bits, written so that they need no escaping in a URL. */
const secretForm = /^[\w-]{43}$/;
type Context = IHookFunctions | IWebhookFunctions;

/**
 * Registrations that this process has made or seen, one for the production URL and one for the test URL of a node. A
 * delivery that is under way can write back older data, so the latest registration counts.
 */
const seen = new BoundedMap<string, Saved>({ maxSize: 2_000 });

/**
 * The URLs whose registration has just failed. n8n then asks for a clean-up. If the clean-up throws, n8n 2.41 goes on to
 * list the URL, so publishing again reports success without calling the trigger.
 */
const failed = new BoundedMap<string, true>({ maxSize: 2_000, maxAgeMs: 60_000 });

function stored(context: Context): Partial<Record<Kind, Saved>> {
	return readState(context, 'registrations') ?? {};
}

function seenKey(context: Context, kind: Kind): string {
	return `${nodeKey(context)} ${kind}`;
}

function present(context: Context, kind: Kind): Saved | undefined {
	const own = seen.get(seenKey(context, kind));
	const other = stored(context)[kind];
	return own && own.savedAt >= (other?.savedAt ?? 0) ? own : other;
}

/** Whether a URL is the production URL or the test URL. When n8n removes a webhook, the context has another mode, so the URL decides. */
function kindOf(context: Context, url?: string): Kind {
	const kinds: Kind[] = ['production', 'test'];
	const known = kinds.find((kind) => url !== undefined && present(context, kind)?.url === url);
	return known ?? (context.getMode() === 'manual' ? 'test' : 'production');
}

/** The registration of a URL; undefined if there is none, or if the node no longer has this URL. */
function recall(context: Context, url: string): Registration | undefined {
	const saved = present(context, kindOf(context, url));
	return saved?.url === url ? saved : undefined;
}

/** Remembers the registration of a URL, and forgets the earlier one of the same kind (production or test). */
function remember(context: Context, registration: Registration): void {
	save(context, kindOf(context, registration.url), { ...registration, savedAt: Date.now() });
}

function save(context: Context, kind: Kind, registration: Saved): void {
	seen.set(seenKey(context, kind), registration);
	writeState(context, 'registrations', { ...stored(context), [kind]: registration });
}

/** A list of the service that is read, or was read, for unknown secrets. */
interface SecretList {
	/** Undefined if the list is not known, or not in time. */
	webhooks?: Promise<RegisteredWebhook[] | undefined>;
	/** How many deliveries wait for it. */
	waiting: number;
	/** ms of a monotonic clock. */
	expiresAt: number;
}

/**
 * By URL and registration, because a list from before the registration may contain an earlier secret. Each process
 * reads at most one a minute for each, and one every 5 seconds while the service fails. Using one must not renew it.
 */
const lists = new BoundedMap<string, SecretList>({ maxSize: 2_000, maxAgeMs: 60_000 });
const failureMs = 5_000;
/** n8n keeps an isolate for expressions for each delivery that waits, and whoever knows the URL can make it wait. */
const maxWaitMs = 3_000;
const maxWaiting = 20;

function listFor(context: IWebhookFunctions, key: string): SecretList {
	const known = lists.get(key);
	if (known && performance.now() < known.expiresAt) return known;
	const read: SecretList = { waiting: 0, expiresAt: performance.now() + 60_000 };
	const fail = (error: unknown) => {
		read.expiresAt = performance.now() + failureMs;
		writeLog(
			context,
			`"${context.getNode().name}" could not check the secret of a delivery. ${asFailure(error).message}`,
		);
		return undefined;
	};
	const list = connect(context, { timeoutMs: 5_000 }).then(listWebhooks).catch(fail);
	read.webhooks = Promise.race([list, pause(maxWaitMs).then(() => undefined)]);
	void list.then(() => (read.webhooks = list));
	lists.set(key, read);
	return read;
}

/**
 * Whether a delivery has the secret of its URL. n8n loses a secret if another trigger of the workflow, e.g. one that
 * polls, writes back static data that it read before the registration. If this process does not know the secret either,
 * the service's list decides.
 *
 * @returns undefined if the list is not known
 */
export async function knowsSecret(
	context: IWebhookFunctions,
	given: string,
): Promise<boolean | undefined> {
	const kind = kindOf(context);
	const registration = present(context, kind);
	if (registration && isSame(registration.secret, given)) {
		seen.set(seenKey(context, kind), registration);
		return true;
	}
	// In a test, n8n gives the production URL, whose secret is another one.
	if (kind === 'test' || !secretForm.test(given)) return false;
	const url = webhookUrlOf(context);
	const read = listFor(context, `${url} ${registration?.savedAt}`);
	if (read.waiting >= maxWaiting) return undefined;
	read.waiting++;
	const webhooks = await read.webhooks;
	read.waiting--;
	// Meanwhile, the secret may have changed, or another delivery may have had the same one.
	if (present(context, kind)?.savedAt !== registration?.savedAt)
		return await knowsSecret(context, given);
	if (!webhooks) return undefined;
	const address = withSecret(url, given);
	const found = webhooks.find((webhook) => webhook.url === address);
	if (!found) return false;
	const { secretVersion } = readOptions(context);
	const saved = { url, secret: given, secretVersion, id: found.id, savedAt: Date.now() };
	seen.set(seenKey(context, kind), saved);
	// The list is as new for this secret as for the one before, which may be listed, too.
	lists.set(`${url} ${saved.savedAt}`, read);
	return true;
}

/**
 * Lets n8n store the registration if n8n has lost it. Called together with storing the events and the inbox, because
 * n8n then writes back all static data as it was when the delivery arrived.
 *
 * @returns whether n8n has lost it
 */
export function keepRegistration(context: IWebhookFunctions): boolean {
	const kind = kindOf(context);
	const registration = present(context, kind);
	if (!registration || registration.savedAt === stored(context)[kind]?.savedAt) return false;
	save(context, kind, registration);
	return true;
}

/**
 * Whether the service delivers to this node already. Keeps this registration, and removes surplus ones.
 *
 * @throws NodeOperationError that says what happened and what to do
 */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	try {
		await checkSettings(context);
		if (isManual(context)) {
			await unregister(context).catch((error) => writeLog(context, asFailure(error).message));
			await learn(context);
			return true;
		}
		const { client, address, events, registration, own, all } = await makePlan(context);
		const kept = own.find(
			(webhook) =>
				isCurrent(webhook, address, registration.id) && areSameEvents(webhook.events ?? [], events),
		);
		if (!kept) return false;
		remember(context, { ...registration, id: kept.id });
		await removeWebhooks(client, without(own, kept));
		await learn(context, all);
		return true;
	} catch (error) {
		const failure = asFailure(error);
		if (!staysAsItWas(context, failure)) throw notRegistered(context, failure);
		writeLog(
			context,
			`"${context.getNode().name}" could not check its webhook at the service and assumes that it is unchanged. ${failure.message}`,
		);
		return true;
	}
}

/**
 * Registers the node's URL. Registrations that n8n has left behind are removed afterwards, so that no event is missed.
 *
 * @throws NodeOperationError that says what happened and what to do
 */
export async function register(context: IHookFunctions): Promise<boolean> {
	try {
		const { client, address, events, registration, own, all } = await makePlan(context);
		remember(context, registration); // stored before the service can call the URL
		let outdated = own;
		const given = await addWebhook(client, { url: address, events }).catch(async (error) => {
			if (own.length === 0 || !mayBeTaken(asFailure(error))) throw error;
			await removeWebhooks(client, own);
			outdated = [];
			return await addWebhook(client, { url: address, events });
		});
		const present =
			outdated.length > 0 ? await listWebhooks(client) : await listAfter(client, given);
		const id = given ?? idOf(address, present, all);
		if (given === undefined && id === undefined) warnOfHidden(context);
		// A service that accepts each URL only once may have changed the existing registration instead of adding one.
		const isAdded = ownOf(present, webhookUrlOf(context), id).some(
			({ id: one }) => !hasId(own, one),
		);
		const isChanged = (webhook: RegisteredWebhook) => !isAdded && isCurrent(webhook, address, id);
		await removeWebhooks(client, reject(outdated, isChanged));
		remember(context, { ...registration, id });
		await learn(context, all);
		return true;
	} catch (error) {
		throw notRegistered(context, asFailure(error));
	}
}

/**
 * All webhooks, if the ID of the new one is not known. Does not throw: the registration exists, so a failure of this
 * list does not matter.
 */
async function listAfter(client: Client, id: string | undefined): Promise<RegisteredWebhook[]> {
	return id === undefined ? await listWebhooks(client).catch(() => []) : [];
}

/** The ID of a new webhook: the one with its address. If the service hides addresses, the only one that was not listed before. */
function idOf(
	address: string,
	present: RegisteredWebhook[],
	before: RegisteredWebhook[],
): string | undefined {
	const [url] = address.split('?');
	const added = present.filter((one) => isHidden(one, url) && !hasId(before, one.id));
	return (present.find((one) => one.url === address) ?? (added.length === 1 ? added[0] : undefined))
		?.id;
}

function hasId(webhooks: RegisteredWebhook[], id: string | undefined): boolean {
	return webhooks.some((webhook) => webhook.id === id);
}

function warnOfHidden(context: IHookFunctions): void {
	writeLog(
		context,
		`The service shows neither the ID nor the address of the webhook of "${context.getNode().name}", so unpublishing the workflow does not remove it. Remove the webhook in the settings of the service then.`,
	);
}

/** Whether the service may refuse a second registration of a URL. */
function mayBeTaken(failure: ServiceError): boolean {
	const isAboutEvents = /\bevents?\b/i.test(failure.message);
	return failure.statusCode === 409 || (isRefusedContent(failure) && !isAboutEvents);
}

/**
 * Removes the node's registrations. A missing one counts as removed.
 *
 * @throws NodeOperationError if a known registration could not be removed: n8n tries again, then shows why. It is
 * removed the next time the workflow is published or unpublished, if the service responds then.
 */
export async function unregister(context: IHookFunctions): Promise<boolean> {
	const url = webhookUrlOf(context);
	const known = recall(context, url);
	const key = urlKey(context);
	const cleansUp = failed.has(key);
	failed.delete(key);
	if (isManual(context) && !known?.id) return true;
	try {
		const client = await connect(context);
		if (undeliverableReason(url, client.config)) return true; // then there cannot be a registration
		const own = ownOf(await listWebhooks(client), url, known?.id);
		const address = withSecret(url, known?.secret ?? '');
		// With Manual, all other registrations with our URL belong to the user.
		const isOurs = (webhook: RegisteredWebhook) =>
			!isManual(context) || isCurrent(webhook, address, known?.id);
		await removeWebhooks(client, own.filter(isOurs));
	} catch (error) {
		// The error of a clean-up would only hide the first one.
		if (cleansUp || !known?.id) return false;
		throw new NodeOperationError(
			context.getNode(),
			`The webhook could not be removed at the service. ${printable(asFailure(error).message)}. Its events start no execution while the workflow is not published. To remove it, publish and unpublish the workflow again.`,
		);
	}
	if (known) remember(context, omit(known, 'id'));
	return true;
}

/** What checking and registering need. `address` is the URL with the secret. */
async function makePlan(context: IHookFunctions) {
	const url = webhookUrlOf(context);
	const events = chosenEvents(context);
	if (events.length === 0)
		throw new InputError(
			'No event type is chosen',
			"Choose at least one in 'Trigger On', or name one in 'Other Event Types' under 'Options'.",
		);
	const client = await connect(context);
	checkDeliverable(url, client.config);
	const { secretVersion } = readOptions(context);
	const known = recall(context, url);
	const secret = randomBytes(32).toString('base64url');
	const registration: Registration =
		known?.secretVersion === secretVersion ? known : { url, secret, secretVersion };
	const all = await listWebhooks(client);
	const own = ownOf(all, url, known?.id);
	const address = withSecret(url, registration.secret);
	return { client, address, events, registration, own, all };
}

/** Learns which questions of Send and Wait are open, because replies to them arrive here too from now on. */
async function learn(context: IHookFunctions, listed?: RegisteredWebhook[]): Promise<void> {
	const getsMessages = isChosen(context, { event: 'message.received', data: {} });
	if (context.getMode() === 'manual' || !getsMessages) return;
	await learnOpenQuestions(context, listed).catch((error: unknown) =>
		writeLog(
			context,
			`The trigger could not check which questions of Send and Wait are open, so replies to them may also start this workflow. ${asFailure(error).message}`,
		),
	);
}

/** The registrations with exactly our URL. If the service hides the URL of a registration, it is ours if it has the ID that we remember. */
function ownOf(webhooks: RegisteredWebhook[], url: string, id?: string): RegisteredWebhook[] {
	return webhooks.filter((webhook) =>
		webhook.url === undefined ? id !== undefined && webhook.id === id : isOwnUrl(webhook.url, url),
	);
}

/** Whether a registration is the one with our current secret. If the service hides the secret, the ID decides. */
function isCurrent(webhook: RegisteredWebhook, address: string, id?: string): boolean {
	const [url] = address.split('?');
	return isHidden(webhook, url) ? id !== undefined && webhook.id === id : webhook.url === address;
}

/** Whether it is unknown if a registration has our secret, because the service hides it. */
function isHidden(webhook: RegisteredWebhook, url: string): boolean {
	return webhook.url === undefined || shownSecret(webhook.url, url) === 'hidden';
}

/**
 * Whether to go on without a check, because n8n starts, the trigger was registered before, and the service does not
 * respond. Otherwise, n8n would remove the webhook, and events would be lost until n8n manages to activate the workflow
 * again.
 */
function staysAsItWas(context: IHookFunctions, failure: ServiceError): boolean {
	const isPassing = ['indeterminate', 'unreachable', 'rateLimited'].includes(failure.kind);
	const isKnown = recall(context, webhookUrlOf(context))?.id !== undefined;
	return isStart(context) && isPassing && isKnown;
}

/** Whether n8n starts, or another main process of n8n takes over. Then the service may still deliver to the URL. */
function isStart(context: IHookFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/** The error of a failed registration. While n8n starts, n8n should go on to list the URL, so that deliveries get through. */
function notRegistered(context: IHookFunctions, failure: ServiceError): NodeOperationError {
	if (!isStart(context)) failed.set(urlKey(context), true);
	return toNodeError(context, failure);
}

function urlKey(context: IHookFunctions): string {
	return `${nodeKey(context)} ${webhookUrlOf(context)}`;
}

/** n8n shows only the message of the error, so the message includes the advice. */
function toNodeError(context: IHookFunctions, failure: ServiceError): NodeOperationError {
	const byHand = `choose Manual in 'Registration' under 'Options', and register this URL at the service by hand: ${webhookUrlOf(context)}`;
	// n8n replaces a message that contains the code of a network error
	let advice = failure.description?.replace(/ \([A-Z_]+\)$/, '');
	if (context.getMode() !== 'manual')
		advice = advice?.replace(/run the node again/i, 'publish again');
	if ([404, 405].includes(failure.statusCode ?? 0)) advice = upperFirst(byHand);
	else if (isRefusedContent(failure))
		advice = `If the service does not know an event type, correct 'Trigger On' and 'Other Event Types'. Otherwise ${byHand}`;
	const text = printable(compact([failure.message, advice]).join('. '));
	return new NodeOperationError(context.getNode(), text);
}
