/** A delivery of the service as it came, the events that it holds, and the answers to it. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { type EventEnvelope, readEnvelopes } from '../api/events';
import { isTooDeep, parseJson } from '../api/read';

/** A delivery as it came. */
export interface Delivery {
	headers: Record<string, unknown>;
	rawBody: Buffer;
}

/** The request as it came. n8n has read the body if it knows the content type, and has no raw one of a form with files. */
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
 * The events of a delivery. n8n parses JSON only if the header says that it is some; the raw body tells what really came.
 *
 * @returns undefined if it holds anything else
 */
export function readEvents(
	context: IWebhookFunctions,
	{ rawBody }: Delivery,
): EventEnvelope[] | undefined {
	const envelopes =
		readEnvelopes(context.getBodyData()) ?? readEnvelopes(parseJson(String(rawBody)));
	return isTooDeep(envelopes) ? undefined : envelopes;
}

/** 200: there is nothing to do, and the service is not to deliver again. */
export function handled(message: string): IWebhookResponseData {
	return { webhookResponse: { message } };
}

/** Another status, upon which a service may deliver again. */
export function refuse(
	context: IWebhookFunctions,
	status: number,
	message: string,
): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

/** The refusal of a body that holds no event. */
export function refuseBody(context: IWebhookFunctions): IWebhookResponseData {
	const message = 'The body is not an event: it needs "event" (text) and "data" (object)';
	return refuse(context, 400, message);
}
