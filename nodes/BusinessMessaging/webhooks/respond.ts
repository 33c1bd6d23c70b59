/** Answers to a delivery that starts nothing. Their statuses besides 200 are assumptions. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/** 200: there is nothing to do, and the service shall not deliver again. */
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
