/** Without a trigger: registers the resume URL of the one person who is asked. */
import { createHmac } from 'crypto';
import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Listening } from '../execution/run';
import { asText } from '../api/read';
import { writeLog } from '../log';
import { InputError, asFailure } from '../transport/errors';
import { samePhoneKey } from '../phone/compare';
import type { Client } from '../transport/client';
import { pause } from '../transport/deadline';
import { canonical, checkDeliverable } from '../webhooks/publicAddress';
import { callRun, graceMs, isWaitingUrl, pollEvent, resume, rootOf } from '../webhooks/question';
import {
	type RegisteredWebhook,
	addWebhook,
	listWebhooks,
	removeWebhooks,
} from '../webhooks/registrations';
import type { Asking } from './asking';

/**
 * Registers the URL, and removes registrations that earlier runs have left behind.
 *
 * @throws InputError if another run waits for the same person, or the service cannot reach n8n; ServiceError
 */
export async function listenByWebhook(
	asking: Asking,
	webhooks: RegisteredWebhook[],
): Promise<Listening> {
	const { context, client, run, asked } = asking;
	const phone = samePhoneKey(asText(asked[0].request.body?.to));
	// Identifies a person without revealing who it is.
	const person = createHmac('sha256', client.config.id).update(phone).digest('base64url');
	const url = canonical(context.getSignedResumeUrl({ wait: `${run}.${person}` }));
	checkDeliverable(url, client.config);
	const earlier = webhooks.filter(({ url: other = '' }) => isWaitingUrl(other, rootOf(url)));
	await Promise.all(earlier.map(async (webhook) => await checkEarlier(asking, webhook, person)));
	const registration = { id: await addWebhook(client, { url, events: ['message.received'] }) };
	const stop = async () => await unregister(context, client, url, registration.id);
	const wait = async () => {
		const until = Date.now() + asking.limitMs;
		if (asking.questions.length === 0) await stop();
		else void endAt(asking, url, until);
		return asking.questions.length > 0 && (await asking.wait(until, registration));
	};
	return { stop, wait };
}

/** Removes a registration whose execution no longer waits. @throws InputError if it waits for the same person */
async function checkEarlier(
	{ context, client }: Asking,
	webhook: RegisteredWebhook,
	person: string,
): Promise<void> {
	const state = await callRun(context, webhook.url as string, pollEvent);
	if (state === 'ended' || state === 'resumed') await removeWebhooks(client, [webhook]);
	if (state !== 'waiting' || !webhook.url?.includes(person)) return;
	throw new InputError(
		'Another question to this person is open',
		'Publish a workflow with Business Messaging Trigger and the same credential, e.g. the example Inbox, to have several questions open, or stop the execution that waits. Nothing was sent.',
	);
}

async function endAt({ context }: Asking, url: string, until: number): Promise<void> {
	while (Date.now() < until) await pause(until - Date.now());
	const isWanted = () => Date.now() < until + graceMs;
	await resume(context, url, () => [], isWanted);
}

/** Removes a registration. Does not throw: if it cannot be removed now, the next question removes it. */
export async function unregister(
	context: Pick<IExecuteFunctions | IWebhookFunctions, 'logger'>,
	client: Client,
	url: string,
	id?: string,
): Promise<void> {
	try {
		const listed = id === undefined ? await listWebhooks(client) : [];
		const found = listed.filter((webhook) => webhook.url === url && webhook.id !== undefined);
		await removeWebhooks(client, id === undefined ? found : [{ id }]);
	} catch (error) {
		const { message } = asFailure(error);
		writeLog(context, 'warn', `A webhook could not be removed at the service: ${message}`);
	}
}
