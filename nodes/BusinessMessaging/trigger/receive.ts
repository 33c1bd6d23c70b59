/** One delivery of the service: reads it, decides what it is, responds, and starts the workflow if the filters allow it. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { refuse } from '../webhooks/refusal';
import { admit } from './admit';
import { answerCall, isCall } from './answerCall';
import { answerGet, answerPost, challengeWebhook } from './challenge';
import { openJudge, withoutReplies } from './judge';
import { type TriggerMemory, memories } from './memory';
import { type TriggerSettings, readTriggerSettings } from './settings';
import { toItems } from './toItems';

/**
 * Handles a delivery: one execution with an item for each event. 200: handled, filtered out or a duplicate; 400: no
 * event; 401: secret or signature; 413: too large; 503: deliver again, because it is not known yet whether the secret is
 * right, whether the event is a duplicate, or whether a message is a reply. Source: specification, "Events"; the statuses
 * besides 200 are assumptions.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	if (context.getWebhookName() === challengeWebhook) return answerGet(context);
	const body: unknown = context.getBodyData();
	const challenge = answerPost(body);
	if (challenge) return challenge;
	const settings = readTriggerSettings(context);
	const memory = memories.of(context);
	memory.read(context);
	const handled = isCall(body)
		? answerCall(context, memory, settings)
		: handle(context, memory, settings);
	return await handled.catch((error: unknown) => refuse(context.getResponseObject(), error));
}

async function handle(
	context: IWebhookFunctions,
	memory: TriggerMemory,
	settings: TriggerSettings,
): Promise<IWebhookResponseData> {
	const response = context.getResponseObject();
	const incoming = await admit(context, memory, settings);
	const judge = await openJudge(context, memory, settings);
	const concerning = incoming.filter(
		({ isWanted, arrival }) => isWanted || (arrival && judge.concerns(arrival)),
	);
	const fresh =
		settings.allowsDuplicates || settings.isTest
			? concerning
			: await memory.events.withoutDuplicates(response, concerning);
	const ordinary = await withoutReplies(context, judge, fresh);
	const wanted = ordinary.filter(({ isWanted }) => isWanted);
	const started = await memory.collections.join(response, wanted, settings);
	memory.write(context, started.length > 0);
	if (started.length > 0)
		return { workflowData: [toItems(started, settings).map((json) => ({ json }))] };
	// The delivery that starts the execution responds to this one.
	if (wanted.length > 0) return { noWebhookResponse: true };
	return { webhookResponse: { message: whyNothing(concerning, fresh, ordinary) } };
}

/** Why a delivery starts nothing, from what was left of it at each step. */
function whyNothing(concerning: object[], fresh: object[], ordinary: object[]): string {
	if (concerning.length > 0 && fresh.length === 0) return 'Duplicate event';
	if (fresh.length > 0 && ordinary.length === 0) return 'Received as a reply';
	return 'Not chosen in the trigger';
}
