/**
 * What is known of runs that wait for replies, and what follows from it. No n8n, no clock, no network: the simulation in
 * test/simulation runs exactly this. Everything here only grows (flags rise, times go up, lists get longer), so two copies of a
 * run can be merged in any order and nothing that was known is lost. README.md has the table of states.
 */
import { compact, orderBy, partition, sumBy, union } from 'lodash';

import type { QuestionSettings } from '../operations/sending/questionFields';
import { maxMessages, readAnswer, textOf } from './answers';

/** A message of a person, as far as it is kept. */
export interface Message {
	/** The same for all deliveries of the message. */
	key: string;
	/** null for a message without text. */
	text: string | null;
	/** Whether the text was longer. */
	isCut?: boolean;
	messageId?: string;
	/** Time of the message as the service writes it, or of its arrival. */
	respondedAt: string;
}

/** A message that arrives. */
export interface Arrival extends Message {
	/** Key of the phone, see samePhoneKey, or name of a sender without a number; empty if the service shows none. */
	phone: string;
	/** The ID of the message that it quotes. */
	quoted?: string;
	/** By the service's clock, ms since 1970, rounded up to what the service writes; NaN if it does not say. */
	time: number;
	/** Whether it is only a word such as STOP. */
	isOptOut: boolean;
	/** Whether the service identifies the message, so that a second one with the same key is the same message. */
	isCertain: boolean;
}

/** Who writes, as far as it is known. */
export type Sender = Pick<Arrival, 'phone' | 'quoted'>;

/** What a question expects, and what it was. */
export interface Question extends Omit<QuestionSettings, 'limitMs'> {
	/** The beginning of what was asked, for replies that are late. */
	asked: string;
}

/** Somebody who is asked, once for each question. Never changed: a newer state is another object. */
export interface Person {
	/** Index of the item that asks. */
	item: number;
	/** E.164. */
	to: string;
	/** Index of the question in the run. */
	question: number;
	/** Messages written before are ordinary: service's clock, ms since 1970; 0 if not known yet. */
	since: number;
	/** Whether that is when the service says that it sent the question, and not when the owner was told. */
	isSince?: true;
	/** Identifier of the message with the question, if the service gave one. */
	askedMessageId: string | null;
	/** The name of the sender, if the service hides the number: known once they have quoted the question. */
	sender?: string;
	/** The reply, in the order of arrival: one message, or several if they are grouped. */
	messages: Message[];
	/** Whether the reply is what was asked for. */
	isAccepted?: boolean;
	/** Until when more messages belong to the reply, ms since 1970. */
	moreUntil?: number;
	/** Keys of the messages after which the question was repeated. */
	repeatedAfter: string[];
	/** Told, but not asked in the end, or not for certain: a message that was taken for the reply starts the workflow. */
	isNotAsked?: true;
}

/** A run of Send and Wait. */
export interface Run {
	id: string;
	/** The signed URL that resumes the execution. */
	url: string;
	/** The URL of the trigger that decides, without its secret. */
	owner: string;
	/** The triggers that have to know who is asked, while the run still asks. */
	triggers: string[];
	/** When it began to ask, ms since 1970. */
	startedAt: number;
	/** Until when replies count, ms since 1970. */
	until: number;
	/** Until when the asker is certainly alive, by the owner's clock, ms since 1970. */
	leaseUntil: number;
	/** Whether all were asked: nobody else will be. */
	isWhole: boolean;
	/** Whether it gets nothing any more. */
	isOver: boolean;
	/** The keys of the messages that it gets; stored before it gets them, so that a restart knows. */
	handing?: string[];
	/** The keys of the messages that it has got. */
	got?: string[];
	/** The keys of the messages that came too late for it, and have started the trigger's workflow. */
	started: string[];
	questions: Question[];
	people: Map<number, Person>;
	/** The output of the items that asked nobody, as the run needs it. */
	notAsked: unknown[];
}

/** Longer replies are cut, so that those of all people fit into one request to n8n, which accepts 16 MB: three bytes a character, in base64. */
export const maxText = 4_000;
const maxTextOfAll = 3_000_000;

/** How long an asker counts as alive after it has told somebody, and n8n may take to store that a run waits, ms. */
export const leaseMs = 120_000;
/** How long after the time limit n8n ends a wait that nothing else has ended, ms. */
export const graceMs = 60_000;

/** The higher of two states of a person; the messages of both, as none may be lost. */
function mergePerson(one: Person, other: Person): Person {
	const more = other.messages.filter(({ key }) => !hasKey(one, key));
	const messages = [...one.messages, ...more];
	return {
		...one,
		...laterSince(one, other),
		askedMessageId: one.askedMessageId ?? other.askedMessageId,
		sender: [one.sender, other.sender].sort()[0],
		messages: more.length > 0 ? orderBy(messages, ['respondedAt', 'key']) : messages,
		isAccepted: one.isAccepted ?? other.isAccepted,
		moreUntil: latest(one.moreUntil, other.moreUntil),
		repeatedAfter: union(one.repeatedAfter, other.repeatedAfter),
	};
}

/** What the service says of the question counts more than when the owner was told, as it also dates the messages. */
function laterSince(one: Person, other: Person): Pick<Person, 'since' | 'isSince'> {
	if (one.isSince !== other.isSince) return pickSince(one.isSince ? one : other);
	return pickSince(one.since >= other.since ? one : other);
}

function pickSince({ since, isSince }: Person): Pick<Person, 'since' | 'isSince'> {
	return isSince ? { since, isSince } : { since };
}

function latest(one?: number, other?: number): number | undefined {
	return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

/** Nothing of the question counts any more, only what was written. */
function notAsked({ item, to, question, sender, messages }: Person): Person {
	const nothing = { since: 0, askedMessageId: null, repeatedAfter: [] };
	return { ...nothing, item, to, question, sender, messages, isNotAsked: true };
}

/** Two copies of a run. Once all were asked, nobody else belongs to it, except for what others have written meanwhile. */
export function mergeRun(one: Run, other: Run): Run {
	const [whole, part] = one.isWhole || !other.isWhole ? [one, other] : [other, one];
	const isClosing = whole.isWhole && !part.isWhole;
	const merged = [...one.people.keys(), ...other.people.keys()].flatMap((item): Person[] => {
		const [mine, theirs] = [one.people.get(item), other.people.get(item)];
		const person = mine && theirs ? mergePerson(mine, theirs) : ((mine ?? theirs) as Person);
		const isAsked = !isClosing || whole.people.has(item);
		if (isAsked && !mine?.isNotAsked && !theirs?.isNotAsked) return [person];
		return person.messages.length > 0 ? [notAsked(person)] : [];
	});
	// Those who were not asked come first, so that they are found soon among thousands.
	const people = new Map(
		partition(merged, 'isNotAsked')
			.flat()
			.map((person) => [person.item, person]),
	);
	return {
		...one,
		triggers: union(one.triggers, other.triggers),
		until: Math.max(one.until, other.until),
		leaseUntil: Math.max(one.leaseUntil, other.leaseUntil),
		isWhole: one.isWhole || other.isWhole,
		isOver: one.isOver || other.isOver,
		handing: unionIfAny(one.handing, other.handing),
		got: unionIfAny(one.got, other.got),
		started: union(one.started, other.started),
		questions: one.questions.length >= other.questions.length ? one.questions : other.questions,
		people,
		notAsked: whole.notAsked,
	};
}

function unionIfAny(one?: string[], other?: string[]): string[] | undefined {
	return one || other ? union(one, other) : undefined;
}

function hasKey({ messages, repeatedAfter }: Person, key: string): boolean {
	return messages.some((message) => message.key === key) || repeatedAfter.includes(key);
}

/** Whether the asker was killed before all were asked. */
export function isAskerDead({ isWhole, leaseUntil }: Run, now: number): boolean {
	return !isWhole && now > leaseUntil;
}

/** Whether a run may get replies. The time limit begins to run when all were asked. */
export function isOpen(run: Run, now: number): boolean {
	return !run.isOver && (run.isWhole ? now <= run.until : !isAskerDead(run, now));
}

function isOpenFor(run: Run, { messages, moreUntil = 0, ...person }: Person, now: number): boolean {
	const isTaking = messages.length === 0 || now < moreUntil;
	return isOpen(run, now) && !run.handing && !person.isNotAsked && isTaking;
}

/** What a message is, to the owner of the runs. */
export type Decision =
	/** It is a reply: {@link addReply}. */
	| { is: 'reply'; run: Run; person: Person; isAccepted: boolean }
	/** It does not fit, so the question is repeated: {@link addRepetition}. */
	| { is: 'repeat'; run: Run; person: Person }
	/** It was a reply already. */
	| { is: 'copy'; run: Run; person: Person }
	| { is: 'ordinary' };

/** A question to somebody. */
export interface Asked {
	run: Run;
	person: Person;
}

/**
 * Decides what a message is.
 *
 * @param asked the questions to its sender: the one that it quotes, then the latest first
 */
export function decide(asked: Asked[], message: Arrival, now: number): Decision {
	const known = asked.find(({ person }) => hasKey(person, message.key));
	if (known) return { is: 'copy', ...known };
	for (const { run, person } of asked) {
		const question = run.questions[person.question];
		const isEarlier = message.time < person.since;
		if (!isOpenFor(run, person, now) || isEarlier || isOptOutFor(question, message)) continue;
		const text = textOf([...person.messages, message]);
		const isAccepted = readAnswer(text, question) !== undefined;
		const isLast = person.repeatedAfter.length >= question.repeats;
		if (isAccepted || isLast) return { is: 'reply', run, person, isAccepted };
		return { is: 'repeat', run, person };
	}
	return { is: 'ordinary' };
}

/** Whether a message is a word such as STOP and no answer: the workflow that records opt-outs has to get it. */
function isOptOutFor(question: Question, message: Arrival): boolean {
	return message.isOptOut && readAnswer(message.text, question) === undefined;
}

/** Whether the workflows have to get a message although it is a reply: to any question for free text, STOP is both. */
export function startsWorkflowsToo({ run, person }: Asked, message: Arrival): boolean {
	return message.isOptOut && run.questions[person.question].kind === 'freeText';
}

/** Characters of one reply: those of all people together fit into one request to n8n. */
function roomFor({ people }: Run): number {
	return Math.min(maxText, Math.floor(maxTextOfAll / people.size));
}

/** Takes a message as the reply, or as more of it. */
export function addReply(
	{ run, person }: Asked,
	{ key, text, isCut, messageId, respondedAt }: Arrival,
	isAccepted: boolean,
	now: number,
): void {
	const { groupMs } = run.questions[person.question];
	const room = roomFor(run) - sumBy(person.messages, (one) => one.text?.length ?? 0);
	const isTooLong = isCut === true || (text?.length ?? 0) > room;
	const message: Message = {
		key,
		text: text?.slice(0, room) ?? null,
		...(isTooLong && { isCut: true }),
		...(messageId !== undefined && { messageId }),
		respondedAt,
	};
	const messages = [...person.messages, message];
	const isOpen = groupMs > 0 && messages.length < maxMessages && !isTooLong;
	const moreUntil = isOpen ? now + groupMs : undefined;
	run.people.set(person.item, { ...person, messages, isAccepted, moreUntil });
}

/** Remembers after which message the question was repeated. */
export function addRepetition({ run, person }: Asked, { key }: Arrival): void {
	const repeatedAfter = union(person.repeatedAfter, [key]);
	run.people.set(person.item, { ...person, repeatedAfter });
}

/** When something is to be done for a run, ms since 1970. */
export function dueAt(run: Run): number {
	return lateMessages(run).length > 0 ? 0 : repliesDueAt(run);
}

/** When a run gets its replies, or is over because its asker is dead, ms since 1970. */
export function repliesDueAt({ isWhole, leaseUntil, isOver, until, people }: Run): number {
	if (isOver) return 0;
	if (!isWhole) return leaseUntil + 1;
	let last = 0;
	for (const { messages, moreUntil = 0, isNotAsked } of people.values()) {
		if (isNotAsked) continue;
		if (messages.length === 0) return until;
		last = Math.max(last, moreUntil);
	}
	return Math.min(last, until);
}

/** Those whom a run has asked. */
function askedOf({ people }: Run): Person[] {
	return [...people.values()].filter(({ isNotAsked }) => !isNotAsked);
}

/** The messages of somebody's reply that the run gets: the first one, or all if they are grouped. */
function replyOf({ questions }: Run, { messages, question }: Person): Message[] {
	return questions[question].groupMs > 0 ? messages : messages.slice(0, 1);
}

/** Says, before it happens, which messages a run gets. */
export function chooseReplies(run: Run): void {
	const replies = askedOf(run).flatMap((person) => replyOf(run, person));
	run.handing ??= replies.map(({ key }) => key);
}

/**
 * What an execution says when it is called: it has accepted the replies; it waits; it is being carried out; it has ended well; it has
 * ended with an error, also because a user has stopped it; it does not exist, or waits for something else.
 */
export type RunState =
	| 'accepted'
	| 'waiting'
	| 'running'
	| 'finished'
	| 'stopped'
	| 'gone'
	| 'unknown';

/**
 * What follows from the response of a run to its replies.
 *
 * @param mayHaveGot whether an earlier call may have given it the replies
 */
export function afterHandOver(run: Run, state: RunState, mayHaveGot: boolean, now: number): void {
	// Until n8n ends the wait itself, only the owner can have ended it well.
	const isByOwner =
		(state === 'finished' || (state === 'gone' && mayHaveGot)) && now <= endsAt(run);
	const isGot = state === 'accepted' || isByOwner;
	if (isGot) run.got = union(run.got, run.handing);
	// An asker that was killed after it had asked everybody stays "running".
	const isAskerDead = state === 'running' && now > run.leaseUntil;
	const isPast = now > endsAt(run) + graceMs;
	if (isGot || isEnded(state) || isAskerDead || isPast) run.isOver = true;
}

/** What a run gets: the people whom it has asked, with those of their messages that it gets. */
export function handOverOf(run: Run): Run {
	const handing = new Set(run.handing);
	const people = askedOf(run).map((person) => ({
		...person,
		messages: person.messages.filter(({ key }) => handing.has(key)),
	}));
	return { ...run, people: new Map(people.map((person) => [person.item, person])) };
}

/** What the other triggers know of a run: whom it asks, and which messages were replies, but not what they say. */
export function withoutTexts(run: Run): Run {
	const people = [...run.people.values()].map((person) => ({
		...person,
		since: 0,
		messages: person.messages.map(({ key }) => ({ key, text: null, respondedAt: '' })),
	}));
	return { ...run, notAsked: [], people: new Map(people.map((person) => [person.item, person])) };
}

/** Whether an execution gets nothing any more. */
export function isEnded(state: RunState): boolean {
	return state === 'finished' || state === 'stopped' || state === 'gone';
}

/** When n8n itself ends the wait of a run, ms since 1970. */
function endsAt({ until }: Run): number {
	return until + graceMs;
}

/** The messages that a run will never get, because it is over or did not ask: they start the trigger's workflow. */
export function lateMessages(run: Run): Array<{ person: Person; message: Message }> {
	const settled = new Set(compact([...(run.got ?? []), ...run.started]));
	const late: Array<{ person: Person; message: Message }> = [];
	for (const person of run.people.values()) {
		if (!run.isOver && !person.isNotAsked) break;
		for (const message of person.messages)
			if (!settled.has(message.key)) late.push({ person, message });
	}
	return late;
}

/** The keys of all messages that a run was given, or for which its question was repeated. */
export function keysOf({ people }: Run): string[] {
	return [...people.values()].flatMap(({ messages, repeatedAfter }) => [
		...messages.map(({ key }) => key),
		...repeatedAfter,
	]);
}
