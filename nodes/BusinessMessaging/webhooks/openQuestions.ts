/**
 * Who was asked, and what they have answered: in memory, and as text that n8n stores and other processes read.
 * This text may be out of date, so the state is the union of everything seen so far: questions, answers, ended
 * runs.
 */
import { randomUUID } from 'crypto';
import { compact, groupBy, isEqual, orderBy, pick, sortBy } from 'lodash';
import { z } from 'zod';

import { BoundedMap } from '../boundedMap';
import { samePhoneKey } from '../phone/compare';
import { mergeAnswers } from './answers';
import {
	type Answer,
	type Answers,
	type Questions,
	type RunState,
	graceMs,
	questionsSchema,
} from './question';
import { seal, unseal } from './seal';

/** The maximum number of people whose replies are open, over all runs. */
const maxOpen = 50_000;

/** Somebody who was asked, or will be. */
export interface Asked {
	/** E.164. */
	to: string;
	/** Key of the phone. */
	phone: string;
	/** Index in the run's `expected`. */
	expected: number;
	/** When the question was sent; null if it was not sent yet. See {@link Questions}. */
	asked: number | null;
	answer: Answer | null;
	/** As it is stored. */
	json?: string;
}

/** The questions of one run. */
export interface Run extends Omit<Questions, 'people'> {
	/** By item. */
	people: Map<number, Asked>;
	/** How many reports of who was asked so far each trigger has received from Send and Wait, by its node, and the number of the latest. */
	reports: Map<string, { count: number; latest: number }>;
	/** Whether another process has said that the run is over, and which messages were its replies. */
	isOver?: boolean;
	poll?: { at: number; state: Promise<RunState> };
	expire?: Promise<void>;
	finish?: Promise<void>;
}

const storedSchema = z.object({
	runs: z.array(questionsSchema),
	ended: z.array(z.tuple([z.string(), z.number()])),
	answered: z.array(z.tuple([z.string(), z.number()])).optional(),
});

/** How long after the end of a run its answers are recognized, also after a restart, ms: a trigger may receive them late. */
const lateMs = 10 * 60_000;

/** The open questions of one service and API key. */
export class OpenQuestions {
	private readonly runs = new Map<string, Run>();
	/** Runs that are over, with the time until which stored data may still contain them. */
	private readonly ended = new BoundedMap<string, number>({ maxSize: 2_000 });
	/** Keys of messages that were answers to runs that are over, with the time of its end, ms since 1970. */
	private readonly answered = new BoundedMap<string, number>({ maxSize: 10_000 });
	/** Names of texts whose content is known here, and of those that contain everything known here. */
	private readonly known = new BoundedMap<string, true>({ maxSize: 1_000 });
	private readonly complete = new Set<string>();
	/** Made when they are needed; a change removes them. */
	private text?: string;
	private byPhone?: Map<string, Array<{ run: Run; item: number }>>;

	constructor(private readonly serviceId: string) {}

	/** Everything that is known: its name and its encrypted content. */
	toText(): string {
		if (this.text === undefined) {
			const name = randomUUID();
			this.known.set(name, true);
			this.complete.add(name);
			this.text = `${name} ${seal(this.serviceId, this.toJson())}`;
		}
		return this.text;
	}

	/** The name of everything that is known. */
	get name(): string {
		return readName(this.toText());
	}

	/** Whether a text, or its name, contains everything that is known. */
	isComplete(text: unknown): boolean {
		return this.complete.has(readName(text));
	}

	/**
	 * Adds what was stored, or another process knows.
	 *
	 * @param isOwn whether the URL of a run may be called
	 * @returns false if it was encrypted with another key
	 */
	merge(text: unknown, isOwn: (url: string) => boolean = () => true): boolean {
		const name = readName(text);
		if (typeof text !== 'string' || this.known.has(name)) return true;
		const content = unseal(this.serviceId, text.slice(name.length + 1));
		const { runs = [], ended = [], answered = [] } = storedSchema.safeParse(content).data ?? {};
		for (const [name, until] of ended) {
			const run = this.runs.get(name);
			if (run) run.isOver = true;
			this.end(name, until);
		}
		for (const [key, at] of answered) if (!this.answered.has(key)) this.answered.set(key, at);
		for (const questions of runs) if (isOwn(questions.url)) this.add(questions);
		this.known.set(name, true);
		if (isEqual(content, JSON.parse(this.toJson()))) this.complete.add(name);
		return content !== undefined;
	}

	/** Adds questions, or updates of them. @returns false if there are too many */
	add({ people, ...questions }: Questions): boolean {
		if (this.ended.has(questions.run)) return true;
		const known = this.runs.get(questions.run);
		if (known && questions.underWay) known.underWay = questions.underWay;
		if (known && people.length === 0 && known.isWhole === questions.isWhole) return true;
		if (!known && people.length + this.count > maxOpen) return false;
		const run: Run = known ?? { ...questions, people: new Map(), reports: new Map() };
		this.runs.set(run.run, run);
		run.until = Math.max(run.until, questions.until);
		run.isWhole ||= questions.isWhole;
		for (const [item, to, expected, asked, answer] of people) {
			const one = run.people.get(item) ?? { to, phone: samePhoneKey(to), expected, asked, answer };
			if (asked !== null) Object.assign(one, { expected, asked });
			one.answer = mergeAnswers(one.answer, answer);
			one.json = undefined;
			run.people.set(item, one);
		}
		if (run.isWhole)
			for (const [item, { asked }] of run.people) if (asked === null) run.people.delete(item);
		this.changed();
		this.byPhone = undefined;
		return true;
	}

	private get count(): number {
		return this.all().reduce((sum, { people }) => sum + people.size, 0);
	}

	/** Forgets a run. */
	end(name: string, until: number): void {
		const run = this.runs.get(name);
		for (const key of run ? keysOf(answersOf(run).map(([, answer]) => answer)) : [])
			this.answered.set(key, Date.now());
		this.ended.set(name, until);
		this.runs.delete(name);
		this.changed();
		this.byPhone = undefined;
	}

	/** Somebody's answer, or the answer so far. */
	answer(person: Asked, answer: Answer): void {
		person.answer = answer;
		person.json = undefined;
		this.changed();
	}

	private changed(): void {
		this.text = undefined;
		this.complete.clear();
	}

	/** The runs that wait. */
	all(): Run[] {
		return [...this.runs.values()];
	}

	isOpen({ run }: Run): boolean {
		return this.runs.has(run);
	}

	/** Whether the answer of a person, or more of it, still counts. */
	isOpenFor(run: Run, item: number): boolean {
		const answer = run.people.get(item)?.answer;
		const isUnanswered = !answer || Date.now() < (answer.until ?? 0);
		return this.isOpen(run) && isUnanswered && Date.now() < run.until;
	}

	/** Counts a report of the run about who was asked so far. @param node the trigger that received it @returns how much is known of the run, see TriggerResponse */
	reported(
		{ run: name, report = 0 }: Pick<Questions, 'run' | 'report'>,
		node: string,
	): number | undefined {
		const run = this.runs.get(name);
		if (!run) return undefined;
		const { count, latest } = run.reports.get(node) ?? { count: 0, latest: -1 };
		if (report > latest) run.reports.set(node, { count: count + 1, latest: report });
		const asked = [...run.people.values()].filter((one) => one.asked !== null);
		return run.people.size + asked.length;
	}

	/** The questions to a phone, the latest first. */
	to(phone: string): Array<{ run: Run; item: number }> {
		if (!this.byPhone) {
			const questions = this.all().flatMap((run) =>
				[...run.people].map(([item, one]) => ({ run, item, phone: one.phone })),
			);
			const latestFirst = orderBy(questions, ['run.asked', 'item'], ['desc', 'desc']);
			this.byPhone = new Map(Object.entries(groupBy(latestFirst, 'phone')));
		}
		return this.byPhone.get(phone) ?? [];
	}

	/**
	 * Whether a message was already consumed as a reply, possibly by another process.
	 *
	 * @param key see deduplicationKeyOf
	 */
	isKnown(phone: string, key: string): boolean {
		const answers = this.to(phone).map(({ run, item }) => run.people.get(item)?.answer);
		return this.answered.has(key) || keysOf(compact(answers)).includes(key);
	}

	/** In an order that all processes share. */
	private toJson(): string {
		const runs = sortBy(this.all(), 'run').map((run) => {
			const rest = pick(run, 'run', 'url', 'asked', 'until', 'expected', 'isWhole');
			const people = [...run.people].map(toPersonJson);
			return `${JSON.stringify(rest).slice(0, -1)},"people":[${people.join()}]}`;
		});
		const ended = this.ended.all().filter(([, until]) => until + 2 * graceMs > Date.now());
		const late = this.answered.all().filter(([, at]) => at + lateMs > Date.now());
		const rest = { ended: sortBy(ended, '0'), answered: sortBy(late, '0') };
		return `{"runs":[${runs.join()}],${JSON.stringify(rest).slice(1)}`;
	}
}

/** Cached until the person's data changes: each reply stores all people, and there may be thousands. */
function toPersonJson([item, one]: [number, Asked]): string {
	one.json ??= JSON.stringify([item, one.to, one.expected, one.asked, one.answer]);
	return one.json;
}

function readName(text: unknown): string {
	return typeof text === 'string' ? text.split(' ', 1)[0] : '';
}

function keysOf(answers: Answer[]): string[] {
	return answers.flatMap(({ messages }) => compact(messages.map(({ key }) => key)));
}

/** Whether everybody who was asked has answered. */
export function isAnswered({ isWhole, people }: Run): boolean {
	if (!isWhole) return false;
	for (const { answer } of people.values()) if (!answer) return false;
	return true;
}

/** The answers so far. */
export function answersOf({ people }: Run): Answers {
	return [...people].flatMap(([item, { answer }]): Answers => (answer ? [[item, answer]] : []));
}

/** When no further message belongs to any of the answers, ms since 1970. */
export function endOf(run: Run): number {
	const ends = answersOf(run).map(([, { until = 0 }]) => until);
	return Math.min(run.until, Math.max(0, ...ends));
}
