/** The inbox as the operations see it that show open questions, and end the wait for somebody. */
import { once } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { OpenInbox, OpenQuestion } from '../operations/sending/openQuestions';
import { connect } from '../transport/connect';
import { canonical } from '../webhooks/publicAddress';
import { findInbox, untilAccepted } from './asker';
import { callsOf } from './calls';
import { checkN8n, findTriggers } from './findTriggers';
import type { InboxResponse, Request } from './protocol';

/** Opens the inbox of this n8n. It is looked for with the first call. */
export function openInbox(context: IExecuteFunctions): OpenInbox {
	const find = once(async () => {
		checkN8n(context);
		const client = await connect(context, { signal: context.getExecutionCancelSignal() });
		const calls = callsOf(context.helpers, async () => client.config.keyId);
		const own = canonical(context.getSignedResumeUrl());
		const { inboxes } = await findTriggers(client, own);
		return { calls, url: await findInbox(calls, inboxes) };
	});
	const call = async (request: Request): Promise<InboxResponse> => {
		const { calls, url } = await find();
		return await untilAccepted(calls, url, request);
	};
	return {
		hints: new Set(),
		readAll: once(async () => {
			const all: OpenQuestion[] = [];
			let after: InboxResponse['next'];
			do {
				const { open = [], next } = await call({ is: 'open', after });
				all.push(...open);
				after = next;
			} while (after);
			return all;
		}),
		endWait: async (people) => (await call({ is: 'endWait', people })).ended ?? [],
	};
}
