/** What publishing a trigger means for the inbox of this n8n: where replies are kept, and that it wakes. */
import type { IHookFunctions } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { writeLog } from '../log';
import { InputError } from '../transport/errors';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import { pause } from '../transport/deadline';
import { nodeKey, readState, writeState } from '../webhooks/nodeState';
import { webhookUrlOf } from '../webhooks/publicAddress';
import type { RegisteredWebhook } from '../webhooks/registrations';
import { workflowNameOf } from './asker';
import { callsOf } from './calls';
import { triggersAmong } from './urls';

/** How often the inbox is called, ms: it then stores what n8n has overwritten, and after a restart it wakes. */
const wakeMs = 30_000;
const retryMs = 1_000;

/** For each node, the loop that calls its inbox. */
const awake = new BoundedMap<string, object>({ maxSize: 1_000, maxAgeMs: Infinity });

/**
 * Checks that at most one trigger keeps the replies, and that all can call each other. A trigger that does not keep
 * them learns where the inbox is.
 * @throws InputError if another trigger keeps the replies already, or has another API key
 */
export async function checkTriggers(
	context: IHookFunctions,
	client: Client,
	listed: RegisteredWebhook[],
	keepsReplies: boolean,
): Promise<void> {
	const { keyId } = client.config;
	const calls = callsOf(context.helpers, async () => keyId);
	const own = webhookUrlOf(context);
	const { inboxes, others } = triggersAmong(
		listed.map(({ url }) => url),
		own,
	);
	for (const url of inboxes) {
		const result = await calls.callTrigger(url, { is: 'hello' });
		if (result === 'gone') continue; // left behind by a workflow that is not published
		if (keepsReplies) throw keepsAlready(workflowNameOf(url, result));
		if (result === 'refused') throw hasOtherKey(url);
		writeState(context, 'inboxUrl', url);
	}
	if (!keepsReplies) return;
	for (const url of others) {
		const result = await calls.callTrigger(url, { is: 'look', inbox: own });
		if (result === 'refused') throw hasOtherKey(url);
	}
}

/** Notes where the inbox is, if n8n has lost it. Calls no trigger: while n8n starts, it may not be ready. */
export function noteInbox(context: IHookFunctions, listed: RegisteredWebhook[]): void {
	const urls = listed.map(({ url }) => url);
	const { inboxes } = triggersAmong(urls, webhookUrlOf(context));
	if (inboxes.length > 0 && readState(context, 'inboxUrl') === undefined)
		writeState(context, 'inboxUrl', inboxes[0]);
}

function keepsAlready(name: string): InputError {
	return new InputError(
		`Another workflow keeps the replies for Send and Wait already: ${name}`,
		"Only one can, so this workflow starts nothing now. Switch off 'Keep Replies for Send and Wait' here and publish again, or unpublish that workflow first",
	);
}

function hasOtherKey(url: string): InputError {
	return new InputError(
		`The Business Messaging Trigger at ${url} uses another API key of the same account, so replies for Send and Wait would start the wrong workflow`,
		'Choose the same credential in both triggers',
	);
}

/**
 * Keeps calling the inbox in the process that receives its deliveries: so it wakes when n8n starts (README.md). A
 * trigger that was the inbox is called too, and finishes what it has begun.
 */
export function keepAwake(context: IHookFunctions, keepsReplies: boolean): void {
	const hasQuestions = openQuestions(context) > 0;
	if (!keepsReplies && hasQuestions)
		writeLog(
			context,
			`"${context.getNode().name}" no longer keeps the replies for Send and Wait, but questions are open. From now on, replies start workflows. The runs that asked go on when their wait time is over.`,
		);
	if (!keepsReplies && !hasQuestions) return endAwake(context);
	const loop = {};
	const key = nodeKey(context);
	awake.set(key, loop);
	void wakeAgain(context, () => awake.get(key) === loop);
}

async function wakeAgain(context: IHookFunctions, isAwake: () => boolean): Promise<void> {
	const own = webhookUrlOf(context);
	const keyIdNow = async () => (await connect(context)).config.keyId;
	const calls = callsOf(context.helpers, keyIdNow);
	while (isAwake()) {
		const result = await calls.callTrigger(own, { is: 'wake' });
		await pause(typeof result === 'object' ? wakeMs : retryMs);
	}
}

/** No longer calls the inbox of a trigger. */
export function endAwake(context: IHookFunctions): void {
	awake.delete(nodeKey(context));
}

/** Says in the log what the end of an inbox means for open questions. */
export function noteOpenQuestions(context: IHookFunctions): void {
	if (openQuestions(context) > 0)
		writeLog(
			context,
			`"${context.getNode().name}" kept the replies for Send and Wait, and questions are open. Publish it again within ten minutes. After that, replies start the other workflows with Business Messaging Trigger.`,
		);
}

/** How many runs wait for replies, as far as n8n has stored it. */
function openQuestions(context: IHookFunctions): number {
	const stored = { ...(readState(context, 'inbox') as object | undefined) };
	return Object.keys(stored).filter((name) => !['settled', 'late', 'by'].includes(name)).length;
}
