/** The rules of runs that wait (README.md). Without n8n, clock or network: test/unit/simulation runs this code. */
import type { QuestionSettings } from '../operations/sending/questionFields';
import { readAnswer, textOf } from './answers';

/** A message of a person, with the fields that are stored. */
export interface Message {
	/** The same for all deliveries of the message. */
	key: string;
	/** null for a message without text. */
	text: string | null;
	isCut?: boolean;
	messageId?: string;
	/** Time of the message as the service writes it, or of its arrival. */
	respondedAt: string;
	/** Whether the reply also starts workflows: a word such as STOP after a question for free text. */
	startsToo?: true;
}

/** A message that arrives. */
export interface Arrival extends Message {
	/** The key of the phone, see samePhoneKey; or the name of a sender without a number; empty if the service shows neither. */
	phone: string;
	/** The ID of the message that it quotes. */
	quoted?: string;
	/** The latest time at which it can have been written, by the service's clock, ms since 1970. NaN without a time. */
	time: number;
	/** When it first arrived at its trigger, by n8n's clock, ms since 1970. It was not written later. */
	firstAt: number;
	/** Whether the message is nothing but an opt-out word such as STOP. */
	isOptOut: boolean;
	/** Whether the service identifies the message, so that equal keys mean the same message. */
	isCertain: boolean;
}

/** Who wrote a message, as far as it is known. */
export type Sender = Pick<Arrival, 'phone' | 'quoted'>;

/** The answer that a question expects, and the question itself. */
export interface Question extends Omit<QuestionSettings, 'limitMs'> {
	/** The beginning of the question or its template's name, for late replies. Empty if a run has too many beginnings. */
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
	/**
	 * Messages that were written before are ordinary. By the service's clock, ms since 1970: when the question was sent,
	 * or, if the service does not show it, when the inbox was told.
	 */
	since: number;
	/** When the inbox was told, by the clock of n8n, ms since 1970. Messages that had arrived before are ordinary. */
	toldAt: number;
	/** ID of the message that asks the question; null if the service gave none. */
	askedMessageId: string | null;
	/** The name of a person whose number the service hides. It is known once the person has quoted the question. */
	sender?: string;
	/** The reply, in the order of arrival: one message, or several if messages are grouped. */
	messages: Message[];
	isValid?: boolean;
	/** Until when further messages belong to the reply, ms since 1970. */
	moreUntil?: number;
	/** Keys of the messages after which the question was repeated. */
	repeatedAfter: string[];
}

/** A run of Send and Wait asks people, then waits (`isWhole`). When it has its replies or is over, it is forgotten. */
export interface Run {
	id: string;
	/** The signed URL that resumes the execution. */
	url: string;
	/** When it began to ask, ms since 1970. */
	startedAt: number;
	/** Until when replies count, ms since 1970, once all people were asked. */
	until: number;
	/** When it last called the inbox, ms since 1970; after a restart of n8n, when the inbox woke. */
	heardAt: number;
	/** Whether all people were asked. */
	isWhole: boolean;
	/** Whether n8n has said that it waits. If it no longer exists later, it has its replies, or a user has deleted it. */
	hasWaited?: true;
	questions: Question[];
	people: Map<number, Person>;
	/** The output of the items that asked nobody, which is part of the run's output. */
	notAsked: unknown[];
}

/** A reply that came too late for its run. It starts the workflow of the inbox. */
export interface Late extends Pick<Person, 'to' | 'sender' | 'askedMessageId'> {
	/** The beginning of the question, see Question. */
	asked: string;
	message: Message;
}

/** What a message is. `busy`: this is not known yet, and the service has to deliver again. */
export interface Verdict {
	is: 'taken' | 'ordinary' | 'busy';
	/** Whether the message starts workflows although it is a reply. */
	startsToo?: true;
}

/** A question to a person. */
export interface Asked {
	run: Run;
	person: Person;
}

/**
 * The maximum length of one reply, and of all replies of a run, characters; longer ones are cut. All replies must fit
 * into one request to n8n, which accepts 16 MB: a character takes up to three bytes, in base64.
 */
export const maxText = 4_000;
const maxTextOfAll = 3_000_000;

/** How long a run that asks counts as alive after its last call, and how long n8n may take to store that a run waits, ms. */
export const leaseMs = 120_000;
/** How long after the time limit n8n itself ends a wait that nothing else has ended, ms. */
export const graceMs = 60_000;

/** The time limit begins when all people were asked. Until then, the inbox ends a run only if its asker is silent. */
function isOpen({ isWhole, until }: Run, now: number): boolean {
	return !isWhole || now <= until;
}

/** What a message means: a reply, a reason to ask the person again, or an ordinary message. */
export type Decision =
	| ({ is: 'reply'; isValid: boolean } & Asked)
	| ({ is: 'repeat' } & Asked)
	| { is: 'ordinary' };

/** Decides on a new message. @param asked the questions to its sender: the quoted one, then the others, latest first */
export function decideOn(asked: Asked[], message: Arrival, now: number): Decision {
	for (const { run, person } of asked) {
		const question = run.questions[person.question];
		const isTaking = person.messages.length === 0 || now < (person.moreUntil ?? 0);
		const isEarlier = message.time < person.since || message.firstAt < person.toldAt;
		if (!isOpen(run, now) || !isTaking || isEarlier || isOptOutFor(question, message)) continue;
		const text = textOf([...person.messages, message]);
		const isValid = readAnswer(text, question) !== undefined;
		const isLast = person.repeatedAfter.length >= question.repeats;
		return isValid || isLast
			? { is: 'reply', run, person, isValid }
			: { is: 'repeat', run, person };
	}
	return { is: 'ordinary' };
}

/** The workflow that records opt-outs has to get a word such as STOP, unless the word answers the question. */
function isOptOutFor(question: Question, message: Arrival): boolean {
	return message.isOptOut && readAnswer(message.text, question) === undefined;
}

/** The maximum length of one reply, characters: all replies together must fit into one request, see maxText. */
export function roomFor({ people }: Run): number {
	return Math.min(maxText, Math.floor(maxTextOfAll / people.size));
}

/** When a run has to be handled next, ms since 1970: it gets its replies, or its asker counts as dead. */
export function dueAt({ isWhole, heardAt, until, people }: Run): number {
	if (!isWhole) return heardAt + leaseMs + 1;
	let last = 0;
	for (const { messages, moreUntil = 0 } of people.values()) {
		if (messages.length === 0) return until;
		last = Math.max(last, moreUntil);
	}
	return Math.min(last, until);
}

/** What n8n's response to a call says of an execution. */
export type RunState =
	| 'accepted' // it has taken the replies
	| 'waiting'
	| 'running' // n8n is carrying it out, or cannot continue it from what it has stored of it so far
	| 'finished' // it has ended without an error
	| 'stopped' // it has ended with an error, or a user has stopped it
	| 'gone' // it does not exist, or waits for something else
	| 'unknown'; // anything else, e.g. a page of a proxy

/**
 * What a state means for a run. `got`: it has its replies; `over`: it can get none any more; `open`: not certain.
 * @param mayHaveGot whether a call may have given the run its replies
 */
export function fateOf(
	run: Run,
	state: RunState,
	mayHaveGot: boolean,
	now: number,
): 'got' | 'over' | 'open' {
	const isEnded = ['finished', 'stopped', 'gone'].includes(state);
	// Before n8n ends the wait itself, only the inbox can have ended it without an error.
	const mayBeGot = state === 'finished' || (state === 'gone' && mayHaveGot);
	if (state === 'accepted' || (mayBeGot && now <= run.until + graceMs)) return 'got';
	// If a response was lost, the run may be running with its replies. Its end will tell.
	const hasDied = state === 'running' && !mayHaveGot && now > run.heardAt + leaseMs;
	return isEnded || hasDied || isPast(run, now) ? 'over' : 'open';
}

/** Whether n8n itself has certainly ended the wait of a run, or the asker counts as dead before all were asked. */
export function isPast({ isWhole, until, heardAt }: Run, now: number): boolean {
	return now > (isWhole ? until + 2 * graceMs : heardAt + leaseMs);
}

function replyOf({ questions }: Run, { messages, question }: Person): Message[] {
	return questions[question].groupMs > 0 ? messages : messages.slice(0, 1);
}

/** What a run gets: a copy of it, with the first message of each reply, or with all if messages are grouped. */
export function handOverOf(run: Run): Run {
	const people = [...run.people].map(([item, person]): [number, Person] => [
		item,
		{ ...person, messages: replyOf(run, person) },
	]);
	return { ...run, people: new Map(people) };
}
