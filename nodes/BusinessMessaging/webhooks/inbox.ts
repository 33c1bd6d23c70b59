/**
 * The inbox of a service: the questions of waiting runs, kept by the triggers that receive the replies. A trigger
 * consumes a reply: it starts no workflow. When all have answered or the time is up, the run gets all answers at once.
 *
 * All triggers of one service share an inbox within the process, and each of them stores it.
 */
import { randomUUID } from 'crypto';
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { EventEnvelope } from '../api/events';
import { BoundedMap } from '../boundedMap';
import { withLock } from '../mutex';
import { connect } from '../transport/connect';
import { InputError } from '../transport/errors';
import { pause } from '../transport/deadline';
import { isEarlier, isOptOut, senderOf, takeAnswer } from './answers';
import type { Response } from './deduplication';
import { nameOf } from './deduplicationKey';
import { Learning } from './learning';
import { nodeKey, readState, writeState } from './nodeState';
import { type Asked, OpenQuestions, type Run, answersOf, endOf, isAnswered } from './openQuestions';
import {
	type Questions,
	type RunState,
	type TriggerResponse,
	callRun,
	callTrigger,
	graceMs,
	pollEvent,
	resume,
} from './question';
import { readEvent } from './simpleEvent';

type Context = IHookFunctions | IWebhookFunctions;

/** A message that was a reply. */
interface Taken {
	/** Its run, if the delivery's response may wait for it. */
	run?: Run;
	/** Whether it is also a word such as STOP, which the workflow that records opt-outs has to get. */
	isOptOut?: boolean;
}

/** Identifies this process of n8n; there may be several behind one URL. */
export const processName = randomUUID();

/** A run is polled at most this often, ms. */
const pollPauseMs = 5_000;
/** How long a message waits to learn whether its sender was asked just now; Send and Wait reports this every second. */
const heldMs = 2_500;
const heldStepMs = 100;
/** The second of two reports to a trigger was certainly made after the message arrived. */
const enoughReports = 2;
/** The delivery of the last reply gets its response when the run continues, or after this time, ms. */
const maxWaitMs = 5_000;
const maxSynchronizations = 20;
const synchronizePauseMs = 1_000;
/** Replies that arrive within this time, ms, are stored together, as storing takes long with thousands of people. */
const gatherMs = 200;
/** How long two equal messages at two triggers count as one, if nothing identifies them, ms. */
const sameMomentMs = 10_000;

/** The inbox of one service and API key. */
export class Inbox {
	private readonly questions: OpenQuestions;
	/** Messages that were replies, with the triggers that have received them. */
	private readonly consumed = new BoundedMap<string, { at: number; nodes: Set<string> } & Taken>({
		maxSize: 10_000,
	});
	/** Triggers that may not have stored everything, and how many more times each of them is called to do so. */
	private readonly notStored = new Set<string>();
	private readonly synchronizing = new Map<string, number>();
	/** Whether another process has responded so far. A single process need not send its state to itself. */
	private hasPeers = false;
	/** Whether this process publishes workflows: then it knows what their triggers know. In queue mode, it receives no deliveries. */
	isPublisher = false;
	private readonly learning = new Learning(
		async (context, url) => await this.exchange(context, url),
	);
	/** Responses to deliveries with replies that n8n has not sent yet, and until when replies are gathered. */
	private storing: Response[] = [];
	private gathering?: Promise<void>;
	/** What n8n stores: the state at the time of storing. */
	private readonly live = { toJSON: () => this.toText() };

	constructor(private readonly serviceId: string) {
		this.questions = new OpenQuestions(serviceId);
	}

	/** All that is known, for other processes. */
	toText(): string {
		return this.questions.toText();
	}

	/** Adds what a trigger has stored. */
	load(context: Context): void {
		const stored = readState(context, 'inbox');
		this.merge(context, stored);
		if (this.isComplete(stored)) this.notStored.delete(nodeKey(context));
		else this.store(context);
	}

	/** Lets n8n store the state with a trigger. */
	store(context: Context): void {
		this.notStored.add(nodeKey(context));
		writeState(context, 'inbox', this.live);
	}

	/** Adds what another process knows. @param isOwn whether the URL of a run may be called */
	merge(context: Context, text: unknown, isOwn?: (url: string) => boolean): void {
		if (!this.questions.merge(text, isOwn))
			context.logger.warn('Questions that were stored with another API key cannot be read.');
		this.watch(context);
	}

	/** Whether a text, or its name, contains everything that is known here. */
	isComplete(text: unknown): boolean {
		return this.questions.isComplete(text);
	}

	/**
	 * Calls a trigger, so that this process and the one that responds know the same.
	 *
	 * @param url with the secret
	 * @returns false without a response
	 */
	private async exchange(context: Context, url: string): Promise<boolean> {
		const content = this.hasPeers ? { state: this.toText() } : { known: this.questions.name };
		const response = await callTrigger(context, this.serviceId, { trigger: url, ...content });
		// Otherwise the same process has responded, or one that knows the same.
		if (response?.state !== undefined) {
			this.hasPeers = true;
			this.merge(context, response.state);
		}
		return response !== undefined;
	}

	/**
	 * Calls a trigger until it has stored everything: an execution of its workflow may write back an older copy,
	 * and another process knows only what it has read.
	 *
	 * @param url of the trigger, with its secret
	 */
	async synchronize(context: IWebhookFunctions, url: string): Promise<void> {
		const node = nodeKey(context);
		const isRunning = this.synchronizing.has(node);
		this.synchronizing.set(node, maxSynchronizations);
		if (isRunning) return;
		for (let left = maxSynchronizations; left > 0 && this.notStored.has(node); ) {
			await pause(synchronizePauseMs);
			left = (this.synchronizing.get(node) ?? 0) - 1;
			this.synchronizing.set(node, left);
			await this.exchange(context, url);
		}
		this.synchronizing.delete(node);
	}

	/** See {@link Learning.once}. */
	async learnOnce(context: IWebhookFunctions, own: string, publication: number): Promise<void> {
		if (!this.isPublisher) await this.learning.once(context, own, publication);
	}

	/** Adds questions, or updates of them. */
	add(context: Context, questions: Questions): Pick<TriggerResponse, 'inbox' | 'known'> {
		const isTaken = this.questions.add(questions);
		const known = this.questions.reported(questions, nodeKey(context));
		this.watch(context);
		return { inbox: isTaken ? 'yes' : 'full', known };
	}

	/** Forgets a run. */
	end({ run, until }: Pick<Questions, 'run' | 'until'>): void {
		this.questions.end(run, until);
	}

	/** Makes sure that each run continues, now or later. */
	private watch(context: Context): void {
		for (const run of this.questions.all()) {
			run.expire ??= this.expire(context, run);
			if (isAnswered(run)) void this.finish(context, run);
		}
	}

	/** Gives a run its answers when its time is up. */
	private async expire(context: Context, run: Run): Promise<void> {
		while (this.questions.isOpen(run) && Date.now() < run.until)
			await pause(run.until - Date.now());
		if (this.questions.isOpen(run)) await this.finish(context, run);
	}

	/** Gives a run its answers when they are complete. */
	private async finish(context: Context, run: Run): Promise<void> {
		run.finish ??= (async () => {
			for (let end = endOf(run); this.questions.isOpen(run) && Date.now() < end; end = endOf(run))
				await pause(end - Date.now());
			const isWanted = () => this.questions.isOpen(run) && Date.now() < run.until + 2 * graceMs;
			const isDone = await resume(context, run.url, () => answersOf(run), isWanted);
			if (!isDone && this.questions.isOpen(run) && answersOf(run).length > 0)
				context.logger.warn(
					'The replies of a run of Send and Wait could not be passed on and are lost: n8n accepted no call at its own public address until two minutes after the time limit.',
				);
			this.end(run);
		})();
		await run.finish;
	}

	/** Whether an event comes from somebody who was asked, or may be a reply that is delivered again. */
	concerns(event: EventEnvelope, headers: Record<string, unknown>): boolean {
		const phone = senderOf(event);
		return (
			phone !== undefined &&
			(this.questions.to(phone).length > 0 || this.consumed.has(nameOf(event, headers).name))
		);
	}

	/**
	 * Consumes the messages that are replies. If a run then has all its answers, waits until it continues.
	 *
	 * @param url of the trigger, with its secret
	 * @param headers those that may identify an event
	 * @returns the other events, and replies that workflows get as well
	 * @throws ServiceError if repeating a question failed, or if it is not known yet who was asked
	 */
	async consume(
		context: IWebhookFunctions,
		url: string,
		events: EventEnvelope[],
		headers: Record<string, unknown>,
	): Promise<EventEnvelope[]> {
		const others: EventEnvelope[] = [];
		const runs = new Set<Run | undefined>();
		for (const event of events) {
			const phone = senderOf(event) ?? '';
			const taken = await withLock(
				`${this.serviceId} ${phone}`,
				async () => await this.take(context, url, event, headers),
			);
			if (taken) runs.add(taken.run);
			if (!taken || taken.isOptOut) others.push(event);
		}
		if (runs.size === 0) return others;
		this.store(context);
		await this.gather(context.getResponseObject());
		const finishing = Promise.all([...runs].map(async (run) => await run?.finish));
		await Promise.race([finishing, pause(maxWaitMs)]);
		void this.synchronize(context, url);
		return others;
	}

	/** Waits for the replies of this moment; not with a service that delivers one after the other. */
	private async gather(response: Response): Promise<void> {
		const isOpen = ({ writableEnded, destroyed }: Response) => !writableEnded && !destroyed;
		this.storing = [...this.storing.filter(isOpen), response];
		if (this.storing.length === 1) return;
		await (this.gathering ??= pause(gatherMs).finally(() => (this.gathering = undefined)));
	}

	/** Consumes a message if it is a reply. @returns undefined for any other message */
	private async take(
		context: IWebhookFunctions,
		url: string,
		event: EventEnvelope,
		headers: Record<string, unknown>,
	): Promise<Taken | undefined> {
		const { name, isCertain } = nameOf(event, headers);
		const node = nodeKey(context);
		const earlier = this.consumed.get(name);
		const isElsewhere = earlier && !earlier.nodes.has(node);
		// An equal one after it is another message.
		earlier?.nodes.add(node);
		if (earlier && (isCertain || (isElsewhere && Date.now() - earlier.at < sameMomentMs)))
			return { isOptOut: earlier.isOptOut };
		const phone = senderOf(event) ?? '';
		const key = isCertain ? name : undefined;
		const isLoneWord = readEvent(event).intent === 'optOut';
		const isKnown = () => key !== undefined && this.questions.isKnown(phone, key);
		if (isKnown()) return { isOptOut: isLoneWord };
		for (const { run, item } of this.questions.to(phone)) {
			const isAsked = await this.isAsked(context, url, run, item, event);
			const state = isAsked && (await this.poll(context, run));
			// Then the process that gave the run its replies knows which messages they were.
			if (state === 'resumed') await this.learning.again(context, url);
			// While this one waited, another process may have consumed the message.
			if (isKnown()) return { isOptOut: isLoneWord };
			if (!isAsked || run.isOver) continue;
			if (state === 'ended' || state === 'resumed') this.end(run);
			if (state === 'ended') continue;
			// Then another process, or this one before a restart, gave it an answer of this person: most likely this message.
			if (state === 'resumed')
				context.logger.warn(
					'A message from somebody whose reply had already reached its run was taken for that reply, and starts no workflow.',
				);
			// The time may have run out meanwhile.
			else if (!this.questions.isOpenFor(run, item)) continue;
			else await this.answer(context, run, item, event, key);
			const { expected = 0, answer } = run.people.get(item) ?? {};
			const isOptOut = isLoneWord && run.expected[expected].kind === 'freeText';
			this.consumed.set(name, { at: Date.now(), nodes: new Set([node]), isOptOut });
			// The person's next message may belong to the answer, and may be delivered only after this one, so do not wait.
			return answer?.until ? { isOptOut } : { run, isOptOut };
		}
		return undefined;
	}

	/**
	 * Whether a message may answer a question: the question is open and was sent before the message.
	 *
	 * @throws InputError while that is not known, so that the service delivers the message again
	 */
	private async isAsked(
		context: IWebhookFunctions,
		url: string,
		run: Run,
		item: number,
		event: EventEnvelope,
	): Promise<boolean> {
		const one = () => run.people.get(item);
		const isPending = () => this.questions.isOpen(run) && one()?.asked === null;
		const reports = new Map(run.reports);
		const isReported = () =>
			[...run.reports].some(
				([node, { count }]) => count >= (reports.get(node)?.count ?? 0) + enoughReports,
			);
		for (let held = 0; isPending() && held < heldMs; held += heldStepMs) {
			// Another process may have received what Send and Wait reported.
			this.notStored.add(nodeKey(context));
			void this.synchronize(context, url);
			await pause(heldStepMs);
		}
		if (isPending() && !isReported()) await this.learning.again(context, url);
		// The service may deliver the reply before it responds to the question.
		if (isPending() && (!isReported() || run.underWay?.includes(item))) {
			const state = await this.poll(context, run);
			if (state === 'ended') this.end(run);
			else throw new InputError('It is not known yet whether the sender was asked');
		}
		const { asked = null, expected = 0 } = one() ?? {};
		if (asked === null || isEarlier(event, asked)) return false;
		return !isOptOut(event, run.expected[expected]) && this.questions.isOpenFor(run, item);
	}

	/** n8n tells nobody that a user has stopped an execution. */
	private async poll(context: Context, run: Run): Promise<RunState> {
		if (Date.now() - (run.poll?.at ?? 0) > pollPauseMs)
			run.poll = { at: Date.now(), state: callRun(context, run.url, pollEvent) };
		return (await run.poll?.state) ?? 'unknown';
	}

	private async answer(
		context: IWebhookFunctions,
		run: Run,
		item: number,
		event: EventEnvelope,
		key?: string,
	): Promise<void> {
		const one = run.people.get(item) as Asked;
		const expected = run.expected[one.expected];
		const question = { run: run.run, item, to: one.to, expected, people: run.people.size };
		const answer = await takeAnswer(context, event, question, one.answer?.messages);
		if (!answer) return;
		Object.assign(answer.messages[answer.messages.length - 1], { key });
		this.questions.answer(one, answer);
		if (isAnswered(run)) void this.finish(context, run);
	}
}

const inboxes = new BoundedMap<string, Inbox>({ maxSize: 1_000 });
const inboxOfNode = new BoundedMap<string, Inbox>({ maxSize: 1_000 });

/** The inbox of a service, which a trigger shares from now on. */
export function joinInbox(context: Context, serviceId: string): Inbox {
	const inbox = inboxes.getOrSet(serviceId, () => new Inbox(serviceId));
	inboxOfNode.set(nodeKey(context), inbox);
	inbox.load(context);
	return inbox;
}

/**
 * The inbox of a trigger that receives a delivery; undefined if the delivery has no message and nobody was asked so far.
 *
 * @throws ServiceError if the credential is not valid
 */
export async function inboxOf(
	context: IWebhookFunctions,
	events: EventEnvelope[],
): Promise<Inbox | undefined> {
	const known = inboxOfNode.get(nodeKey(context));
	known?.load(context);
	if (known || (readState(context, 'inbox') === undefined && !events.some(senderOf))) return known;
	return joinInbox(context, (await connect(context)).config.id);
}
