/** A delivery of the service, and its events. */
import { type IWebhookFunctions, sleep } from 'n8n-workflow';

import { type EventEnvelope } from '../api/events';
import { readEnvelopes } from '../reading/readEvents';
import { parseJson } from '../reading/parseJson';
import { defaultCountryOf } from '../operations/phoneFields';
import { credentialType } from '../transport/connect';
import { writeLog } from '../log';
import type { Response } from './kept';
import { Refusal } from './refusal';
import { localSenderOf, withCountryCode } from './simpleEvent';

/** A delivery as it came. */
export interface Delivery {
	headers: Record<string, unknown>;
	rawBody: Buffer;
}

/**
 * Whether n8n has stored what a delivery starts: waits until n8n has ended the response, at most `maxMs`. If the
 * connection is lost, the response has no event for that.
 */
export async function hasSucceeded(response: Response, maxMs: number): Promise<boolean> {
	const end = performance.now() + maxMs;
	while (!response.writableEnded && performance.now() < end) await sleep(2);
	return response.writableEnded && response.statusCode < 300;
}

/** The request as it arrived. n8n parses bodies of known content types, and has no raw body for a form with files. */
export async function readDelivery(context: IWebhookFunctions): Promise<Delivery> {
	const request = context.getRequestObject();
	const isRead = Buffer.isBuffer(request.rawBody) || request.contentType?.startsWith('multipart/');
	if (!isRead) await request.readRawBody();
	return {
		headers: context.getHeaderData(),
		rawBody: Buffer.isBuffer(request.rawBody) ? request.rawBody : Buffer.alloc(0),
	};
}

/**
 * The events of a delivery. Reads the raw body if it can: n8n parses JSON only if the header
 * says so, and rounds large numeric IDs. Only the entries that are no events are left out, so that the others are not
 * lost. Local numbers of senders get the credential's Default Country. @throws Refusal if there are none
 */
export async function readEvents(
	context: IWebhookFunctions,
	{ rawBody }: Delivery,
): Promise<EventEnvelope[]> {
	const parsed = readEnvelopes(parseJson(String(rawBody)));
	const { events, others } =
		parsed.events.length > 0 ? parsed : readEnvelopes(context.getBodyData());
	if (events.length === 0)
		throw new Refusal(
			400,
			'The body is not an event. An event needs "event" (text) and "data" (object)',
		);
	if (others > 0)
		writeLog(
			context,
			`The service delivered entries that are not events. They were left out: ${others}. An event needs "event" (text) and "data" (object).`,
		);
	// n8n reads the credential from its database, so this is not done for other events.
	if (!events.some(localSenderOf)) return events;
	const country = defaultCountryOf(await context.getCredentials(credentialType));
	return events.map((event) => withCountryCode(event, country));
}
