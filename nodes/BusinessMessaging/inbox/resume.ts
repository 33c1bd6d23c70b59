/** The receiving half of the protocol: calls of the trigger, or of the service itself, to an execution that waits. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { endpoints } from '../api/endpoints';
import type { EventEnvelope } from '../api/events';
import { BoundedMap } from '../boundedMap';
import { writeLog } from '../log';
import { withLock } from '../mutex';
import { connect } from '../transport/connect';
import { asFailure } from '../transport/errors';
import { handled, readDelivery, readEvents, refuse, refuseBody } from '../webhooks/delivery';
import { canonical } from '../webhooks/publicAddress';
import { notRepeated, repetitionOf } from './answers';
import { toArrival } from './arrival';
import { openReplies, pollEvent, repliesEvent } from './calls';
import { type Arrival, type Asked, type Run, addReply, decide } from './core';
import { outputsOf } from './output';
import { fromRecord } from './records';
import { Runs } from './runs';
import { unseal } from './seal';
import { type Wait, unregister } from './withoutTrigger';

/** For each run, the keys of the messages after which this process has repeated the question. */
const repeatedAfter = new BoundedMap<string, string[]>({ maxSize: 5_000 });
/** For each run, the name of a person who hides the number and has quoted the question. */
const senders = new BoundedMap<string, string>({ maxSize: 5_000 });
let unnamed = 0;

/**
 * Handles a call to a waiting execution, whose URL n8n has verified. Never throws, because n8n would end the wait
 * with the error; after 503, the sender tries again.
 */
export async function receiveReply(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		const { wait: name } = context.getQueryData() as { wait?: unknown };
		const [id] = String(name).split('.');
		const wait = readWait(context);
		// In a loop, the call may be for an earlier round.
		if (typeof name !== 'string' || (wait && wait.run !== id))
			return refuse(context, 410, 'This execution no longer waits for a reply');
		const body = context.getBodyData() as Record<string, unknown>;
		if (body.event === pollEvent) return { webhookResponse: { waiting: true } };
		if (body.event === repliesEvent) return await takeReplies(context, body, id, wait);
		const run = wait?.record === undefined ? undefined : readRecord(context, id, wait.record);
		if (!run) return refuse(context, 410, 'This execution takes no replies at this URL');
		const delivery = await readDelivery(context);
		const events = await readEvents(context, delivery);
		if (!events) return refuseBody(context);
		const isReplied = await withLock(id, async () => await takeMessages(context, run, events));
		return isReplied ? goOn(context, run, wait) : handled('Not a reply');
	} catch (error) {
		writeLog(context, `A reply could not be handled: ${asFailure(error).message}`);
		return refuse(context, 503, 'Not handled. Try again later');
	}
}

/**
 * What the node has kept in its context. n8n gives it only to expressions, and on engine 2.0 not at all. Then
 * everything comes with the replies from the trigger; without a trigger, no reply can be received.
 */
function readWait(context: IWebhookFunctions): Wait | undefined {
	const name = JSON.stringify(context.getNode().name).replace(
		/[{}]/g,
		(sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
	);
	try {
		const json = context.evaluateExpression(
			`{{ JSON.stringify($node[${name}].context["wait"] ?? null) }}`,
		);
		return typeof json === 'string' ? ((JSON.parse(json) as Wait | null) ?? undefined) : undefined;
	} catch {
		return undefined;
	}
}

/** The URL of the call, as it was registered. */
function ownUrl(context: IWebhookFunctions): string {
	const { wait } = context.getQueryData() as { wait: string };
	return canonical(context.getSignedResumeUrl({ wait }));
}

function readRecord(context: IWebhookFunctions, id: string, sealed: string): Run | undefined {
	const url = ownUrl(context);
	const record = unseal(url, sealed);
	return fromRecord(id, record, url);
}

/** Takes the replies from the trigger, or without a trigger from the run itself, with everything that the output needs. */
async function takeReplies(
	context: IWebhookFunctions,
	body: unknown,
	id: string,
	wait?: Wait,
): Promise<IWebhookResponseData> {
	const key = wait?.record === undefined ? (await connect(context)).config.id : ownUrl(context);
	const run = openReplies(key, body, id);
	return run
		? goOn(context, run, wait)
		: refuse(context, 403, 'These replies are not for this execution');
}

/** Without a trigger: reads the person's messages until one of them is a reply, and adds it to the run. */
async function takeMessages(
	context: IWebhookFunctions,
	run: Run,
	events: EventEnvelope[],
): Promise<boolean> {
	const [first] = run.people.values();
	run.people.set(first.item, { ...first, sender: senders.get(run.id) });
	const runs = new Runs();
	runs.set(run);
	const { headers } = await readDelivery(context);
	for (const event of events) {
		const arrival = toArrival(event, events.length > 1 ? {} : headers);
		if (!arrival || runs.to(arrival).length === 0) continue;
		if (runs.learnSender(arrival).length > 0) senders.set(run.id, arrival.phone);
		// Without a trigger, no workflow would get an opt-out, so it counts like any other message.
		if (await isReply(context, run, { ...arrival, isOptOut: false }, arrival.isOptOut)) return true;
	}
	return false;
}

async function isReply(
	context: IWebhookFunctions,
	run: Run,
	arrival: Arrival,
	isOptOut: boolean,
): Promise<boolean> {
	const key = arrival.isCertain ? arrival.key : `${arrival.key}~${++unnamed}`;
	const [first] = run.people.values();
	const earlier = repeatedAfter.get(run.id) ?? [];
	const asked: Asked = { run, person: { ...first, repeatedAfter: earlier } };
	const decision = decide([asked], { ...arrival, key }, Date.now());
	if (decision.is === 'ordinary' || decision.is === 'copy') return false;
	// A person who has opted out is not asked again.
	if (decision.is === 'repeat' && !isOptOut && (await repeat(context, run, key))) {
		repeatedAfter.set(run.id, [...earlier, key]);
		return false;
	}
	addReply(asked, { ...arrival, key }, decision.is === 'reply' && decision.isAccepted, Date.now());
	return true;
}

/** Repeats the question. @returns false if it was certainly not sent */
async function repeat(context: IWebhookFunctions, run: Run, key: string): Promise<boolean> {
	const [{ to, question }] = run.people.values();
	const client = await connect(context);
	const body = { to, text: repetitionOf(run.questions[question]) };
	const request = { body, idempotencyKey: `${run.id}-${key}` };
	const failure = await client.call(endpoints.sendText, request).then(() => undefined, asFailure);
	if (failure?.sendStatus !== 'notSent') return true;
	writeLog(context, notRepeated(failure.message));
	return false;
}

/** Lets n8n continue the execution with the replies, and then removes the registration at the service. */
function goOn(context: IWebhookFunctions, run: Run, wait?: Wait): IWebhookResponseData {
	const response = context.getResponseObject();
	response.once('close', () => {
		if (wait?.registration && response.statusCode < 300)
			void discard(context, wait.registration.id);
	});
	return {
		webhookResponse: { message: 'Received', accepted: run.id },
		workflowData: outputsOf(context, run),
	};
}

async function discard(context: IWebhookFunctions, id?: string): Promise<void> {
	await unregister(context, await connect(context), ownUrl(context), id);
}
