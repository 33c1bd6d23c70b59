/**
 * What is known about runs that wait for replies, and what follows from it. No n8n, no clock, no network: the
 * simulation in test/unit/simulation/inbox runs exactly this code. All values only grow (flags rise, times increase,
 * lists get longer), so two copies of a run can be merged in any order, and nothing is lost. README.md has the table of
 * states.
 */
import { compact, orderBy, partition, sumBy, union } from 'lodash';

import type { QuestionSettings } from '../operations/sending/questionFields';
import { maxMessages, readAnswer, textOf } from './answers';

/** A message of a person, with the fields that are stored. */
export interface Message {
	/** The same for all deliveries of the message. */
	key: string;
	/** null for a message without text. */
	text: string | null;
	/** Whether the text was longer and was cut. */
	isCut?: boolean;
	messageId?: string;
	/** Time of the message as the service writes it, or of its arrival. */
	respondedAt: string;
}

/** A message that arrives. */
export interface Arrival extends Message {
	/** The key of the phone, see samePhoneKey; or the name of a sender without a number; empty if the service shows neither. */
	phone: string;
	/** The ID of the message that it quotes. */
	quoted?: string;
	/**
	 * When the message was written, by the service's clock, ms since 1970. If the service rounds times, this is the
	 * latest possible time. NaN if the service shows no time.
	 */
	time: number;
	/** Whether the message is nothing but an opt-out word such as STOP. */
	isOptOut: boolean;
	/** Whether the service identifies the message. Then a second message with the same key is the same message. */
	isCertain: boolean;
}

/** Who wrote a message, as far as it is known. */
export type Sender = Pick<Arrival, 'phone' | 'quoted'>;

/** The answer that a question expects, and the question itself. */
export interface Question extends Omit<QuestionSettings, 'limitMs'> {
	/**
	 * The beginning of the question, or the name of its template; late replies show it. Empty if a run's questions begin
	 * in too many ways.
	 */
	asked: string;
}

/** A person who is asked: one object for each question. An object is never changed; a newer state is another object. */
export interface Person {
	/** Index of the item that asks the question. */
	item: number;
	/** Phone number in E.164. */
	to: string;
	/** Index of the question in the run. */
	question: number;
	/** Messages that were written before this time are ordinary: by the service's clock, ms since 1970; 0 if not known yet. */
	since: number;
	/**
	 * Whether `since` is the time at which the question was sent, as the service says. Otherwise, it is the time at which
	 * the owner was told.
	 */
	isSince?: true;
	/** ID of the message that asks the question; null if the service gave none. */
	askedMessageId: string | null;
	/** The name of the person, if the service hides the number. It is known once the person has quoted the question. */
	sender?: string;
	/** The reply, in the order of arrival: one message, or several if messages are grouped. */
	messages: Message[];
	/** Whether the reply fits the question. */
	isAccepted?: boolean;
	/** Until when further messages belong to the reply, ms since 1970. */
	moreUntil?: number;
	/** Keys of the messages after which the question was repeated. */
	repeatedAfter: string[];
	/**
	 * The triggers were told about the person, but the question was not sent, or not for certain. A message that was
	 * taken for the reply starts the workflow.
	 */
	isNotAsked?: true;
}

/** A run of Send and Wait. */
export interface Run {
	id: string;
	/** The signed URL that resumes the execution. */
	url: string;
	/** The URL of the trigger that owns the run and decides, without its secret. */
	owner: string;
	/** The triggers that have to know whom the run asks, as long as it still asks people. */
	triggers: string[];
	/** When it began to ask, ms since 1970. */
	startedAt: number;
	/** Until when replies count, ms since 1970. */
	until: number;
	/** Until when the asker counts as alive, by the owner's clock, ms since 1970. */
	leaseUntil: number;
	/** Whether all people were asked, so that nobody else will be. */
	isWhole: boolean;
	/** Whether the run can get no further replies. */
	isOver: boolean;
	/** The keys of the messages that the run is about to get. They are stored first, so that they are known after a restart. */
	handing?: string[];
	/** The keys of the messages that it has got. */
	got?: string[];
	/** The keys of the messages that came too late for it, and have started the trigger's workflow. */
	started: string[];
	questions: Question[];
	people: Map<number, Person>;
	/** The output of the items that asked nobody. The run needs it for its own output. */
	notAsked: unknown[];
}

/**
 * The greatest length of one reply, and of all replies of a run; longer ones are cut. All replies must fit into one
 * request to n8n, which accepts 16 MB: a character takes up to three bytes, in base64.
 */
export const maxText = 4_000;
const maxTextOfAll = 3_000_000;

/** How long an asker counts as alive after it has told the owner something, and how long n8n may take to store that a run waits, ms. */
export const leaseMs = 120_000;
/** How long after the time limit n8n itself ends a wait that nothing else has ended, ms. */
export const graceMs = 60_000;

/** Merges two states of a person: takes the higher value of each field, and the messages of both, so that none is lost. */
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

/**
 * The later `since`. A time that the service shows for the question counts more than the time at which the owner was
 * told, because the service also dates the messages.
 */
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

/** A person who was not asked in the end. Only what the person wrote still counts, nothing about the question. */
function notAsked({ item, to, question, sender, messages, repeatedAfter }: Person): Person {
	const written = { sender, messages, repeatedAfter };
	return { item, to, question, since: 0, askedMessageId: null, ...written, isNotAsked: true };
}

/**
 * Merges two copies of a run. If all people were asked in only one copy, nobody else belongs to the run, except people
 * who have written meanwhile.
 */
export function mergeRun(one: Run, other: Run): Run {
	const [whole, part] = one.isWhole || !other.isWhole ? [one, other] : [other, one];
	const isClosing = whole.isWhole && !part.isWhole;
	const items = union([...one.people.keys()], [...other.people.keys()]);
	const merged = items.flatMap((item): Person[] => {
		const [mine, theirs] = [one.people.get(item), other.people.get(item)];
		const person = mine && theirs ? mergePerson(mine, theirs) : ((mine ?? theirs) as Person);
		const isAsked = !isClosing || whole.people.has(item);
		if (isAsked && !mine?.isNotAsked && !theirs?.isNotAsked) return [person];
		const hasWritten = person.messages.length + person.repeatedAfter.length > 0;
		return hasWritten ? [notAsked(person)] : [];
	});
	// Those who were not asked come first, so that they are found quickly among thousands.
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

/** Whether a message was a reply of a person, or the question was repeated after it. */
export function hasKey({ messages, repeatedAfter }: Person, key: string): boolean {
	return messages.some((message) => message.key === key) || repeatedAfter.includes(key);
}

/** Whether the asker was killed before all were asked. */
export function isAskerDead({ isWhole, leaseUntil }: Run, now: number): boolean {
	return !isWhole && now > leaseUntil;
}

/** Whether a run may get replies. Its time limit begins when all people were asked. */
export function isOpen(run: Run, now: number): boolean {
	return !run.isOver && (run.isWhole ? now <= run.until : !isAskerDead(run, now));
}

function isOpenFor(run: Run, { messages, moreUntil = 0, ...person }: Person, now: number): boolean {
	const isTaking = messages.length === 0 || now < moreUntil;
	return isOpen(run, now) && !run.handing && !person.isNotAsked && isTaking;
}

/** What a message means to the owner of the runs. */
export type Decision =
	/** The message is a reply: {@link addReply}. */
	| { is: 'reply'; run: Run; person: Person; isAccepted: boolean }
	/** The message does not fit, so the question is repeated: {@link addRepetition}. */
	| { is: 'repeat'; run: Run; person: Person }
	/** The message was handled before: as a reply, or by repeating the question. */
	| { is: 'copy'; run: Run; person: Person }
	| { is: 'ordinary' };

/** A question to a person. */
export interface Asked {
	run: Run;
	person: Person;
}

/**
 * Decides what a message means.
 *
 * @param asked the questions to its sender: first the one that the message quotes, then the others, the latest first
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

/**
 * Whether a message is an opt-out word such as STOP and does not answer the question. Then the workflow that records
 * opt-outs has to get it.
 */
function isOptOutFor(question: Question, message: Arrival): boolean {
	return message.isOptOut && readAnswer(message.text, question) === undefined;
}

/**
 * Whether a message must also start workflows although it is a reply: if the question is for free text, STOP is both a
 * reply and an opt-out.
 */
export function startsWorkflowsToo({ run, person }: Asked, message: Arrival): boolean {
	return message.isOptOut && run.questions[person.question].kind === 'freeText';
}

/** The greatest length of one reply, characters: the replies of all people together must fit into one request to n8n. */
function roomFor({ people }: Run): number {
	return Math.min(maxText, Math.floor(maxTextOfAll / people.size));
}

/** Adds a message to a reply, as its first or a further message. */
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

/** When a run has to be handled next, ms since 1970. */
export function dueAt(run: Run): number {
	return lateMessages(run).length > 0 ? 0 : repliesDueAt(run);
}

/** When a run gets its replies, or counts as over because its asker is dead, ms since 1970. */
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

/** The people whom a run has asked. */
function askedOf({ people }: Run): Person[] {
	return [...people.values()].filter(({ isNotAsked }) => !isNotAsked);
}

/** The messages of a person's reply that the run gets: the first one, or all if messages are grouped. */
function replyOf({ questions }: Run, { messages, question }: Person): Message[] {
	return questions[question].groupMs > 0 ? messages : messages.slice(0, 1);
}

/** Records which messages a run gets, before it gets them. */
export function chooseReplies(run: Run): void {
	const replies = askedOf(run).flatMap((person) => replyOf(run, person));
	run.handing ??= replies.map(({ key }) => key);
}

/**
 * What n8n responds to a call of an execution. `accepted`: it has taken the replies. `waiting`: it waits. `running`:
 * n8n is carrying it out. `finished`: it has ended without an error. `stopped`: it has ended with an error, or a user
 * has stopped it. `gone`: it does not exist, or waits for something else. `broken`: n8n cannot continue it from what it
 * has stored of it, e.g. after a crash. `unknown`: anything else.
 */
export type RunState =
	| 'accepted'
	| 'waiting'
	| 'running'
	| 'finished'
	| 'stopped'
	| 'gone'
	| 'broken'
	| 'unknown';

/**
 * What follows from the response of a run to its replies.
 *
 * @param mayHaveGot whether an earlier call may have given it the replies
 */
export function afterHandOver(run: Run, state: RunState, mayHaveGot: boolean, now: number): void {
	// Before n8n ends the wait itself, only the owner can have ended it without an error.
	const mayBeGot = state === 'finished' || (state === 'gone' && mayHaveGot);
	const isGot = state === 'accepted' || (mayBeGot && now <= run.until + graceMs);
	if (isGot) run.got = union(run.got, run.handing);
	// If the response to an earlier call was lost, the run may be running with its replies. Its end will tell.
	const isUndecided = state === 'running' && mayHaveGot;
	if (isGot || (hasDied(run, state, now) && !isUndecided) || isPast(run, now)) run.isOver = true;
}

/**
 * Whether a run can get no replies any more. If an asker was killed after it had asked everybody, n8n says that its
 * execution is running, and later that it cannot continue it.
 */
export function hasDied({ leaseUntil }: Run, state: RunState, now: number): boolean {
	return isEnded(state) || ((state === 'running' || state === 'broken') && now > leaseUntil);
}

/** The copy of a run that the run itself gets: the people whom it has asked, each with the messages that it gets. */
export function handOverOf(run: Run): Run {
	const handing = new Set(run.handing);
	const people = askedOf(run).map((person) => ({
		...person,
		messages: person.messages.filter(({ key }) => handing.has(key)),
	}));
	return { ...run, people: new Map(people.map((person) => [person.item, person])) };
}

/** The copy of a run that the other triggers get: whom the run asks, and which messages were replies, but not their texts. */
export function withoutTexts(run: Run): Run {
	const people = [...run.people.values()].map((person) => ({
		...person,
		since: 0,
		messages: person.messages.map(({ key }) => ({ key, text: null, respondedAt: '' })),
	}));
	return { ...run, notAsked: [], people: new Map(people.map((person) => [person.item, person])) };
}

/** Whether an execution can get no further replies. */
export function isEnded(state: RunState): boolean {
	return state === 'finished' || state === 'stopped' || state === 'gone';
}

/** Whether n8n itself has certainly ended the wait of a run. */
export function isPast(run: Run, now: number): boolean {
	return now > run.until + 2 * graceMs;
}

/** The messages that a run will never get, because the run is over or has not asked their senders. They start the trigger's workflow. */
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

/** The keys of all messages that were replies to a run, or after which its question was repeated. */
export function keysOf({ people }: Run): string[] {
	return [...people.values()].flatMap(({ messages, repeatedAfter }) => [
		...messages.map(({ key }) => key),
		...repeatedAfter,
	]);
}
