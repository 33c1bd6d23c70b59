/**
 * Some services send a word (a challenge) to a URL before they register it, and expect it back. Assumption: the usual
 * forms. It reveals nothing, and cannot require the secret, which n8n stores only after the registration.
 */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { isEmpty, isObject } from 'lodash';

import { isRecord } from '../jsonValues';

/** Name of the webhook that takes GET requests, in n8n's words. */
export const challengeWebhook = 'setup';

const parameters = ['hub.challenge', 'challenge', 'validationToken', 'echostr'];
const maxWordLength = 1_000;

/** Responds to a GET request: with the word as text, or only with 200 if the service just checks that the URL works. */
export function answerGet(context: IWebhookFunctions): IWebhookResponseData {
	const query = context.getQueryData() as Record<string, unknown>;
	const word = parameters.map((name) => query[name]).find(isWord) ?? '';
	context
		.getResponseObject()
		.status(200)
		.set({ 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
		.send(word);
	return { noWebhookResponse: true };
}

/** Names of the events with which services test a URL. */
const testNames =
	/(?:^|[^a-z])(?:ping|test|verify|verification|valid|handshake|hello|webhook|subscription)/i;

/** Responds to a test of the URL: a challenge, or a body without data, e.g. `{ "event": "ping" }`. Else undefined. */
export function answerPost(body: unknown): IWebhookResponseData | undefined {
	if (!isRecord(body)) return undefined;
	if (isWord(body.challenge) && body.event === undefined)
		return { webhookResponse: { challenge: body.challenge } };
	const name = body.event ?? body.type;
	const hasContent = Object.values(body).some((value) => isObject(value) && !isEmpty(value));
	const isTest = typeof name === 'string' && testNames.test(name) && !hasContent;
	return isTest ? { webhookResponse: { message: 'Ready' } } : undefined;
}

function isWord(value: unknown): value is string {
	return typeof value === 'string' && value.length <= maxWordLength;
}
