/** The receiving half: calls of the trigger, or of the service itself, to an execution that waits. */
import type { IWebhookDescription, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import type { EventEnvelope } from '../api/events';
import { BoundedMap } from '../boundedMap';
import { writeLog } from '../log';
import { withLock } from '../mutex';
import { asFailure } from '../transport/errors';
import { samePhoneKey } from '../phone/compare';
import { connect } from '../transport/connect';
import { isEarlier, senderOf, takeAnswer } from '../webhooks/answers';
import { deduplicationKeyOf } from '../webhooks/deduplicationKey';
import { handled, readDelivery, readEvents, refuse, refuseBody } from '../webhooks/delivery';
import { type Answer, answersEvent, pollEvent, readAnswers } from '../webhooks/question';
import { canonical } from '../webhooks/publicAddress';
import { unregister } from './byWebhook';
import { outputsOf } from './output';
import { type Wait, readWait } from './asking';

/** The webhooks to which n8n sends requests while an execution waits. */
export const replyWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		path: '={{ $nodeId }}',
		restartWebhook: true,
		isFullPath: true,
	},
];

/** Messages after which this process has repeated a question, so that a second delivery does not count again. */
const repeatedAfter = new BoundedMap<string, true>({ maxSize: 5_000 });

/**
 * Handles a call to a waiting execution, whose URL n8n has verified. Never throws, because n8n would end the wait
 * with the error; after 503, the sender tries again.
 */
export async function receiveReply(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		const wait = readWait(context);
		const { wait: name } = context.getQueryData() as { wait?: unknown };
		if (typeof name !== 'string' || wait?.run !== name.split('.')[0])
			return refuse(context, 410, 'This execution no longer waits for an answer');
		const body = context.getBodyData() as Record<string, unknown>;
		if (body.event === pollEvent) return { webhookResponse: { waiting: true } };
		if (body.event === answersEvent) return goOn(context, wait, readAnswers(body.data));
		const events = readEvents(context, await readDelivery(context));
		if (!events) return refuseBody(context);
		const answer = await withLock(wait.run, async () => await takeMessages(context, wait, events));
		if (!answer) return handled('No answer');
		return goOn(context, wait, new Map([[wait.questions[0].item, answer]]));
	} catch (error) {
		writeLog(context, 'warn', `An answer could not be handled: ${asFailure(error).message}`);
		return refuse(context, 503, 'Not handled at the moment');
	}
}

/** Without a trigger: the person's messages, until one of them is an answer. */
async function takeMessages(
	context: IWebhookFunctions,
	wait: Wait,
	events: EventEnvelope[],
): Promise<Answer | undefined> {
	const [{ item, to, askedTime, expected }] = wait.questions;
	const question = { run: wait.run, item, to, expected: wait.settings[expected], people: 1 };
	for (const event of events.filter((one) => senderOf(one) === samePhoneKey(to))) {
		const key = `${wait.run} ${deduplicationKeyOf(event, context.getHeaderData()) ?? ''}`;
		if (isEarlier(event, askedTime) || repeatedAfter.has(key)) continue;
		const answer = await takeAnswer(context, event, question);
		if (answer) return answer;
		if (!key.endsWith(' ')) repeatedAfter.set(key, true);
	}
	return undefined;
}

/** Lets n8n continue with the answers, and removes the registration once it does. */
function goOn(
	context: IWebhookFunctions,
	wait: Wait,
	answers: Map<number, Answer>,
): IWebhookResponseData {
	const response = context.getResponseObject();
	response.once('close', () => {
		if (wait.registration && response.statusCode < 300) void discard(context, wait.registration.id);
	});
	return {
		webhookResponse: { message: 'Answered' },
		workflowData: outputsOf(context, wait, answers),
	};
}

async function discard(context: IWebhookFunctions, id?: string): Promise<void> {
	const { wait } = context.getQueryData() as { wait: string };
	const url = canonical(context.getSignedResumeUrl({ wait }));
	await unregister(context, await connect(context), url, id);
}
