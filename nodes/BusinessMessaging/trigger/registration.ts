/**
 * The registration of the trigger, from publishing to unpublishing. The service's list counts, because what n8n
 * remembers may be lost or out of date. Only registrations with exactly our URL are ever changed or removed.
 */
import { compact, omit, reject, upperFirst, without } from 'lodash';
import { type IHookFunctions, NodeOperationError } from 'n8n-workflow';

import { printable, writeLog } from '../log';
import { type ServiceError, InputError, asFailure, isRefusedContent } from '../transport/errors';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import { withDeadline } from '../transport/deadline';
import { checkTriggers, noteOpenQuestions, sayGoodbye } from '../inbox/publishing';
import { type Triggers, triggersAmong } from '../inbox/urls';
import { checkDeliverable, undeliverableReason, webhookUrlOf } from '../webhooks/publicAddress';
import {
	type RegisteredWebhook,
	addWebhook,
	areSameEvents,
	listWebhooks,
	removeWebhooks,
} from '../webhooks/registrations';
import { hashOf, isSameHash, readOwnUrl, withSecret } from '../webhooks/secret';
import { type TriggerMemory, memories } from './memory';
import { type Registration, secretOf } from './registrationRecord';
import { type TriggerSettings, checkSettings, getsMessages, readTriggerSettings } from './settings';

/** How long a trigger whose URL is registered by hand waits for the service's list, ms: the list may not be available. */
const maxListMs = 5_000;

/**
 * Whether the service delivers to this node already; n8n also asks when it starts. Surplus registrations are removed.
 * @throws NodeOperationError that says what happened and what to do
 */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	const settings = readTriggerSettings(context);
	const memory = memories.of(context);
	memory.read(context);
	try {
		await checkSettings(context, settings);
		if (settings.isManual) {
			await checkManual(context, memory, settings);
			await unregister(context).catch((error) => writeLog(context, asFailure(error).message));
			memory.save(context);
			return true;
		}
		const { client, address, registration, own, all } = await makePlan(context, memory, settings);
		const kept = own.find(
			({ url, events }) => url === address && areSameEvents(events ?? [], settings.events),
		);
		if (!kept) return false;
		await check(context, memory, settings, client, all);
		memory.registration.set({ ...registration, id: kept.id }, settings.isTest);
		memory.save(context);
		await removeWebhooks(client, without(own, kept));
		begin(context, memory, settings);
		return true;
	} catch (error) {
		const failure = asFailure(error);
		if (!staysAsItWas(context, memory, failure)) throw notRegistered(context, memory, failure);
		writeLog(
			context,
			`"${context.getNode().name}" could not check its webhook at the service and assumes that it is unchanged. ${failure.message}`,
		);
		begin(context, memory, settings);
		return true;
	}
}

/**
 * Registers the node's URL. Earlier registrations are removed afterwards, so that no event is missed.
 * @throws NodeOperationError that says what happened and what to do
 */
export async function register(context: IHookFunctions): Promise<boolean> {
	const settings = readTriggerSettings(context);
	const { events, isTest } = settings;
	const memory = memories.of(context);
	memory.read(context);
	try {
		const { client, address, registration, own, all } = await makePlan(context, memory, settings);
		await check(context, memory, settings, client, all);
		const made = { ...registration, madeAt: Date.now() };
		memory.registration.set(made, isTest); // the service may call the URL at once
		let outdated = own;
		const given = await addWebhook(client, { url: address, events }).catch(async (error) => {
			if (own.length === 0 || !mayBeTaken(asFailure(error))) throw error;
			await removeWebhooks(client, own);
			outdated = [];
			return await addWebhook(client, { url: address, events });
		});
		// The registration exists, so a failure of this list does not matter.
		const present = await listWebhooks(client).catch(() => []);
		const hidden = hiddenAmong(present, all, address, given);
		if (hidden.length > 0) {
			if (hidden.length === 1) await removeWebhooks(client, hidden); // otherwise, others have registered theirs meanwhile
			throw hidesAddresses(settings);
		}
		const ours = ownOf(present, webhookUrlOf(context));
		const id = given ?? ours.find(({ url }) => url === address)?.id;
		// A service that accepts each URL only once may have changed the existing registration instead of adding one.
		const isAdded = ours.some((one) => !own.some((earlier) => earlier.id === one.id));
		await removeWebhooks(
			client,
			reject(outdated, ({ url }) => !isAdded && url === address),
		);
		memory.registration.set({ ...made, id }, isTest);
		memory.save(context);
		begin(context, memory, settings);
		return true;
	} catch (error) {
		throw notRegistered(context, memory, asFailure(error));
	}
}

/** Checks that the triggers of this n8n agree on where replies are kept, unless n8n starts. @throws InputError */
async function check(
	context: IHookFunctions,
	memory: TriggerMemory,
	settings: TriggerSettings,
	client: Client,
	all: RegisteredWebhook[],
): Promise<void> {
	if (settings.isTest || !getsMessages(settings)) return;
	const own = webhookUrlOf(context);
	const triggers = triggersAmong(
		all.map(({ url }) => url),
		own,
	);
	const inbox = isStart(context)
		? await checkAtStart(context, client, triggers, settings, ownOf(all, own).length > 0)
		: await checkTriggers(context, client, triggers, settings);
	if (!settings.keepsReplies && inbox !== undefined) memory.inboxUrl.set(inbox);
}

/**
 * While n8n starts, other triggers may not be ready, so only this is checked: an inbox that is not registered, although
 * another one is, was refused when it was published. n8n may start it all the same.
 */
async function checkAtStart(
	context: IHookFunctions,
	client: Client,
	{ inboxes }: Triggers,
	settings: TriggerSettings,
	isRegistered: boolean,
): Promise<string | undefined> {
	return settings.keepsReplies && !isRegistered
		? await checkTriggers(context, client, { inboxes, others: [] }, settings)
		: inboxes[0];
}

/** Checks a trigger whose URL is registered by hand, as far as the service shows its list. @throws InputError */
async function checkManual(
	context: IHookFunctions,
	memory: TriggerMemory,
	settings: TriggerSettings,
): Promise<void> {
	if (settings.isTest) return;
	const client = await connect(context);
	const listed = await withDeadline(listWebhooks(client), maxListMs).catch(() => undefined);
	if (listed) await check(context, memory, settings, client, listed);
}

/** Lets the inbox wake, if the trigger is or was one. */
function begin(
	context: IHookFunctions,
	{ inbox, wakeLoop }: TriggerMemory,
	{ isTest, keepsReplies }: TriggerSettings,
): void {
	if (isTest) return;
	const hasQuestions = inbox.openQuestions > 0;
	if (!keepsReplies && hasQuestions)
		writeLog(
			context,
			`"${context.getNode().name}" no longer keeps the replies for Send and Wait, but questions are open. From now on, replies start workflows. The runs that asked go on when their wait time is over.`,
		);
	if (keepsReplies || hasQuestions) wakeLoop.start(context);
	else wakeLoop.end(webhookUrlOf(context));
}

function hidesAddresses({ keepsReplies }: TriggerSettings): InputError {
	const advice = `${switchOff(keepsReplies)}choose Manual in 'Registration' under 'Options', and register the URL at the service by hand`;
	return new InputError(
		'The service does not show the complete addresses of its webhooks, so the trigger cannot recognize its own webhook',
		keepsReplies
			? `Send and Wait for Response does not work with this service. ${upperFirst(advice)}`
			: upperFirst(advice),
	);
}

/** With *Keep Replies for Send and Wait*, a URL cannot be registered by hand. */
function switchOff(keepsReplies: boolean): string {
	return keepsReplies ? "switch off 'Keep Replies for Send and Wait', " : '';
}

/** Whether the service may refuse a second registration of a URL. */
function mayBeTaken(failure: ServiceError): boolean {
	const isAboutEvents = /\bevents?\b/i.test(failure.message);
	return failure.statusCode === 409 || (isRefusedContent(failure) && !isAboutEvents);
}

/**
 * Removes the node's registrations. A missing one counts as removed.
 * @throws NodeOperationError if a known one could not be removed: n8n tries again, then shows why. It is removed when
 * the workflow is next published or unpublished, if the service responds then.
 */
export async function unregister(context: IHookFunctions): Promise<boolean> {
	const url = webhookUrlOf(context);
	const { isManual } = readTriggerSettings(context);
	const memory = memories.of(context);
	const isTest = isTestUrl(context, memory, url);
	memory.read(context, isTest);
	const known = memory.registration.ofUrl(url);
	const cleansUp = memory.failed?.url === url;
	memory.failed = undefined;
	const isInbox = memory.wakeLoop.end(url);
	if (isInbox && !cleansUp) noteOpenQuestions(context, memory.inbox.openQuestions);
	if (isManual && !known?.id) return true;
	try {
		const client = await connect(context);
		if (undeliverableReason(url, client.config)) return true; // then there cannot be a registration
		const all = await listWebhooks(client);
		await removeWebhooks(client, removableAmong(ownOf(all, url), isManual, known));
		if (isInbox && memory.inbox.isIdle) await sayGoodbye(context, client, all);
	} catch (error) {
		// The error of a clean-up would only hide the first one.
		if (cleansUp || !known?.id) return false;
		throw new NodeOperationError(
			context.getNode(),
			`The webhook could not be removed at the service. ${printable(asFailure(error).message)}. While the workflow is not published, events of this webhook start nothing. To remove the webhook, publish the workflow again, then unpublish it.`,
		);
	}
	if (known) memory.registration.set(omit(known, 'id'), isTest);
	memory.save(context, isTest);
	return true;
}

/** Whether a URL is the one on which the editor listens: when n8n removes a webhook, the mode does not say it. */
function isTestUrl(context: IHookFunctions, memory: TriggerMemory, url: string): boolean {
	memory.read(context, true);
	const { registration, failed } = memory;
	return registration.isOfTest(url) || (failed?.url === url && failed.isTest);
}

/** With Manual, all registrations with our URL belong to the user, unless they have the secret of ours. */
function removableAmong(
	own: RegisteredWebhook[],
	isManual: boolean,
	known: Registration | undefined,
): RegisteredWebhook[] {
	const isOurs = ({ url = '' }: RegisteredWebhook) =>
		isSameHash(hashOf(readOwnUrl(url)?.secret ?? ''), known?.secretHash ?? '');
	return isManual ? own.filter(isOurs) : own;
}

/** What checking and registering need. `address` is the URL with the secret. */
async function makePlan(context: IHookFunctions, memory: TriggerMemory, settings: TriggerSettings) {
	const url = webhookUrlOf(context);
	const { events, secretVersion, keepsReplies, isTest } = settings;
	if (events.length === 0)
		throw new InputError(
			'No event type is chosen',
			"Choose at least one in 'Trigger On', or name one in 'Other Event Types' under 'Options'.",
		);
	const client = await connect(context);
	checkDeliverable(url, client.config);
	const secret = secretOf(context, client.config.keyId, secretVersion, isTest);
	const secretHash = hashOf(secret);
	const known = memory.registration.ofUrl(url);
	const registration: Registration =
		known?.secretHash === secretHash
			? { ...known, secretVersion }
			: { url, secretHash, secretVersion, madeAt: Date.now() };
	const all = await listWebhooks(client);
	const own = ownOf(all, url);
	const address = withSecret(url, secret, keepsReplies && !isTest);
	return { client, address, registration, own, all };
}

/** The registrations with exactly our URL, with a secret of ours or without any: then its deliveries are refused. */
function ownOf(webhooks: RegisteredWebhook[], url: string): RegisteredWebhook[] {
	return webhooks.filter(
		(webhook) => webhook.url === url || readOwnUrl(webhook.url ?? '')?.url === url,
	);
}

/** What may be our new registration, if the service shows it without its address. */
function hiddenAmong(
	present: RegisteredWebhook[],
	before: RegisteredWebhook[],
	address: string,
	id: string | undefined,
): RegisteredWebhook[] {
	if (present.some(({ url }) => url === address)) return [];
	const isNew = (webhook: RegisteredWebhook) =>
		id === undefined ? !before.some((one) => one.id === webhook.id) : webhook.id === id;
	const isHidden = ({ url }: RegisteredWebhook) =>
		url === undefined || url.split('?')[0] === address.split('?')[0];
	return present.filter((webhook) => isNew(webhook) && isHidden(webhook));
}

/**
 * When n8n starts, a known registration counts as unchanged while the service does not respond or does not accept the API
 * key. Otherwise, n8n would remove the webhook, and not try again: events would be lost also after the key was replaced.
 */
function staysAsItWas(
	context: IHookFunctions,
	{ registration }: TriggerMemory,
	failure: ServiceError,
): boolean {
	const isPassing =
		['uncertain', 'unreachable', 'rateLimited'].includes(failure.kind) ||
		failure.statusCode === 401;
	const isKnown = registration.ofUrl(webhookUrlOf(context))?.id !== undefined;
	return isStart(context) && isPassing && isKnown;
}

/** Whether n8n starts, or another main process of n8n takes over. Then the service may still deliver to the URL. */
function isStart(context: IHookFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/**
 * After a failed registration, n8n asks for a clean-up. If the clean-up throws, n8n 2.41 lists the URL, so publishing
 * again reports success without calling the trigger. While n8n starts, it should list the URL, so that deliveries get
 * through.
 */
function notRegistered(
	context: IHookFunctions,
	memory: TriggerMemory,
	failure: ServiceError,
): NodeOperationError {
	const isTest = context.getMode() === 'manual';
	if (!isStart(context)) memory.failed = { url: webhookUrlOf(context), isTest };
	return toNodeError(context, failure);
}

/** n8n shows only the message of the error, so the message includes the advice. */
function toNodeError(context: IHookFunctions, failure: ServiceError): NodeOperationError {
	const { keepsReplies } = readTriggerSettings(context);
	const byHand = `${switchOff(keepsReplies)}choose Manual in 'Registration' under 'Options', and register this URL at the service by hand: ${webhookUrlOf(context)}`;
	// n8n replaces a message that contains the code of a network error
	let advice = failure.description?.replace(/ \([A-Z_]+\)$/, '');
	if (context.getMode() !== 'manual')
		advice = advice
			?.replace(/(Run the node|Try) again/g, 'Publish again')
			.replace(/(run the node|try) again/g, 'publish again');
	if ([404, 405].includes(failure.statusCode ?? 0)) advice = upperFirst(byHand);
	else if (isRefusedContent(failure) && failure.statusCode !== undefined)
		advice = `If the service does not know an event type, correct 'Trigger On' and 'Other Event Types'. If it knows them all, ${byHand}`;
	const text = printable(compact([failure.message, advice]).join('. '));
	return new NodeOperationError(context.getNode(), text);
}
