/** A call of one of our nodes to a trigger. It is encrypted with the API key, so it needs no secret. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isRecord } from '../jsonValues';
import { writeLog } from '../log';
import { connect } from '../transport/connect';
import { callEvent, openCall, refusal } from '../inbox/calls';
import type { Late } from '../inbox/core';
import { toLateEvent, toLateItem } from '../inbox/lateItems';
import { requestSchema } from '../inbox/protocol';
import { isTriggerUrl } from '../inbox/urls';
import { webhookUrlOf } from '../webhooks/publicAddress';
import { Refusal } from '../webhooks/refusal';
import { passesFilters } from './filters';
import type { TriggerMemory } from './memory';
import { type TriggerSettings, getsMessages, readFilters } from './settings';

/** Whether a body is a call. */
export function isCall(body: unknown): boolean {
	return isRecord(body) && body.event === callEvent;
}

/** Answers a call of Send and Wait, of another trigger, or of the inbox itself. @throws Refusal if it is not valid */
export async function answerCall(
	context: IWebhookFunctions,
	memory: TriggerMemory,
	settings: TriggerSettings,
): Promise<IWebhookResponseData> {
	const own = webhookUrlOf(context);
	const client = await connect(context).catch(() => undefined);
	const call = client && openCall(client.config.keyId, own, context.getBodyData(), requestSchema);
	if (!call) throw new Refusal(401, refusal);
	if (call === 'notNow') throw new Refusal(503, 'Try again');
	const request = call.content;
	if (request.is === 'look' || request.is === 'bye') {
		if (request.is === 'bye') memory.inboxUrl.forget(request.inbox);
		else if (isTriggerUrl(request.inbox, own)) memory.inboxUrl.set(request.inbox);
		memory.write(context, false);
		return { webhookResponse: call.respond({ inbox: 'no' }) };
	}
	const isInbox = settings.keepsReplies && !settings.isTest && getsMessages(settings);
	const keeper = await memory.inbox.open(context, client);
	const delivery = memory.deliveryOf(context.getResponseObject());
	const { response, late = [] } = await keeper.respond(delivery, request, isInbox);
	const webhookResponse = call.respond({ ...response, workflow: context.getWorkflow().name });
	const wanted = late.length > 0 ? wantedAmong(context, late) : [];
	memory.write(context, wanted.length > 0);
	if (wanted.length === 0) return { webhookResponse };
	const items = wanted.map((one) => ({ json: toLateItem(one, settings.isSimplified) }));
	return { webhookResponse, workflowData: [items] };
}

/** The late replies that pass the filters of the trigger. */
function wantedAmong(context: IWebhookFunctions, late: Late[]): Late[] {
	const filters = readFilters(context, false);
	const wanted = late.filter((one) => passesFilters(filters, toLateEvent(one).fields));
	if (wanted.length < late.length)
		writeLog(
			context,
			`Replies that came too late for Send and Wait: ${late.length - wanted.length}. The filters of this trigger do not let them pass, so they start no workflow.`,
		);
	return wanted;
}
