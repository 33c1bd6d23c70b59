/** What publishing a trigger means for the inbox of this n8n: that there is one at most, and that all can call it. */
import type { IHookFunctions } from 'n8n-workflow';

import { writeLog } from '../log';
import { InputError } from '../transport/errors';
import type { Client } from '../transport/client';
import { webhookUrlOf } from '../webhooks/publicAddress';
import type { RegisteredWebhook } from '../webhooks/registrations';
import { workflowNameOf } from './asker';
import { callsOf } from './calls';
import { type Triggers, triggersAmong } from './urls';

/** The trigger that is published. */
interface Published {
	keepsReplies: boolean;
	/** Whether it checks who calls it. */
	isAuthenticated: boolean;
}

/**
 * Checks that at most one trigger keeps the replies, that all can call each other, and that nobody but the service can
 * answer a question.
 * @param among the other triggers
 * @returns the URL of the trigger that keeps the replies; undefined if it is this one, or if there is none
 * @throws InputError if another trigger keeps the replies already, or has another API key; or if this one would start
 * with replies, because it does not check who calls it
 */
export async function checkTriggers(
	context: IHookFunctions,
	client: Client,
	among: Triggers,
	{ keepsReplies, isAuthenticated }: Published,
): Promise<string | undefined> {
	const calls = callsOf(context.helpers, async () => client.config.keyId);
	let inbox: string | undefined;
	for (const url of among.inboxes) {
		const result = await calls.callTrigger(url, { is: 'hello' });
		if (result === 'gone') continue; // left behind by a workflow that is not published
		const name = workflowNameOf(url, result);
		if (keepsReplies)
			throw new InputError(
				`Another workflow keeps the replies for Send and Wait already: ${name}`,
				"Only one can, so this workflow starts nothing now. Switch off 'Keep Replies for Send and Wait' in its trigger and publish it again. Or, to keep the replies here, unpublish the other workflow first. If you do neither, unpublish this one: it may start when n8n restarts",
			);
		if (!isAuthenticated)
			throw new InputError(
				`This trigger accepts calls from anybody, but the workflow ${name} keeps the replies for Send and Wait`,
				"Switch on 'Require Secret' or add 'Signature' under 'Options', so that only the service can call this trigger",
			);
		if (result === 'refused') throw hasOtherKey(url);
		inbox = url;
	}
	if (!keepsReplies) return inbox;
	const own = webhookUrlOf(context);
	for (const url of among.others) {
		const result = await calls.callTrigger(url, { is: 'look', inbox: own });
		if (result === 'refused') throw hasOtherKey(url);
	}
	return undefined;
}

/** Tells the other triggers that this one keeps no replies any more, so that they need not wait for its answers. */
export async function sayGoodbye(
	context: IHookFunctions,
	client: Client,
	listed: RegisteredWebhook[],
): Promise<void> {
	const calls = callsOf(context.helpers, async () => client.config.keyId);
	const inbox = webhookUrlOf(context);
	const urls = listed.map(({ url }) => url);
	const { others } = triggersAmong(urls, inbox);
	await Promise.all(others.map(async (url) => await calls.callTrigger(url, { is: 'bye', inbox })));
}

/** Says in the log what the end of an inbox means for open questions. @param count how many runs wait for replies */
export function noteOpenQuestions(context: IHookFunctions, count: number): void {
	if (count > 0)
		writeLog(
			context,
			'This workflow kept the replies for Send and Wait, and questions are open. Publish it within ten minutes, unless n8n does, as after a change or a restart. After that, replies start the other workflows with Business Messaging Trigger.',
		);
}

function hasOtherKey(url: string): InputError {
	return new InputError(
		`The Business Messaging Trigger at ${url} uses another API key of the same account, so replies would start the wrong workflow`,
		'Choose the same credential in both triggers',
	);
}
