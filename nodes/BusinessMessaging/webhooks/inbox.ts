/**
 * The questions of runs that wait, at the triggers that take the answers. A trigger consumes an answer: it starts no
 * workflow. When all have answered or the time is up, the run gets all answers at once.
 *
 * All triggers of one service share an inbox within the process, and each has it stored. What is stored may come from
 * another process or be out of date; the truth is the union of all that was ever seen: questions, answers, ended runs.
 */
import { omit, orderBy } from 'lodash';
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod';

import type { EventEnvelope } from '../api/events';
import { parseJson } from '../api/read';
import { BoundedMap } from '../boundedMap';
import { withLock } from '../mutex';
import { samePhoneKey } from '../phone/compare';
import { connect } from '../transport/connect';
import { pause } from '../transport/deadline';
import { isEarlier, repeatQuestion, senderOf, toAnswer } from './answers';
import { deduplicationKeyOf } from './deduplicationKey';
import { nodeKey, readState, writeState } from './nodeState';
import {
	type Answer,
	type Person,
	type Questions,
	type RunState,
	callRun,
	graceMs,
	pollEvent,
	questionsSchema,
	resume,
	tellTrigger,
} from './question';

type Context = IHookFunctions | IWebhookFunctions;

/** At most this many people are waited for at once, over all runs. */
const maxOpen = 50_000;
/** A run is polled at most this often, ms. */
const pollPauseMs = 5_000;
/** How long a message waits to hear whether its sender was asked just now; Send and Wait says so every second. */
const heldMs = 2_500;
const heldStepMs = 100;
/** The delivery of the last answer is answered once its run continues, or after this time, ms. */
const maxResumeMs = 5_000;
const maxSynchronizations = 20;
const synchronizePauseMs = 1_000;
/** For how long two equal messages at two triggers are one, if nothing identifies them, ms. */
const sameMomentMs = 10_000;

/** The questions of one run. */
interface Run extends Omit<Questions, 'people' | 'answers'> {
	/** By item, with a key of the person's phone. */
	people: Map<number, { phone: string; person: Person }>;
	answers: Map<number, Answer>;
	poll?: { at: number; state: Promise<RunState> };
	finish?: Promise<void>;
}

const storedSchema = z.object({
	runs: z.array(questionsSchema),
	ended: z.array(z.tuple([z.string(), z.number()])),
});

/** The inbox of one service and API key. */
export class Inbox {
	private readonly runs = new Map<string, Run>();
	/** Runs that are over, with the time until which something stored may still name them. */
	private readonly ended = new BoundedMap<string, number>({ maxSize: 2_000 });
	/** Messages that were answers, with the trigger that has consumed them. */
	private readonly consumed = new BoundedMap<string, { at: number; node: string }>({
		maxSize: 10_000,
	});
	/** Triggers that are not known to have stored all, and those that are being called until they have. */
	private readonly notStored = new Set<string>();
	private readonly synchronizing = new Set<string>();
	/** What n8n stores: the newest state at the moment in which it does. */
	private readonly live = { toJSON: () => this.toText() };

	constructor(private readonly serviceId: string) {}

	/** Adds what a trigger has stored. */
	load(context: Context): void {
		const stored = readState(context, 'inbox');
		if (stored === this.toText()) {
			this.notStored.delete(nodeKey(context));
			return;
		}
		if (typeof stored === 'string') {
			const content = parseJson(stored.slice(stored.indexOf(' ')));
			const { runs = [], ended = [] } = storedSchema.safeParse(content).data ?? {};
			for (const [run, until] of ended) this.end(run, until);
			for (const questions of runs) this.add(context, questions);
		}
		this.store(context);
	}

	/** Has n8n store the state with a trigger. */
	store(context: Context): void {
		this.notStored.add(nodeKey(context));
		writeState(context, 'inbox', this.live);
	}

	/**
	 * Has a trigger called until it has stored all: an execution of its workflow may write back an older copy, and
	 * another process knows only what it has read.
	 *
	 * @param url of the trigger, with its secret
	 */
	async synchronize(context: IWebhookFunctions, url: string): Promise<void> {
		const node = nodeKey(context);
		if (this.synchronizing.has(node)) return;
		this.synchronizing.add(node);
		for (let attempt = 0; attempt < maxSynchronizations && this.notStored.has(node); attempt++) {
			await pause(synchronizePauseMs);
			await tellTrigger(context, this.serviceId, { trigger: url });
		}
		this.synchronizing.delete(node);
	}

	/**
	 * Takes questions, or what has become of them since.
	 *
	 * @returns false if there are too many
	 */
	add(context: Context, { people, answers, ...questions }: Questions): boolean {
		if (this.ended.has(questions.run)) return true;
		if (!this.runs.has(questions.run) && people.length + this.open > maxOpen) return false;
		const run = this.runs.get(questions.run) ?? this.begin(context, questions);
		run.until = Math.max(run.until, questions.until);
		run.isWhole ||= questions.isWhole;
		for (const person of people) {
			const [item, to, , asked] = person;
			if (asked !== null || !run.people.has(item))
				run.people.set(item, { phone: samePhoneKey(to), person });
		}
		for (const answer of answers)
			if (!run.answers.has(answer.item)) run.answers.set(answer.item, answer);
		const unasked = [...run.people.keys()].filter((item) => askedTime(run, item) === null);
		if (run.isWhole) unasked.forEach((item) => run.people.delete(item));
		if (isComplete(run)) void this.finish(context, run);
		return true;
	}

	private get open(): number {
		return [...this.runs.values()].reduce((sum, { people }) => sum + people.size, 0);
	}

	private begin(context: Context, questions: Omit<Questions, 'people' | 'answers'>): Run {
		const run: Run = { ...questions, people: new Map(), answers: new Map() };
		this.runs.set(run.run, run);
		void this.expire(context, run);
		return run;
	}

	/** Forgets a run. */
	end(name: string, until: number): void {
		this.ended.set(name, until);
		this.runs.delete(name);
	}

	/** The questions to a phone. */
	private questionsTo(phone?: string): Array<{ run: Run; item: number }> {
		return [...this.runs.values()].flatMap((run) => {
			const items = [...run.people].filter(([, one]) => one.phone === phone);
			return items.map(([item]) => ({ run, item }));
		});
	}

	/** Gives a run its answers when its time is up. */
	private async expire(context: Context, run: Run): Promise<void> {
		while (this.isOpen(run) && Date.now() < run.until) await pause(run.until - Date.now());
		if (this.isOpen(run)) await this.finish(context, run);
	}

	private isOpen({ run }: Run): boolean {
		return this.runs.has(run);
	}

	private async finish(context: Context, run: Run): Promise<void> {
		run.finish ??= (async () => {
			const isWanted = () => this.isOpen(run) && Date.now() < run.until + 2 * graceMs;
			await resume(context, run.url, () => [...run.answers.values()], isWanted);
			this.end(run.run, run.until);
		})();
		await run.finish;
	}

	/** Whether an event comes from somebody who was asked, or may be an answer that comes once more. */
	concerns(event: EventEnvelope, headers: Record<string, unknown>): boolean {
		const phone = senderOf(event);
		return (
			phone !== undefined &&
			(this.questionsTo(phone).length > 0 || this.consumed.has(nameOf(event, headers).name))
		);
	}

	/**
	 * Takes those messages that are answers. If a run has all its answers now, waits until it continues.
	 *
	 * @param headers those that may identify an event
	 * @returns the other events
	 * @throws ServiceError if a question had to be repeated and could not be
	 */
	async consume(
		context: IWebhookFunctions,
		events: EventEnvelope[],
		headers: Record<string, unknown>,
	): Promise<EventEnvelope[]> {
		const others: EventEnvelope[] = [];
		const runs = new Set<Run | undefined>();
		for (const event of events) {
			const phone = senderOf(event) ?? '';
			const taken = await withLock(
				`${this.serviceId} ${phone}`,
				async () => await this.take(context, event, headers),
			);
			if (taken) runs.add(taken.run);
			else others.push(event);
		}
		if (others.length === events.length) return others;
		this.store(context);
		const finishing = Promise.all([...runs].map(async (run) => await run?.finish));
		await Promise.race([finishing, pause(maxResumeMs)]);
		return others;
	}

	/** Takes a message if it is an answer. @returns the run that it belongs to, if that is known; undefined for another message */
	private async take(
		context: IWebhookFunctions,
		event: EventEnvelope,
		headers: Record<string, unknown>,
	): Promise<{ run?: Run } | undefined> {
		const { name, isCertain } = nameOf(event, headers);
		const node = nodeKey(context);
		const earlier = this.consumed.get(name);
		const isElsewhere = earlier && earlier.node !== node;
		if (earlier && (isCertain || (isElsewhere && Date.now() - earlier.at < sameMomentMs)))
			return {};
		const questions = this.questionsTo(senderOf(event));
		for (const { run, item } of orderBy(questions, ['run.asked', 'item'], ['desc', 'desc'])) {
			if (!(await this.isAsked(run, item, event))) continue;
			const state = await this.poll(context, run);
			if (state === 'ended' || state === 'resumed') this.end(run.run, run.until);
			else await this.answer(context, run, item, event);
			// A run that has continued was given this answer by another process.
			if (state === 'ended') continue;
			this.consumed.set(name, { at: Date.now(), node });
			return { run };
		}
		return undefined;
	}

	/** Whether a message may answer a question: it is open, and was sent before. */
	private async isAsked(run: Run, item: number, event: EventEnvelope): Promise<boolean> {
		const isPending = () => this.isOpen(run) && !run.isWhole && askedTime(run, item) === null;
		for (let held = 0; isPending() && held < heldMs; held += heldStepMs) await pause(heldStepMs);
		const time = askedTime(run, item);
		if (time === null || isEarlier(event, time)) return false;
		return this.isOpen(run) && !run.answers.has(item) && Date.now() < run.until;
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
	): Promise<void> {
		const [, to, index] = (run.people.get(item) as { person: Person }).person;
		const expected = run.expected[index];
		const answer = toAnswer(event, item, expected);
		if (!answer.isAccepted) {
			const client = await connect(context);
			if (await repeatQuestion(client, run.run, { item, to, expected })) return;
		}
		run.answers.set(item, answer);
		if (isComplete(run)) void this.finish(context, run);
	}

	private toText(): string {
		const runs = [...this.runs.values()].map((run) => ({
			...omit(run, 'poll', 'finish'),
			people: [...run.people.values()].map(({ person }) => person),
			answers: [...run.answers.values()],
		}));
		const ended = this.ended.all().filter(([, until]) => until + 2 * graceMs > Date.now());
		return `${this.serviceId} ${JSON.stringify({ runs, ended })}`;
	}
}

/** When somebody was asked; null if that was not done yet. */
function askedTime({ people }: Run, item: number): number | null {
	return people.get(item)?.person[3] ?? null;
}

function isComplete({ isWhole, people, answers }: Run): boolean {
	return isWhole && [...people.keys()].every((item) => answers.has(item));
}

/** What tells a message from others; not for certain if nothing identifies it. */
function nameOf(
	event: EventEnvelope,
	headers: Record<string, unknown>,
): { name: string; isCertain: boolean } {
	const key = deduplicationKeyOf(event, headers);
	return { name: key ?? JSON.stringify(event), isCertain: key !== undefined };
}

const inboxes = new BoundedMap<string, Inbox>({ maxSize: 1_000 });
const inboxOfNode = new BoundedMap<string, Inbox>({ maxSize: 1_000 });

/** The inbox of a service, which a trigger takes part in from now on. */
export function joinInbox(context: Context, serviceId: string): Inbox {
	const inbox = inboxes.getOrSet(serviceId, () => new Inbox(serviceId));
	inboxOfNode.set(nodeKey(context), inbox);
	inbox.load(context);
	return inbox;
}

/** The inbox of a trigger; undefined if nobody was asked so far. */
export function inboxOf(context: Context): Inbox | undefined {
	const stored = readState(context, 'inbox');
	const known = inboxOfNode.get(nodeKey(context));
	if (!known && typeof stored === 'string') return joinInbox(context, stored.split(' ')[0]);
	known?.load(context);
	return known;
}
