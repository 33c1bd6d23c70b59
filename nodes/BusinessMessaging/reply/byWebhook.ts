/** Without a trigger: registers the resume URL of the one person who is asked. */
import { createHmac } from 'crypto';
import { difference } from 'lodash';

import type { Listening } from '../execution/run';
import { asText } from '../operations/asText';
import { InputError } from '../operations/inputError';
import { asFailure } from '../operations/outcome';
import { samePhoneKey } from '../phone/compare';
import type { Client } from '../transport/client';
import { pause } from '../transport/deadline';
import { checkDeliverable } from '../webhooks/publicAddress';
import { type RunState, callRun, graceMs, pollEvent, resume, rootOf } from '../webhooks/question';
import {
	type RegisteredWebhook,
	addWebhook,
	listWebhooks,
	removeWebhooks,
} from '../webhooks/registrations';
import type { Asking } from './asking';
import type { Wait } from './wait';

/**
 * Registers for the answer, and removes what earlier runs have left behind.
 *
 * @throws InputError if somebody else waits for the same person, or the service cannot reach n8n; ServiceError
 */
export async function listenByWebhook(
	asking: Asking,
	webhooks: RegisteredWebhook[],
): Promise<Listening> {
	const { context, client, run, asked } = asking;
	const phone = samePhoneKey(asText(asked[0].request.body?.to));
	// Tells questions to the same person from others, and nobody who it is.
	const person = createHmac('sha256', client.config.id).update(phone).digest('base64url');
	const url = context.getSignedResumeUrl({ wait: `${run}.${person}` });
	checkDeliverable(url, client.config);
	const earlier = webhooks.filter((webhook) => webhook.url && isOwn(webhook.url, rootOf(url)));
	const same = earlier.filter((webhook) => webhook.url?.includes(person));
	if ((await removeEnded(asking, same)).includes('waiting')) {
		throw new InputError(
			'Another question to this person is open',
			'Publish a workflow with Business Messaging Trigger and the same credential, e.g. the example Inbox, to have several questions open, or stop the execution that waits. Nothing was sent.',
		);
	}
	void removeEnded(asking, difference(earlier, same)).catch(() => {});
	const registration = { id: await addWebhook(client, { url, events: ['message.received'] }) };
	const discard = async () => {
		await removeRegistration(client, url, registration).catch((error) =>
			context.logger.warn(asFailure(error).message),
		);
	};
	return {
		stop: discard,
		wait: async () => {
			const until = Date.now() + asking.limitMs;
			if (asking.questions.length > 0) {
				void endAt(asking, url, until);
				return await asking.wait(until, registration);
			}
			await discard();
			return false;
		},
	};
}

/** Whether a registered URL is that of a waiting execution of ours. */
function isOwn(url: string, root: string): boolean {
	if (!url.startsWith(root) || !URL.canParse(url) || new URL(url).href !== url) return false;
	const { searchParams } = new URL(url);
	return (
		searchParams.has('signature') && /^[\w-]{36}\.[\w-]{43}$/.test(searchParams.get('wait') ?? '')
	);
}

/** Removes registrations whose execution no longer waits. @returns how each of them was found */
async function removeEnded(
	{ context, client }: Asking,
	webhooks: RegisteredWebhook[],
): Promise<RunState[]> {
	const states: RunState[] = [];
	for (const webhook of webhooks) {
		const state = await callRun(context, webhook.url as string, pollEvent);
		if (state === 'ended' || state === 'resumed') await removeWebhooks(client, [webhook]);
		states.push(state);
	}
	return states;
}

async function endAt({ context }: Asking, url: string, until: number): Promise<void> {
	while (Date.now() < until) await pause(until - Date.now());
	await resume(
		context,
		url,
		() => [],
		() => Date.now() < until + graceMs,
	);
}

/** Removes a registration; one that is gone already counts as removed. @throws ServiceError */
export async function removeRegistration(
	client: Client,
	url: string,
	{ id }: NonNullable<Wait['registration']>,
): Promise<void> {
	const known = id === undefined ? await listWebhooks(client) : [];
	const found = known.find((webhook) => webhook.url === url)?.id;
	if (id !== undefined || found !== undefined) await removeWebhooks(client, [{ id: id ?? found }]);
}
