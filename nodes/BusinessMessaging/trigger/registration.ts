/**
 * The life of a registration, from activation to deactivation.
 *
 * The listing at the service is the truth, what n8n remembers is only a help: it may be lost (n8n killed, workflow
 * imported) or out of date.
 */
import { type IHookFunctions, NodeOperationError } from 'n8n-workflow';

import { InputError } from '../operations/inputError';
import { type ItemFailure, asFailure } from '../operations/outcome';
import { withoutSecrets } from '../transport/serviceConfig';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import { ServiceError } from '../transport/errors';
import { newSecret, recall, remember } from './memory';
import { readOptions } from './options';
import { type Wanted, create, isAsWanted, listOwn } from './ownWebhooks';
import { isPrivate, unreachableReason } from '../webhooks/publicAddress';
import { removeWebhooks, statusOf } from '../webhooks/registrations';
import { withSecret } from '../webhooks/secret';
import { checkSettings, chosenEvents, isManual } from './settings';

/**
 * Whether the service delivers to this node already; takes over the registration that does, and removes surplus ones.
 *
 * @throws NodeOperationError that says what happened and what to do
 */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	return await guarded(context, async () => {
		await checkSettings(context);
		if (isManual(context)) {
			await unregister(context).catch((error) => context.logger.warn(asFailure(error).message));
			return true;
		}
		const { client, wanted } = await prepare(context);
		try {
			return await takeOver(context, client, wanted);
		} catch (error) {
			const failure = asFailure(error);
			if (!staysAsItWas(context, wanted, failure)) throw failure;
			const reason = withoutSecrets(failure.message);
			context.logger.warn(
				`"${context.getNode().name}" could not check its webhook at the service and takes it to be as it was. ${reason}`,
			);
			return true;
		}
	});
}

/**
 * Registers the node's URL, and removes registrations of it that are out of date.
 *
 * @throws NodeOperationError that says what happened and what to do
 */
export async function register(context: IHookFunctions): Promise<boolean> {
	return await guarded(context, async () => {
		const { client, wanted } = await prepare(context);
		const { url, events, registration } = wanted;
		const outdated = await listOwn(client, url, registration.id);
		remember(context, url, registration); // before the service can call
		const id = await create(client, wanted, outdated);
		remember(context, url, { ...registration, id, events });
		return true;
	});
}

/**
 * Removes the node's registrations. One that is gone already counts as removed.
 *
 * @throws NodeOperationError if a registration is known that could not be removed: n8n tries again, then shows why. It
 *   is removed with the next activation or deactivation that gets through.
 */
export async function unregister(context: IHookFunctions): Promise<boolean> {
	const url = webhookUrl(context);
	const known = recall(context, url);
	if (isManual(context) && !known?.id) return true;
	try {
		const client = await connect(context);
		if (unreachable(url, client)) return true; // then it cannot have been registered
		const own = await listOwn(client, url, known?.id);
		const byHand = (address: string | undefined) =>
			isManual(context) && address !== withSecret(url, known?.secret ?? '');
		await removeWebhooks(
			client,
			own.filter((webhook) => !byHand(webhook.url)),
		);
	} catch (error) {
		const message = withoutSecrets(asFailure(error).message);
		// After a failed activation n8n asks for a clean-up; a second error would only hide the first.
		if (!known?.id) return false;
		throw new NodeOperationError(
			context.getNode(),
			`The webhook could not be removed at the service. ${message}. Its events start nothing while the workflow is inactive. Activate and deactivate the workflow once more to have it removed.`,
		);
	}
	if (known) remember(context, url, { secret: known.secret, secretVersion: known.secretVersion });
	return true;
}

/** What checking and registering need, once it is certain that it can work. */
async function prepare(context: IHookFunctions): Promise<{ client: Client; wanted: Wanted }> {
	const url = webhookUrl(context);
	const events = chosenEvents(context);
	if (events.length === 0)
		throw new InputError('No event is chosen', 'Choose at least one under Events or Other Events');
	const client = await connect(context);
	const reason = unreachable(url, client);
	if (reason) {
		throw new InputError(
			`The service cannot deliver to ${new URL(url).origin}: the address ${reason}`,
			"Set n8n's environment variable WEBHOOK_URL to the public https:// address of n8n, or use a tunnel while you try things out",
		);
	}
	const { secretVersion } = readOptions(context);
	const known = recall(context, url);
	const registration =
		known?.secretVersion === secretVersion ? known : { secret: newSecret(), secretVersion };
	return { client, wanted: { url, events, registration } };
}

async function takeOver(context: IHookFunctions, client: Client, wanted: Wanted): Promise<boolean> {
	const { url, events, registration } = wanted;
	const own = await listOwn(client, url, registration.id);
	const kept = own.find((webhook) => isAsWanted(webhook, wanted));
	if (!kept) return false;
	remember(context, url, { ...registration, id: kept.id, events });
	await removeWebhooks(
		client,
		own.filter((webhook) => webhook !== kept),
	);
	return true;
}

/**
 * Whether to go on without a check: n8n starts, had registered before, and the service does not answer. n8n would
 * otherwise remove the webhook, and events would be lost until one of its later tries to activate the workflow.
 */
function staysAsItWas(
	context: IHookFunctions,
	{ registration }: Wanted,
	failure: ItemFailure,
): boolean {
	const isStart = ['init', 'leadershipChange'].includes(context.getActivationMode());
	const isPassing =
		failure instanceof ServiceError &&
		['indeterminate', 'unreachable', 'rateLimited'].includes(failure.kind);
	return isStart && isPassing && registration.id !== undefined;
}

function webhookUrl(context: IHookFunctions): string {
	return context.getNodeWebhookUrl('default') as string;
}

/** Why the service cannot deliver to a URL; a service on this machine or network can call n8n there. */
function unreachable(url: string, client: Client): string | undefined {
	return isPrivate(new URL(client.config.root)) ? undefined : unreachableReason(new URL(url));
}

/** n8n shows nothing but the message when an activation fails, so the advice is part of it. */
async function guarded<T>(context: IHookFunctions, task: () => Promise<T>): Promise<T> {
	try {
		return await task();
	} catch (error) {
		const failure = asFailure(error);
		const advice = [404, 405].includes(statusOf(failure) ?? 0)
			? `Choose Manual under Registration, and register this URL at the service by hand: ${webhookUrl(context)}`
			: failure.description?.replace(/ \([A-Z_]+\)$/, ''); // n8n replaces a message that holds a fault's code
		throw new NodeOperationError(
			context.getNode(),
			withoutSecrets([failure.message, advice].filter(Boolean).join('. ')),
		);
	}
}
