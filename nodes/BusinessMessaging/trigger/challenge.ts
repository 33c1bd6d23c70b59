/**
 * Services that ask an address whether it wants their events before they register it: they send a word, and the same word
 * has to come back. Assumption: the ways in common use, as the specification shows none. The answer tells nothing and
 * registers nothing, so it is given to anybody: n8n stores the secret of a URL only after the registration.
 */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isRecord } from '../api/read';

/** Name of the webhook that takes GET requests, in n8n's words. */
export const challengeWebhook = 'setup';

const parameters = ['hub.challenge', 'challenge', 'validationToken', 'echostr'];
const longestWord = 1_000;

/** Answers a GET request: with the word as text, or just with 200 to a service that only looks whether somebody is there. */
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

/** The answer to a challenge that comes with POST; undefined if the body is none. */
export function answerPost(body: unknown): IWebhookResponseData | undefined {
	return isRecord(body) && isWord(body.challenge) && body.event === undefined
		? { webhookResponse: { challenge: body.challenge } }
		: undefined;
}

function isWord(value: unknown): value is string {
	return typeof value === 'string' && value.length <= longestWord;
}
