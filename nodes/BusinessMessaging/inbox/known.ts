/** What is known of runs and messages. Like core.ts, without n8n, clock or network. */
import { isEqual, partition, sumBy } from 'lodash';
import { z } from 'zod';

import { BoundedMap } from '../boundedMap';
import type { Ended } from '../operations/sending/openQuestions';
import { samePhoneKey } from '../phone/compare';
import { hashOf } from '../webhooks/secret';
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
	lateSchema,
	messageSchema,
	roomFor,
} from './core';
import { type Place, openQuestions } from './openQuestions';
import { Runs, questionsOf } from './runs';
import { executionOf } from './urls';

/** The greatest number of people whose replies are expected, over all runs. */
const maxOpen = 50_000;
/** How many settled messages, questions and runs are remembered, and for how long, ms: one run of the greatest size. */
const maxSettled = 20_000;
const maxSettledMs = 2 * 24 * 3_600_000;
const minuteMs = 60_000;

/** What the clocks show when the inbox is told of people. */
interface Times {
	/** ms since 1970. */
	now: number;
	/** See Person. */
	since: number;
	toldAt: number;
}

/** What is known of runs, and of messages that need no decision any more. */
export class Known {
	readonly runs = new Runs();
	/** Replies that came too late for their run and have not started the workflow yet, by their keys. */
	readonly late = new Map<string, Late>();
	/** Keys of messages that were replies, and names of questions and runs that are over. */
	private readonly settled = new BoundedMap<string, { minute: number; startsToo?: true }>({
		maxSize: maxSettled,
	});

	/** @param onChange called with each run that has changed, and without one if something else has */
	constructor(private readonly onChange: (run?: Run) => void) {}

	get isEmpty(): boolean {
		return this.runs.size + this.late.size + this.settled.size === 0;
	}

	/** Adds people who will be asked, or only notes that the asker is alive. `full`: the people are too many. */
	tell(told: Run, { now, since: clock, toldAt }: Times): 'told' | 'over' | 'full' {
		if (this.settled.has(told.id)) return 'over';
		const earlier = this.runs.get(told.id);
		if (earlier?.isAsked) return 'told';
		if (!earlier && this.runs.people + told.people.size > maxOpen) return 'full';
		const people = new Map(earlier?.people);
		for (const [item, person] of told.people) {
			const known = people.get(item) ?? { ...person, since: clock, toldAt };
			const { since = 0, askedMessageId } = person;
			const asked = {
				...known,
				since: since || known.since,
				askedMessageId: askedMessageId ?? known.askedMessageId,
			};
			people.set(item, isEqual(asked, known) ? known : asked);
		}
		this.set({ ...told, people, heardAt: now, isAsked: false });
		return 'told';
	}

	/**
	 * Notes who was asked in the end. What other people have written meanwhile is late. The time limit begins; a call that
	 * is repeated does not change it.
	 */
	close(closed: Run, times: Times): 'told' | 'over' | 'full' {
		const told = this.tell(closed, times);
		const known = this.runs.get(closed.id);
		if (told !== 'told' || !known || known.isAsked) return told;
		const people = [...known.people];
		const [asked, others] = partition(people, ([item]) => closed.people.has(item));
		for (const [, person] of others) this.drop(known, person, times.now);
		this.set({ ...known, people: new Map(asked), isAsked: true });
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
		const isOptOut = arrival.isOptOut === true && (kind === 'freeText' || !isValid);
		const message = toStored(run, person.messages, arrival, isOptOut);
		const messages = [...person.messages, message];
		const isOpenForMore = groupMs > 0 && messages.length < maxMessages && !message.isCut;
		const moreUntil = isOpenForMore ? now + groupMs : undefined;
		run.people.set(person.item, { ...person, messages, isValid, moreUntil });
		this.onChange(run);
		return verdictOfReply(message);
	}

	/** Who was asked, see openQuestions. */
	openQuestions(after?: Place) {
		return openQuestions(this.runs, after);
	}

	/** Ends the wait for people. @returns for each, to how many questions nobody waits for the reply any more */
	endWaits(people: Ended[]): { inbox: 'yes'; ended: number[] } {
		return { inbox: 'yes', ended: people.map((one) => this.endWait(one)) };
	}

	private endWait({ phone, executionId }: Ended): number {
		const asked = this.runs.to({ phone: samePhoneKey(phone) }).filter(({ run, person }) => {
			const isWanted = executionId === undefined || executionId === executionOf(run.url);
			return isWanted && person.messages.length === 0;
		});
		for (const { run, person } of asked) {
			run.people.set(person.item, { ...person, isEnded: true });
			this.onChange(run);
		}
		return asked.length;
	}

	/** Keeps words that are no answer. @param askedAgain ID of the message that repeated the question after them */
	addMisfit({ run, person }: Asked, arrival: Arrival, askedAgain?: string): Verdict {
		const message = toStored(run, [], arrival, arrival.isOptOut === true);
		const misfit = { ...message, ...(askedAgain !== undefined && { askedAgain }) };
		this.runs.update(run, { ...person, misfits: [...person.misfits, misfit] });
		this.onChange(run);
		return verdictOfReply(message);
	}

	/** Remembers the sender's name in each run whose question the message quotes. */
	learnSender(message: Sender): void {
		for (const run of this.runs.learnSender(message)) this.onChange(run);
	}

	/** The questions that a message may answer, the latest first. A quote belongs to the quoted question alone. */
	questionsTo(message: Sender): Asked[] {
		const { quoted } = message;
		return quoted !== undefined && this.settled.has(nameOfQuestion(quoted))
			? []
			: this.runs.to(message);
	}

	/** A run has its replies: it is forgotten. */
	settle(run: Run, now: number): void {
		for (const person of run.people.values()) {
			for (const message of [...person.misfits, ...person.messages]) this.remember(message, now);
			for (const id of questionsOf(person)) this.remember({ key: nameOfQuestion(id) }, now);
		}
		this.remember({ key: run.id }, now);
		this.runs.delete(run.id);
		this.onChange();
	}

	/** A run can get no replies any more: those that it has not got are late, and it is forgotten. */
	end(run: Run, now: number): void {
		for (const person of run.people.values()) this.drop(run, person, now);
		this.settle(run, now);
	}

	/** A run does not wait for a person: what the person has written is late. An opt-out has started the workflow already. */
	private drop({ questions }: Run, person: Person, now: number): void {
		const { to, sender, askedMessageId, question, messages, misfits } = person;
		const { asked } = questions[question];
		for (const message of [...misfits, ...messages])
			if (message.isOptOut) this.remember(message, now);
			else {
				this.late.set(message.key, {
					...{ to, askedMessageId, asked, message: messageSchema.parse(message) },
					...(sender !== undefined && { sender }),
				});
				this.onChange();
			}
	}

	/** A message needs no decision any more, or a question or run is over. */
	private remember({ key, isOptOut }: Pick<Message, 'key' | 'isOptOut'>, now: number): void {
		const startsToo = isOptOut && { startsToo: isOptOut };
		this.settled.set(key, { minute: Math.floor(now / minuteMs), ...startsToo });
	}

	/** Late replies have started the workflow. */
	noteStarted(keys: string[], now: number): void {
		for (const key of keys) {
			this.remember({ key }, now);
			this.late.delete(key);
		}
		this.onChange();
	}

	lateText(): string {
		return JSON.stringify([...this.late.values()]);
	}

	loadLate(text: string): void {
		for (const one of z.array(lateSchema).parse(JSON.parse(text)))
			this.late.set(one.message.key, one);
	}

	/** What was decided about a message before, as far as it is stored: maybe before it was known whose question it quotes. */
	verdictOf(arrival: Arrival): Verdict | undefined {
		const { key, phone } = arrival;
		const asked = [...this.questionsTo(arrival), ...this.runs.to({ phone })];
		for (const { person } of asked) {
			const message = [...person.messages, ...person.misfits].find((one) => one.key === key);
			if (message) return verdictOfReply(message);
		}
		if (this.late.has(key)) return { is: 'taken' };
		const settled = this.settled.get(key);
		return settled && { is: 'taken', ...(settled.startsToo && { startsToo: true }) };
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
		const settled = readSettled(text);
		for (const { name, ...one } of settled) this.settled.set(name, one);
		return settled.map(({ name }) => name);
	}
}

function readSettled(text: string) {
	return text.split(' ').flatMap((entry) => {
		const [, name, minute, mark] = /^(.+)\.(\w+)(!?)$/.exec(entry) ?? [];
		if (name === undefined) return [];
		const startsToo = mark === '!' && { startsToo: true as const };
		return { name, minute: Number.parseInt(minute, 36), ...startsToo };
	});
}

/** Whether something was settled in the last ten minutes, so that other triggers may still receive such messages. */
export function hasSettledLately(text: string, now: number): boolean {
	return readSettled(text).some(({ minute }) => now - minute * minuteMs < 10 * minuteMs);
}

/** What is stored of a message in a run. @param before the other messages of the same reply */
function toStored(run: Run, before: Message[], arrival: Arrival, isOptOut: boolean): Message {
	const { key, text, messageId, respondedAt } = arrival;
	const room = roomFor(run) - sumBy(before, (one) => one.text?.length ?? 0);
	const isCut = arrival.isCut ?? (text !== null && text.length > room);
	return {
		...{ key, text: text?.slice(0, room) ?? null, respondedAt },
		...(messageId !== undefined && { messageId }),
		...(isCut && { isCut: true as const }),
		...(isOptOut && { isOptOut: true as const }),
	};
}

function verdictOfReply({ isOptOut }: Message): Verdict {
	return { is: 'taken', ...(isOptOut && { startsToo: true }) };
}

/** The name under which a question is remembered, as short as possible: one run may ask 10,000 people. */
function nameOfQuestion(id: string): string {
	return `q${hashOf(id).slice(0, 7)}`;
}
