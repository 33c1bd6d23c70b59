/** Questions that Send and Wait has the trigger take the answers to. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isRecord } from '../api/read';
import { connect } from '../transport/connect';
import { refuse } from '../webhooks/delivery';
import { joinInbox } from '../webhooks/inbox';
import { openRequest, questionEvent } from '../webhooks/question';
import { isChosen } from './settings';

/** Whether a delivery comes from Send and Wait. */
export function isQuestion(body: unknown): boolean {
	return isRecord(body) && body.event === questionEvent;
}

/** Takes questions, if the trigger gets messages and not just a test; a request that is not for it keeps and calls nothing. */
export async function takeQuestions(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const { config } = await connect(context);
	const url = context.getNodeWebhookUrl('default') ?? '';
	const request = openRequest(config.id, context.getBodyData(), url);
	if (!request) return refuse(context, 403, 'This is no question of this n8n');
	const getsMessages = isChosen(context, { event: 'message.received', data: {} });
	if (context.getMode() === 'manual' || !getsMessages) return { webhookResponse: { inbox: 'no' } };
	const inbox = joinInbox(context, config.id);
	const { questions, isOver } = request;
	if (questions && isOver) inbox.end(questions.run, questions.until);
	const isTaken = !questions || isOver || inbox.add(context, questions);
	inbox.store(context);
	return { webhookResponse: { inbox: isTaken ? 'yes' : 'full' } };
}
