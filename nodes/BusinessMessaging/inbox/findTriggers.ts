/** What Send and Wait, and the operations on its questions, need of n8n and of the service: who keeps the replies. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { isOnEngine2 } from '../execution/n8nMode';
import type { Client } from '../transport/client';
import { InputError } from '../transport/errors';
import { listWebhooks } from '../webhooks/registrations';
import { type Triggers, triggersAmong } from './urls';

/** @throws InputError if this n8n cannot continue an execution when a reply comes */
export function checkN8n(context: IExecuteFunctions): void {
	if (typeof context.getSignedResumeUrl !== 'function') {
		throw new InputError(
			'Send and Wait for Response requires n8n 1.107 or newer',
			'Update n8n, or use Send Text and read the reply with Business Messaging Trigger.',
		);
	}
	if (isOnEngine2(context)) {
		throw new InputError(
			"Send and Wait for Response does not work on n8n's engine 2.0",
			"Use n8n's standard engine for this workflow.",
		);
	}
}

/**
 * The triggers of this n8n that are registered at the service.
 * @param own the URL of an execution @throws ServiceError; InputError if the service hides the addresses of webhooks
 */
export async function findTriggers(client: Client, own: string): Promise<Triggers> {
	const listed = await listWebhooks(client);
	const triggers = triggersAmong(
		listed.map(({ url }) => url),
		own,
	);
	const isHidden = listed.some(({ url }) => url === undefined);
	if (triggers.inboxes.length === 0 && isHidden)
		throw new InputError(
			'The service does not show the complete addresses of its webhooks, so the node cannot find the workflow that keeps the replies',
			'Send and Wait for Response does not work with this service. Use Send Text, and read the reply with Business Messaging Trigger.',
		);
	return triggers;
}
