/** Which messages of a delivery are replies to Send and Wait: the inbox decides, and another trigger asks it. */
import type { IWebhookFunctions } from 'n8n-workflow';

import { writeLog } from '../log';
import { asFailure } from '../transport/errors';
import type { Arrival, Verdict } from '../inbox/core';
import { Refusal } from '../webhooks/refusal';
import type { Incoming } from './admit';
import type { TriggerMemory } from './memory';
import type { TriggerSettings } from './settings';

/** Decides on the messages of one delivery. */
interface Judge {
	/** Whether a message has to be judged even if the trigger would not start a workflow with it. */
	concerns(arrival: Arrival): boolean;
	/** @returns a verdict for each message; undefined or `busy` if the service has to deliver again @throws ServiceError */
	judge(arrivals: Arrival[], hasOthers: boolean): Promise<Verdict[] | 'busy' | undefined>;
}

/** All messages are ordinary. */
const nobody: Judge = {
	concerns: () => false,
	judge: async (arrivals) => arrivals.map(() => ({ is: 'ordinary' })),
};

/**
 * Opens what decides on the messages of a delivery. A test in the editor judges none. Nor does a trigger that does not
 * check who calls it: otherwise, anybody could answer a question.
 */
export async function openJudge(
	context: IWebhookFunctions,
	memory: TriggerMemory,
	settings: TriggerSettings,
): Promise<Judge> {
	if (settings.isTest || !settings.isAuthenticated) return nobody;
	const delivery = memory.deliveryOf(context.getResponseObject());
	if (settings.keepsReplies) {
		const keeper = await memory.inbox.open(context);
		return {
			concerns: (arrival) => keeper.concerns(arrival),
			judge: async (arrivals, hasOthers) => await keeper.receive(delivery, arrivals, hasOthers),
		};
	}
	const { trigger, names, own } = memory.inboxUrl.open(context, settings.isManual);
	const confirmed = delivery.ended.then((end) => end === 'received');
	return {
		...nobody,
		judge: async (arrivals) => {
			if (arrivals.length === 0) return [];
			const messages = arrivals.map((arrival) => names.begin(arrival, Date.now(), confirmed));
			return await trigger.ask(messages, { trigger: own, registeredAt: delivery.since });
		},
	};
}

/** Leaves out replies, unless they start workflows too. @throws Refusal if the service should deliver again */
export async function withoutReplies(
	context: IWebhookFunctions,
	judge: Judge,
	events: Incoming[],
): Promise<Incoming[]> {
	const arrivals = events.flatMap(({ arrival }) => arrival ?? []);
	const hasOthers = arrivals.length < events.length;
	const verdicts = await judge.judge(arrivals, hasOthers).catch((error: unknown) => {
		writeLog(context, `A reply could not be handled: ${asFailure(error).message}`);
		return undefined;
	});
	if (verdicts === undefined || verdicts === 'busy')
		throw new Refusal(503, 'Not known yet whether the message is a reply');
	return events.filter(({ arrival }) => {
		const verdict = arrival && verdicts[arrivals.indexOf(arrival)];
		return verdict?.is !== 'taken' || verdict.startsToo === true;
	});
}
