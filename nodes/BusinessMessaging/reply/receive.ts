/** The receiving half: what the service delivers while the node waits. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import type { EventEnvelope } from '../api/events';
import { endpoints } from '../api/endpoints';
import { withLock } from '../mutex';
import { BoundedMap } from '../boundedMap';
import { asText } from '../operations/asText';
import { asFailure } from '../operations/outcome';
import { samePhoneKey } from '../phone/compare';
import { connect } from '../transport/connect';
import { pause } from '../transport/deadline';
import { handled, readDelivery, readEvents, refuse, refuseBody } from '../webhooks/delivery';
import { deduplicationKeyOf } from '../webhooks/deduplicationKey';
import { readEvent } from '../webhooks/simpleEvent';
import { readAnswer, repeatText } from './answers';
import { outputsOf } from './output';
import { type Registration, Registry } from './registry';
import { type ReceivedAnswer, type Ticket, isLater } from './ticket';
import { type Question, type Wait, readWait } from './wait';
import { discard, look, lookEvent, takeOver, watch } from './watch';

/** A text that makes a URL of some 8 kB; longer ones are cut while the answers of others are awaited. */
const longestStoredText = 1_500;
/** How long an answer is remembered for older questions to the same person, which get the same delivery, ms. */
const tombstoneMs = 10_000;
const maxTaken = 5_000;

/** Messages that this process has taken as an answer, so that a second delivery is none. */
const taken = new BoundedMap<string, true>({ maxSize: maxTaken });
/** How often this process has repeated a question. */
const repeated = new BoundedMap<string, number>({ maxSize: maxTaken });

/** What the handling of a delivery needs. */
interface Delivery {
	context: IWebhookFunctions;
	registry: Registry;
	wait: Wait;
	ticket: Ticket;
}

/**
 * Handles a delivery to a waiting execution; n8n has checked the signature of the URL before. Never throws, because n8n
 * would end the wait with the error: 503 has the service deliver again.
 */
export async function receiveReply(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		const registry = Registry.of(context, await connect(context));
		const ticket = registry.ticketOf(context.getQueryData());
		const envelopes = readEvents(context, await readDelivery(context));
		if (!ticket) return refuse(context, 410, 'Nobody waits for this any more');
		if (!envelopes) return refuseBody(context);
		const isLook = envelopes[0].event === lookEvent;
		if (!isLook) void takeOver(context, registry, ticket.run);
		// Before anything that costs time: every message to the business comes here while somebody is asked.
		const messages = envelopes.filter((envelope) => isFrom(ticket.to, envelope));
		if (!isLook && messages.length === 0) return handled('Not from the person who was asked');
		const wait = readWait(context);
		if (wait?.run !== ticket.run) return refuse(context, 410, 'Nobody waits for this any more');
		const delivery = { context, registry, wait, ticket };
		return await withLock(ticket.run, async () =>
			isLook ? await handleLook(delivery) : await handleMessages(delivery, messages),
		);
	} catch (error) {
		context.logger.warn(`An answer could not be handled: ${asFailure(error).message}`);
		return refuse(context, 503, 'Not handled at the moment');
	}
}

function isFrom(person: string, envelope: EventEnvelope): boolean {
	const { event, from } = readEvent(envelope);
	return event === 'message.received' && samePhoneKey(asText(from)) === samePhoneKey(person);
}

async function handleLook(delivery: Delivery): Promise<IWebhookResponseData> {
	if (Date.now() < delivery.wait.until) return { webhookResponse: { waiting: true } };
	const own = ofRun(await delivery.registry.list(), delivery.wait);
	return resume(delivery, own, answersIn(own));
}

/** The messages of one delivery, until one of them ends the wait. */
async function handleMessages(
	delivery: Delivery,
	[first, ...others]: EventEnvelope[],
): Promise<IWebhookResponseData> {
	const response = await handleMessage(delivery, first);
	return response.workflowData || others.length === 0
		? response
		: await handleMessages(delivery, others);
}

async function handleMessage(
	delivery: Delivery,
	envelope: EventEnvelope,
): Promise<IWebhookResponseData> {
	const { context, registry, wait, ticket } = delivery;
	const question = wait.questions.find(({ item }) => item === ticket.item);
	if (!question || isEarlier(envelope, question)) return handled('Written before the question');
	const all = await registry.list();
	watch(context, registry, all);
	const own = ofRun(all, wait);
	const answers = answersIn(own);
	if (answers.has(ticket.item)) return handled('Answered before');
	const identity = deduplicationKeyOf(envelope, context.getHeaderData());
	const mark = identity && `${ticket.to} ${identity}`;
	if (mark && taken.has(mark)) return handled('Delivered before');
	if (await isForLaterQuestion(delivery, all, identity))
		return handled('The answer to a later question');

	if (mark) taken.set(mark, true);
	let isHandled = false;
	try {
		const answer = toAnswer(envelope, question, identity);
		const isRepeated = !answer.isAccepted && (await repeat(delivery, question));
		answers.set(ticket.item, answer);
		const response = isRepeated
			? handled('The question was repeated')
			: await settle(delivery, all, answers, mark);
		isHandled = true;
		return response;
	} finally {
		if (mark && !isHandled) taken.delete(mark);
	}
}

/** Whether a message was written before the question, as far as the service's own times tell. */
function isEarlier(envelope: EventEnvelope, { askedTime = '' }: Question): boolean {
	return Date.parse(asText(readEvent(envelope).time)) < Date.parse(askedTime);
}

function toAnswer(
	envelope: EventEnvelope,
	{ settings }: Question,
	identity: string | undefined,
): ReceivedAnswer {
	const { text, messageId, time } = readEvent(envelope);
	const words = typeof text === 'string' ? text : null;
	const isAccepted = readAnswer(words, settings) !== undefined;
	return {
		text: words,
		messageId,
		time: time === undefined ? undefined : asText(time),
		identity,
		isAccepted,
	};
}

/** Goes on if this was the last answer; else keeps it at the service. */
async function settle(
	delivery: Delivery,
	all: Registration[],
	answers: Map<number, ReceivedAnswer>,
	mark: string | undefined,
): Promise<IWebhookResponseData> {
	const { context, registry, wait, ticket } = delivery;
	const own = ofRun(all, wait);
	const isOpen = ({ item }: Question) => !answers.has(item);
	if (!wait.questions.some(isOpen)) {
		const olderWait = all.some(
			(one) =>
				one.ticket.to === ticket.to &&
				one.ticket.run !== wait.run &&
				!one.ticket.answer &&
				isLater(ticket, one.ticket),
		);
		if (olderWait) await leaveTombstone(delivery, answers);
		return resume(delivery, own, answers, mark);
	}
	await keepAnswer(delivery, own, answers.get(ticket.item) as ReceivedAnswer);
	// Another process may have taken the others' answers meanwhile.
	const now = ofRun(await registry.list(), wait);
	const known = answersIn(now);
	if (wait.questions.some(({ item }) => !known.has(item)))
		return handled('The answers of others are awaited');
	watch(context, registry, now);
	return resume(delivery, now, known, mark);
}

/** Replaces the person's registration by one that carries the answer. */
async function keepAnswer(
	{ context, registry, ticket }: Delivery,
	own: Registration[],
	answer: ReceivedAnswer,
): Promise<void> {
	const isCut = (answer.text?.length ?? 0) > longestStoredText;
	const stored = isCut
		? { ...answer, text: (answer.text as string).slice(0, longestStoredText), isCut }
		: answer;
	const answered = { ...ticket, answer: stored };
	watch(context, registry, [await registry.add(registry.urlFor(context, answered), answered)]);
	await discard(
		context,
		registry,
		own.filter(({ ticket: { item } }) => item === ticket.item),
	);
}

/** Older questions to the same person shall see that this message is taken, but get the next one. */
async function leaveTombstone(
	{ context, registry, ticket }: Delivery,
	answers: Map<number, ReceivedAnswer>,
): Promise<void> {
	const answer = { ...(answers.get(ticket.item) as ReceivedAnswer), text: null };
	const tombstone = { ...ticket, until: Date.now() + tombstoneMs, answer };
	const registration = await registry.add(registry.urlFor(context, tombstone), tombstone);
	void pause(tombstoneMs).then(async () => await discard(context, registry, [registration]));
}

/** Whether a later question to the same person is still open, or has just been answered with this very message. */
async function isForLaterQuestion(
	{ context, registry, ticket }: Delivery,
	all: Registration[],
	identity: string | undefined,
): Promise<boolean> {
	const later = all.filter((one) => one.ticket.to === ticket.to && isLater(one.ticket, ticket));
	if (
		later.some(
			({ ticket: { answer } }) => answer?.identity !== undefined && answer.identity === identity,
		)
	)
		return true;
	const answered = new Set(later.filter((one) => one.ticket.answer).map(placeOf));
	for (const one of later.filter((other) => !answered.has(placeOf(other)))) {
		if (one.ticket.run === ticket.run || (await look(context, one.url)) !== 'ended') return true;
		await discard(context, registry, [one]);
	}
	return false;
}

const placeOf = ({ ticket: { run, item } }: Registration) => `${run} ${item}`;
const ofRun = (all: Registration[], { run }: Wait) =>
	all.filter(({ ticket }) => ticket.run === run);

function answersIn(own: Registration[]): Map<number, ReceivedAnswer> {
	return new Map(own.flatMap(({ ticket: { item, answer } }) => (answer ? [[item, answer]] : [])));
}

/** Asks again. @returns false if that has been done often enough */
async function repeat({ registry, ticket }: Delivery, { settings }: Question): Promise<boolean> {
	const place = `${ticket.run} ${ticket.item}`;
	const times = repeated.get(place) ?? 0;
	if (times >= settings.repeats) return false;
	const body = { to: ticket.to, text: settings.repeatText || repeatText(settings) };
	const failure = await registry.client
		.call(endpoints.sendText, { body })
		.then(() => undefined, asFailure);
	if (failure?.sendStatus === 'notSent') throw failure;
	repeated.set(place, times + 1);
	return true;
}

/** Has n8n go on with what came, and removes the registrations once it has begun to. */
function resume(
	delivery: Delivery,
	own: Registration[],
	answers: Map<number, ReceivedAnswer>,
	mark?: string,
): IWebhookResponseData {
	const { context, registry, wait, ticket } = delivery;
	const unlisted = wait.registrationIds
		.filter((id) => !own.some((one) => one.id === id))
		.map((id) => ({ id, url: '', ticket }));
	const response = context.getResponseObject();
	response.once('close', () => {
		if (response.statusCode < 300)
			void discard(context, registry, [...own, ...(own.length === 0 ? unlisted : [])]);
		else if (mark) taken.delete(mark);
	});
	return {
		webhookResponse: { message: 'Answered' },
		workflowData: outputsOf(context, wait, answers),
	};
}
