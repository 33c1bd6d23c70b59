/** Calls of the inbox to an execution that waits: whether it still waits, or its replies. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { writeLog } from '../log';
import { connect } from '../transport/connect';
import { asFailure } from '../transport/errors';
import { Refusal, refuse } from '../webhooks/refusal';
import { openCall, refusal, runCallSchema } from './calls';
import { outputsOf } from './output';
import { fromRecord } from './records';
import { readWaitState } from './waitState';

/**
 * Handles a call to a waiting execution, whose URL n8n has verified. Never throws, because n8n would end the wait with
 * the error; after 503, the sender tries again.
 */
export async function resumeRun(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = context.getResponseObject();
	try {
		const { wait: id } = context.getQueryData() as { wait?: unknown };
		const client = await connect(context).catch(() => undefined);
		const call =
			client && openCall(client.config.keyId, String(id), context.getBodyData(), runCallSchema);
		if (!call) return refuse(response, new Refusal(401, refusal));
		if (call === 'notNow') return refuse(response, new Refusal(503, 'Try again'));
		const waiting = readWaitState(context);
		if (waiting !== undefined && waiting.run !== id)
			return { webhookResponse: call.respond({ state: 'gone' }) };
		const { own, record } = call.content;
		const run = fromRecord(String(id), record, own);
		if (!run) return { webhookResponse: call.respond({ state: 'waiting' }) };
		return {
			webhookResponse: call.respond({ state: 'accepted' }),
			workflowData: [outputsOf(context.getNode(), run, waiting?.notAsked ?? [])],
		};
	} catch (error) {
		writeLog(context, `A reply could not be handled: ${asFailure(error).message}`);
		return refuse(response, new Refusal(503, 'Not handled. Try again later'));
	}
}
