/** The asking half: finds out how replies will arrive, before the first question is sent. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { isOnEngine2 } from '../execution/engine2';
import type { Item } from '../execution/item';
import type { Listening } from '../execution/run';
import { InputError } from '../transport/errors';
import { connect } from '../transport/connect';
import { maxPeople } from '../webhooks/question';
import { listWebhooks } from '../webhooks/registrations';
import { Asking } from './asking';
import { listenByTrigger } from './byTrigger';
import { listenByWebhook } from './byWebhook';

/**
 * Finds the receiver of the replies to all valid items: the published triggers of this n8n and service, or for
 * one person a registration.
 *
 * @throws InputError if n8n is too old, if several people or grouped messages have no trigger, if there are too
 * many people, or if the service cannot reach n8n; ServiceError
 */
export async function listenForReplies(
	context: IExecuteFunctions,
	items: Item[],
): Promise<Listening> {
	if (typeof context.getSignedResumeUrl !== 'function') {
		throw new InputError(
			'Send and Wait for Response needs n8n 1.107 or newer',
			'Update n8n. All other operations work with your version.',
		);
	}
	if (isOnEngine2(context)) {
		throw new InputError(
			"Send and Wait for Response does not work on n8n's engine 2.0",
			"That engine cannot continue an execution when a reply comes. Use n8n's standard engine for this workflow. Nothing was sent.",
		);
	}
	const client = await connect(context, { signal: context.getExecutionCancelSignal() });
	const asking = new Asking(context, client, items);
	const people = asking.asked.length;
	if (people > maxPeople) {
		throw new InputError(
			`${people} people would be asked at once, and at most ${maxPeople} can be`,
			'Put a Loop Over Items node before this one. Nothing was sent.',
		);
	}
	const webhooks = await listWebhooks(client);
	const listening = await listenByTrigger(asking, webhooks);
	if (listening) return listening;
	if (people === 1 && !asking.groups) return await listenByWebhook(asking, webhooks);
	throw new InputError(
		'To ask several people at once, or to group messages, publish a workflow with Business Messaging Trigger and the same credential, e.g. the example Inbox',
		"The trigger receives the replies. It must be published on this n8n with Message Received in 'Trigger On' and Automatic in 'Registration', and n8n must be able to call its own public address. Nothing was sent.",
	);
}
