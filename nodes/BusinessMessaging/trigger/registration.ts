/**
 * The life of a registration, from publishing to unpublishing. The listing at the service is the truth, as what n8n
 * remembers may be lost or out of date. Only registrations with exactly our URL are ever touched.
 */
import { randomBytes } from 'crypto';
import { compact, upperFirst, without } from 'lodash';
import { type IHookFunctions, NodeOperationError } from 'n8n-workflow';

import { InputError } from '../operations/inputError';
import { type ItemFailure, asFailure } from '../operations/outcome';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import { ServiceError, isRefusedContent } from '../transport/errors';
import { joinInbox } from '../webhooks/inbox';
import { checkDeliverable, undeliverableReason } from '../webhooks/publicAddress';
import {
	type RegisteredWebhook,
	addWebhook,
	areSameEvents,
	listWebhooks,
	removeWebhooks,
	statusOf,
} from '../webhooks/registrations';
import { isOwnUrl, withSecret } from '../webhooks/secret';
import { type Registration, recall, remember } from './registrationMemory';
import { checkSettings, chosenEvents, isManual, readOptions } from './settings';

/**
 * Whether the service delivers to this node already; takes over the registration that does, and removes surplus ones.
 *
 * @throws NodeOperationError that says what happened and what to do
 */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	try {
		await checkSettings(context);
		if (isManual(context)) {
			await unregister(context).catch((error) => context.logger.warn(asFailure(error).message));
			return true;
		}
		const { client, url, address, events, registration, own } = await makePlan(context);
		const kept = own.find(
			(webhook) =>
				(webhook.url ?? address) === address && areSameEvents(webhook.events ?? [], events),
		);
		if (!kept) return false;
		remember(context, url, { ...registration, id: kept.id });
		await removeWebhooks(client, without(own, kept));
		return true;
	} catch (error) {
		const failure = asFailure(error);
		if (!staysAsItWas(context, failure)) throw toNodeError(context, failure);
		context.logger.warn(
			`"${context.getNode().name}" could not check its webhook at the service and takes it to be as it was. ${failure.message}`,
		);
		return true;
	}
}

/**
 * Registers the node's URL. Registrations that are out of date are removed afterwards, so that no event falls in between.
 *
 * @throws NodeOperationError that says what happened and what to do
 */
export async function register(context: IHookFunctions): Promise<boolean> {
	try {
		const { client, url, address, events, registration, own } = await makePlan(context);
		remember(context, url, registration); // before the service can call
		let outdated = own;
		const id = await addWebhook(client, { url: address, events }).catch(async (error: unknown) => {
			if (own.length === 0 || !mayBeTaken(asFailure(error))) throw error;
			await removeWebhooks(client, own);
			outdated = [];
			return await addWebhook(client, { url: address, events });
		});
		await removeWebhooks(client, outdated);
		remember(context, url, { ...registration, id });
		return true;
	} catch (error) {
		throw toNodeError(context, asFailure(error));
	}
}

/** Whether the service may take no second registration of an address. */
function mayBeTaken(failure: ItemFailure): boolean {
	const isAboutEvents = /\bevents?\b/i.test(failure.message);
	return statusOf(failure) === 409 || (isRefusedContent(failure) && !isAboutEvents);
}

/**
 * Removes the node's registrations. One that is gone already counts as removed.
 *
 * @throws NodeOperationError if a registration is known that could not be removed: n8n tries again, then shows why. It
 *   is removed when the workflow is next published or unpublished and that gets through.
 */
export async function unregister(context: IHookFunctions): Promise<boolean> {
	const url = webhookUrl(context);
	const known = recall(context, url);
	if (isManual(context) && !known?.id) return true;
	try {
		const client = await connect(context);
		if (undeliverableReason(url, client.config)) return true; // then it cannot have been registered
		const own = await listOwn(client, url, known?.id);
		const address = withSecret(url, known?.secret ?? '');
		// With Manual, any other URL of ours is the user's.
		const outdated = own.filter((webhook) => !isManual(context) || webhook.url === address);
		await removeWebhooks(client, outdated);
	} catch (error) {
		// After a failed activation n8n asks for a clean-up; a second error would only hide the first.
		if (!known?.id) return false;
		throw new NodeOperationError(
			context.getNode(),
			`The webhook could not be removed at the service. ${asFailure(error).message}. Its events start nothing while the workflow is not published. Publish and unpublish the workflow once more to have it removed.`,
		);
	}
	if (known) remember(context, url, { secret: known.secret, secretVersion: known.secretVersion });
	return true;
}

/**
 * What checking and registering need; `address` is the URL with the secret.
 *
 * @throws InputError if nothing could come in; ServiceError
 */
async function makePlan(context: IHookFunctions) {
	const url = webhookUrl(context);
	const events = chosenEvents(context);
	if (events.length === 0)
		throw new InputError(
			'No event type is chosen',
			"Choose at least one in 'Trigger On', or name one in 'Other Event Types'.",
		);
	const client = await connect(context);
	checkDeliverable(url, client.config);
	const { secretVersion } = readOptions(context);
	const known = recall(context, url);
	// 256 bits that need no escaping in a URL
	const secret = randomBytes(32).toString('base64url');
	const registration: Registration =
		known?.secretVersion === secretVersion ? known : { secret, secretVersion };
	const own = await listOwn(client, url, registration.id);
	// Answers that are awaited already come here, too; what was stored before n8n ended is gone on with.
	if (context.getMode() !== 'manual') joinInbox(context, client.config.id);
	return { client, url, address: withSecret(url, registration.secret), events, registration, own };
}

/** The registrations with exactly our URL; of a service that shows no URLs, the one that we remember. */
async function listOwn(client: Client, url: string, id?: string): Promise<RegisteredWebhook[]> {
	return (await listWebhooks(client)).filter((webhook) =>
		webhook.url === undefined ? id !== undefined && webhook.id === id : isOwnUrl(webhook.url, url),
	);
}

/**
 * Whether to go on without a check: n8n starts, had registered before, and the service does not answer. n8n would
 * otherwise remove the webhook, and events would be lost until one of its later attempts to activate the workflow.
 */
function staysAsItWas(context: IHookFunctions, failure: ItemFailure): boolean {
	const isStart = ['init', 'leadershipChange'].includes(context.getActivationMode());
	const isPassing =
		failure instanceof ServiceError &&
		['indeterminate', 'unreachable', 'rateLimited'].includes(failure.kind);
	return isStart && isPassing && recall(context, webhookUrl(context))?.id !== undefined;
}

function webhookUrl(context: IHookFunctions): string {
	return context.getNodeWebhookUrl('default') as string;
}

/** n8n shows nothing but the message when an activation fails, so the advice is part of it. */
function toNodeError(context: IHookFunctions, failure: ItemFailure): NodeOperationError {
	const byHand = `choose Manual in 'Registration', and register this URL at the service by hand: ${webhookUrl(context)}`;
	// n8n replaces a message that holds a network error's code
	let advice = failure.description?.replace(/ \([A-Z_]+\)$/, '');
	if ([404, 405].includes(statusOf(failure) ?? 0)) advice = upperFirst(byHand);
	else if (isRefusedContent(failure))
		advice = `If it does not know an event type, correct 'Trigger On' and 'Other Event Types'; else ${byHand}`;
	return new NodeOperationError(context.getNode(), compact([failure.message, advice]).join('. '));
}
