/**
 * The registration of the trigger, from publishing to unpublishing. The service's list counts, because what n8n
 * remembers may be lost or out of date. Only registrations with exactly our URL are ever changed or removed.
 */
import { compact, omit, reject, upperFirst, without } from 'lodash';
import { type IHookFunctions, NodeOperationError } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { printable, writeLog } from '../log';
import { type ServiceError, InputError, asFailure, isRefusedContent } from '../transport/errors';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import {
	checkTriggers,
	endAwake,
	keepAwake,
	noteInbox,
	noteOpenQuestions,
} from '../inbox/published';
import { nodeKey } from '../webhooks/nodeState';
import { checkDeliverable, undeliverableReason, webhookUrlOf } from '../webhooks/publicAddress';
import {
	type RegisteredWebhook,
	addWebhook,
	areSameEvents,
	listWebhooks,
	removeWebhooks,
} from '../webhooks/registrations';
import { newSecret, readOwnUrl, withSecret } from '../webhooks/secret';
import { type Registration, recall, remember } from './secrets';
import { type TriggerSettings, checkSettings, getsMessages, readTriggerSettings } from './settings';

/**
 * URLs whose registration has just failed. n8n then asks for a clean-up. If the clean-up throws, n8n 2.41 lists the
 * URL, so publishing again reports success without calling the trigger.
 */
const failed = new BoundedMap<string, true>({ maxSize: 2_000, maxAgeMs: 60_000 });

/**
 * Whether the service delivers to this node already; n8n also asks when it starts. Surplus registrations are removed.
 * @throws NodeOperationError that says what happened and what to do
 */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	const settings = readTriggerSettings(context);
	try {
		await checkSettings(context, settings);
		if (settings.isManual) {
			await unregister(context).catch((error) => writeLog(context, asFailure(error).message));
			return true;
		}
		const { client, address, registration, own, all } = await makePlan(context, settings);
		const kept = own.find(
			({ url, events }) => url === address && areSameEvents(events ?? [], settings.events),
		);
		if (!kept) return false;
		await check(context, settings, client, all);
		remember(context, { ...registration, id: kept.id });
		await removeWebhooks(client, without(own, kept));
		begin(context, settings);
		return true;
	} catch (error) {
		const failure = asFailure(error);
		if (!staysAsItWas(context, failure)) throw notRegistered(context, failure);
		writeLog(
			context,
			`"${context.getNode().name}" could not check its webhook at the service and assumes that it is unchanged. ${failure.message}`,
		);
		begin(context, settings);
		return true;
	}
}

/**
 * Registers the node's URL. Earlier registrations are removed afterwards, so that no event is missed.
 * @throws NodeOperationError that says what happened and what to do
 */
export async function register(context: IHookFunctions): Promise<boolean> {
	const settings = readTriggerSettings(context);
	const { events } = settings;
	try {
		const { client, address, registration, own, all } = await makePlan(context, settings);
		await check(context, settings, client, all);
		const made = { ...registration, madeAt: Date.now() };
		remember(context, made); // the service may call the URL at once
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
			throw hidesAddresses();
		}
		const ours = ownOf(present, webhookUrlOf(context));
		const id = given ?? ours.find(({ url }) => url === address)?.id;
		// A service that accepts each URL only once may have changed the existing registration instead of adding one.
		const isAdded = ours.some((one) => !own.some((earlier) => earlier.id === one.id));
		await removeWebhooks(
			client,
			reject(outdated, ({ url }) => !isAdded && url === address),
		);
		remember(context, { ...made, id });
		begin(context, settings);
		return true;
	} catch (error) {
		throw notRegistered(context, asFailure(error));
	}
}

/** Checks that the triggers of this n8n agree on where replies are kept, unless n8n starts. @throws InputError */
async function check(
	context: IHookFunctions,
	settings: TriggerSettings,
	client: Client,
	all: RegisteredWebhook[],
): Promise<void> {
	if (settings.isTest || !getsMessages(settings)) return;
	if (!isStart(context)) await checkTriggers(context, client, all, settings.keepsReplies);
	else if (!settings.keepsReplies) noteInbox(context, all);
}

/** Lets the inbox wake, if the trigger is or was one. */
function begin(context: IHookFunctions, { isTest, keepsReplies }: TriggerSettings): void {
	if (!isTest) keepAwake(context, keepsReplies);
}

function hidesAddresses(): InputError {
	return new InputError(
		'The service does not show the complete addresses of its webhooks, so the trigger cannot recognize its own webhook',
		"Choose Manual in 'Registration' under 'Options', and register the URL at the service by hand",
	);
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
	const known = recall(context, url);
	const key = urlKey(context);
	const cleansUp = failed.has(key);
	failed.delete(key);
	endAwake(context);
	if (!cleansUp) noteOpenQuestions(context);
	if (isManual && !known?.id) return true;
	try {
		const client = await connect(context);
		if (undeliverableReason(url, client.config)) return true; // then there cannot be a registration
		const own = ownOf(await listWebhooks(client), url);
		// With Manual, all other registrations with our URL belong to the user.
		const secrets = [true, false].map((keeps) => withSecret(url, known?.secret ?? '', keeps));
		await removeWebhooks(
			client,
			own.filter((webhook) => !isManual || secrets.includes(webhook.url ?? '')),
		);
	} catch (error) {
		// The error of a clean-up would only hide the first one.
		if (cleansUp || !known?.id) return false;
		throw new NodeOperationError(
			context.getNode(),
			`The webhook could not be removed at the service. ${printable(asFailure(error).message)}. While the workflow is not published, events of this webhook start nothing. To remove the webhook, publish the workflow again, then unpublish it.`,
		);
	}
	if (known) remember(context, omit(known, 'id'));
	return true;
}

/** What checking and registering need. `address` is the URL with the secret. */
async function makePlan(context: IHookFunctions, settings: TriggerSettings) {
	const url = webhookUrlOf(context);
	const { events, secretVersion, keepsReplies, isTest } = settings;
	if (events.length === 0)
		throw new InputError(
			'No event type is chosen',
			"Choose at least one in 'Trigger On', or name one in 'Other Event Types' under 'Options'.",
		);
	const client = await connect(context);
	checkDeliverable(url, client.config);
	const known = recall(context, url);
	const registration: Registration =
		known?.secretVersion === secretVersion
			? known
			: { url, secret: newSecret(), secretVersion, madeAt: Date.now() };
	const all = await listWebhooks(client);
	const own = ownOf(all, url);
	const address = withSecret(url, registration.secret, keepsReplies && !isTest);
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
 * When n8n starts, a known registration counts as unchanged while the service does not respond. Otherwise, n8n would
 * remove the webhook, and events would be lost until n8n manages to activate the workflow again.
 */
function staysAsItWas(context: IHookFunctions, failure: ServiceError): boolean {
	const isPassing = ['uncertain', 'unreachable', 'rateLimited'].includes(failure.kind);
	const isKnown = recall(context, webhookUrlOf(context))?.id !== undefined;
	return isStart(context) && isPassing && isKnown;
}

/** Whether n8n starts, or another main process of n8n takes over. Then the service may still deliver to the URL. */
function isStart(context: IHookFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/** While n8n starts, it should go on to list the URL after a failed registration, so that deliveries get through. */
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
		advice = `If the service does not know an event type, correct 'Trigger On' and 'Other Event Types'. If it knows them all, ${byHand}`;
	const text = printable(compact([failure.message, advice]).join('. '));
	return new NodeOperationError(context.getNode(), text);
}
