/** Calls of the inbox to an execution that waits: whether it still waits, or its replies. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { writeLog } from '../log';
import { connect } from '../transport/connect';
import { asFailure } from '../transport/errors';
import { Refusal, refuse } from '../webhooks/refusal';
import { openCall, refusal, repliesIn } from './calls';
import { outputsOf } from './output';

/**
 * Handles a call to a waiting execution, whose URL n8n has verified. Never throws, because n8n would end the wait with
 * the error; after 503, the sender tries again.
 */
export async function receiveReply(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const response = context.getResponseObject();
	try {
		const { wait: id } = context.getQueryData() as { wait?: unknown };
		const keyId = await connect(context).then(
			({ config }) => config.keyId,
			() => undefined,
		);
		const call =
			keyId === undefined ? undefined : openCall(keyId, String(id), context.getBodyData());
		if (!call) return refuse(response, new Refusal(401, refusal));
		if (call === 'tooEarly') return refuse(response, new Refusal(503, 'Try again'));
		// In a loop, the call may be for an earlier round.
		const waiting = readWait(context);
		if (waiting !== undefined && waiting !== id)
			return { webhookResponse: call.respond({ state: 'gone' }) };
		const run = repliesIn(call.content, String(id));
		if (!run) return { webhookResponse: call.respond({ state: 'waiting' }) };
		return {
			webhookResponse: call.respond({ state: 'accepted' }),
			workflowData: outputsOf(context, run),
		};
	} catch (error) {
		writeLog(context, `A reply could not be handled: ${asFailure(error).message}`);
		return refuse(response, new Refusal(503, 'Not handled. Try again later'));
	}
}

/** The ID of the run that waits. n8n shows a node's context only to expressions, and on engine 2.0 not at all. */
function readWait(context: IWebhookFunctions): string | undefined {
	const name = JSON.stringify(context.getNode().name).replace(
		/[{}]/g,
		(sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
	);
	try {
		const json = context.evaluateExpression(
			`{{ JSON.stringify($node[${name}].context["wait"] ?? null) }}`,
		);
		const kept = typeof json === 'string' ? (JSON.parse(json) as { run: string } | null) : null;
		return kept?.run;
	} catch {
		return undefined;
	}
}
