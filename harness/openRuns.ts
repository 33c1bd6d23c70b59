/** Creates many open runs of Send and Wait at a trigger, without as many executions in n8n. */
import { randomBytes, randomUUID } from 'node:crypto';
import axios from 'axios';
import range from 'lodash/range';
import pLimit from 'p-limit';
import { callsOf } from '../nodes/BusinessMessaging/inbox/calls';
import type { Run } from '../nodes/BusinessMessaging/inbox/core';
import { toRecord } from '../nodes/BusinessMessaging/inbox/records';
import { defaultAnswer } from '../nodes/BusinessMessaging/operations/sending/questionFields';
import {
	type CredentialValues,
	readServiceConfig,
} from '../nodes/BusinessMessaging/transport/serviceConfig';
import { UserError } from './cli';

const ONE_DAY = 86_400_000;
const CALLS_AT_ONCE = 8;

interface Request {
	url: string;
	headers: Record<string, string>;
	body: string;
}

/** Calls as n8n's helper does. */
const request = async ({ url, headers, body: sent }: Request) => {
	const options = { headers, proxy: false as const, validateStatus: () => true };
	const { status, data: body } = await axios.post<unknown>(url, sent, options);
	return { statusCode: status, body };
};

/**
 * Tells a trigger about runs that each ask one person, with the call in which Send and Wait says that all were asked.
 * @throws UserError when the trigger does not accept a run
 */
export async function tellOpenRuns(
	url: string,
	credential: CredentialValues,
	to: string,
	count: number,
): Promise<void> {
	const [own] = url.split('?');
	const { keyId } = readServiceConfig(credential);
	const calls = callsOf({ httpRequest: request }, async () => keyId);
	const limit = pLimit(CALLS_AT_ONCE);
	const tell = async (execution: number) => {
		const run = openRun(own, to, execution);
		const record = { id: run.id, run: toRecord(run, own) };
		const response = await calls.callTrigger(own, { is: 'close', ...record, skewMs: 0 });
		if (typeof response !== 'object' || response.inbox !== 'yes')
			throw new UserError('The trigger does not take a run.');
	};
	await Promise.all(range(1, count + 1).map(async (execution) => await limit(tell, execution)));
}

/** As Send and Wait describes a run after it has asked. */
function openRun(own: string, to: string, execution: number): Run {
	const id = randomBytes(8).toString('base64url');
	const signature = randomBytes(32).toString('hex');
	const startedAt = Date.now();
	const path = `webhook-waiting/${execution}/${randomUUID()}?wait=${id}&signature=${signature}`;
	return {
		id,
		url: new URL(`/${path}`, own).href,
		workflow: 'Ask the customers',
		startedAt,
		until: startedAt + ONE_DAY,
		heardAt: startedAt,
		isAsked: true,
		questions: [{ ...defaultAnswer(), asked: 'Would Tuesday suit you?' }],
		people: new Map([[0, person(to, startedAt)]]),
	};
}

function person(to: string, since: number) {
	const askedMessageId = `msg_${randomBytes(8).toString('hex')}`;
	const state = { messages: [], misfits: [] };
	return { item: 0, to, question: 0, since, toldAt: since, askedMessageId, ...state };
}
