/** Why a delivery or a call is not handled. */
import type { IWebhookResponseData } from 'n8n-workflow';

import type { Response } from './kept';

/** Thrown by whatever finds out that a delivery cannot be handled. */
export class Refusal extends Error {
	/** @param status HTTP status: after 503, a service delivers again; after 4xx, it may give up */
	constructor(
		readonly status: 400 | 401 | 413 | 503,
		message: string,
	) {
		super(message);
	}
}

/** Responds with the status and the reason of a refusal. @throws any other error */
export function refuse(response: Response, refusal: unknown): IWebhookResponseData {
	if (!(refusal instanceof Refusal)) throw refusal;
	response.status(refusal.status).json({ message: refusal.message });
	return { noWebhookResponse: true };
}
