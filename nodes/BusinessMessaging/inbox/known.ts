/** What is known of runs and messages. Like core.ts, without n8n, clock or network. */
import { isEqual, pick, sumBy, union } from 'lodash';

import { BoundedMap } from '../boundedMap';
import { maxMessages } from './answers';
import {
	type Arrival,
	type Asked,
	type Late,
	type Message,
	type Person,
	type Run,
	type Sender,
	type Verdict,
	roomFor,
} from './core';
import { Runs } from './runs';

/** The greatest number of people whose replies are expected, over all runs. */
const maxOpen = 50_000;
/** How many settled messages and runs are remembered, and for how long, ms. */
const maxSettled = 10_000;
const maxSettledMs = 2 * 24 * 3_600_000;
const minuteMs = 60_000;

/** What is known of runs, and of messages that need no decision any more. */
export class Known {
	readonly runs = new Runs();
	/** Replies that came too late for their run and have not started the workflow yet, by their keys. */
	readonly late = new Map<string, Late>();
	/** Keys of messages that were replies, and names of runs that are over. */
	private readonly settled = new BoundedMap<string, { minute: number; startsToo?: true }>({
		maxSize: maxSettled,
	});

	/** @param onChange called with each run that has changed, and without one if something else has */
	constructor(private readonly onChange: (run?: Run) => void) {}

	get isEmpty(): boolean {
		return this.runs.size + this.late.size + this.settled.size === 0;
	}

	/**
	 * Adds people who will be asked, or only notes that the asker is alive. `full`: the people are too many.
	 * @param clock the service's time now, ms since 1970; 0 if it is not known
	 */
	tell(told: Run, now: number, clock: number): 'told' | 'over' | 'full' {
		if (this.settled.has(told.id)) return 'over';
		const earlier = this.runs.get(told.id);
		if (earlier?.isWhole) return 'told';
		if (!earlier && this.runs.people + told.people.size > maxOpen) return 'full';
		const people = new Map(earlier?.people);
		for (const [item, person] of told.people) {
			const known = people.get(item) ?? { ...person, since: clock, toldAt: now };
			const { since = 0, askedMessageId } = person;
			const asked = {
				...known,
				since: since || known.since,
				askedMessageId: askedMessageId ?? known.askedMessageId,
			};
			people.set(item, isEqual(asked, known) ? known : asked);
		}
		this.set({ ...told, people, heardAt: now, isWhole: false });
		return 'told';
	}

	/**
	 * Notes who was asked in the end. What other people have written meanwhile is late. The time limit begins; a call that
	 * is repeated does not change it.
	 */
	close(closed: Run, now: number, clock: number): 'told' | 'over' | 'full' {
		const told = this.tell(closed, now, clock);
		const known = this.runs.get(closed.id);
		if (told !== 'told' || !known || known.isWhole) return told;
		const people = [...known.people];
		for (const [item, person] of people)
			if (!closed.people.has(item)) this.drop(known, person, now);
		const asked = people.filter(([item]) => closed.people.has(item));
		this.set({ ...known, people: new Map(asked), isWhole: true });
		return 'told';
	}

	private set(run: Run): void {
		this.runs.set(run);
		this.onChange(run);
	}

	restore(run: Run): void {
		if (!this.settled.has(run.id)) this.set(run);
	}

	addReply({ run, person }: Asked, arrival: Arrival, isValid: boolean, now: number): Verdict {
		const { kind, groupMs } = run.questions[person.question];
		const room = roomFor(run) - sumBy(person.messages, (one) => one.text?.length ?? 0);
		const { key, text, messageId, respondedAt } = arrival;
		const isTooLong = arrival.isCut === true || (text?.length ?? 0) > room;
		const startsToo = arrival.isOptOut && kind === 'freeText' && { startsToo: true as const };
		const message: Message = {
			...{ key, text: text?.slice(0, room) ?? null, respondedAt },
			...(messageId !== undefined && { messageId }),
			...(isTooLong && { isCut: true }),
			...startsToo,
		};
		const messages = [...person.messages, message];
		const isOpenForMore = groupMs > 0 && messages.length < maxMessages && !isTooLong;
		const moreUntil = isOpenForMore ? now + groupMs : undefined;
		run.people.set(person.item, { ...person, messages, isValid, moreUntil });
		this.onChange(run);
		return { is: 'taken', ...startsToo };
	}

	addRepetition({ run, person }: Asked, { key }: Arrival): Verdict {
		const repeatedAfter = union(person.repeatedAfter, [key]);
		run.people.set(person.item, { ...person, repeatedAfter });
		this.onChange(run);
		return { is: 'taken' };
	}

	/** Remembers the sender's name in each run whose question the message quotes. */
	learnSender(message: Sender): void {
		for (const run of this.runs.learnSender(message)) this.onChange(run);
	}

	/** A run has its replies: it is forgotten. */
	settle(run: Run, now: number): void {
		for (const { messages, repeatedAfter } of run.people.values()) {
			for (const message of messages) this.remember(message.key, now, message);
			for (const key of repeatedAfter) this.remember(key, now);
		}
		this.remember(run.id, now);
		this.runs.delete(run.id);
		this.onChange();
	}

	/** A run can get no replies any more: those that it has not got are late, and it is forgotten. */
	end(run: Run, now: number): void {
		for (const person of run.people.values()) this.drop(run, person, now);
		this.settle(run, now);
	}

	/** A run does not wait for a person: what the person has replied is late. */
	private drop({ questions }: Run, person: Person, now: number): void {
		const { to, sender, askedMessageId, question, messages, repeatedAfter } = person;
		const { asked } = questions[question];
		for (const message of messages)
			this.late.set(message.key, {
				...{ to, askedMessageId, asked, message },
				...(sender !== undefined && { sender }),
			});
		for (const key of repeatedAfter) this.remember(key, now);
	}

	/** A message needs no decision any more, or a run is over. */
	private remember(
		name: string,
		now: number,
		{ startsToo }: Pick<Verdict, 'startsToo'> = {},
	): void {
		this.settled.set(name, { minute: Math.floor(now / minuteMs), ...(startsToo && { startsToo }) });
	}

	/** Late replies have started the workflow. */
	noteStarted(keys: string[], now: number): void {
		for (const key of keys) {
			this.remember(key, now, this.late.get(key)?.message);
			this.late.delete(key);
		}
		this.onChange();
	}

	lateText(): string {
		return JSON.stringify([...this.late.values()]);
	}

	loadLate(text: string): void {
		for (const one of JSON.parse(text) as Late[]) this.late.set(one.message.key, one);
	}

	/** What was decided about a message before, as far as it is stored. */
	verdictOf(key: string, asked: Asked[]): Verdict | undefined {
		for (const { person } of asked) {
			const message = person.messages.find((one) => one.key === key);
			if (message) return { is: 'taken', ...pick(message, 'startsToo') };
			if (person.repeatedAfter.includes(key)) return { is: 'taken' };
		}
		const late = this.late.get(key);
		if (late) return { is: 'taken', ...pick(late.message, 'startsToo') };
		const settled = this.settled.get(key);
		return settled && { is: 'taken', ...pick(settled, 'startsToo') };
	}

	/** What is settled, as text: each name with its minute in base 36, and a ! if the message has started workflows too. */
	settledText(now: number): string {
		const recent = this.settled
			.all()
			.filter(([, { minute }]) => now - minute * minuteMs < maxSettledMs);
		return recent
			.map(([key, { minute, startsToo }]) => `${key}.${minute.toString(36)}${startsToo ? '!' : ''}`)
			.join(' ');
	}

	/** Reads such a text. @returns the names in it */
	loadSettled(text: string): string[] {
		return text.split(' ').flatMap((entry) => {
			const [, key, minute, mark] = /^(.+)\.(\w+)(!?)$/.exec(entry) ?? [];
			if (key === undefined) return [];
			const startsToo = mark === '!' && { startsToo: true as const };
			this.settled.set(key, { minute: Number.parseInt(minute, 36), ...startsToo });
			return key;
		});
	}
}
