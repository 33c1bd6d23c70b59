/**
 * Runs that wait for replies, and the rules: what a message means, when a run gets its replies, when it is over. No n8n,
 * no clock, no network: the simulation in test/unit/simulation/inbox runs exactly this code. README.md has the states.
 */
import type { QuestionSettings } from '../operations/sending/questionFields';
import { readAnswer, textOf } from './answers';

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
	/** Whether it also starts workflows although it is a reply: a word such as STOP after a question for free text. */
	startsToo?: true;
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
	/** When it first arrived at its trigger, by the clock of n8n, ms since 1970: later than this time, it was not written. */
	firstAt: number;
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
	/**
	 * Messages that were written before this time are ordinary: by the service's clock, ms since 1970. It is the time at
	 * which the question was sent, if the service shows it, otherwise the time at which the inbox was told.
	 */
	since: number;
	/** When the inbox was told, by the clock of n8n, ms since 1970. Messages that had arrived before are ordinary. */
	toldAt: number;
	/** ID of the message that asks the question; null if the service gave none. */
	askedMessageId: string | null;
	/** The name of the person, if the service hides the number. It is known once the person has quoted the question. */
	sender?: string;
	/** The reply, in the order of arrival: one message, or several if messages are grouped. */
	messages: Message[];
	/** Whether the reply fits the question. */
	isValid?: boolean;
	/** Until when further messages belong to the reply, ms since 1970. */
	moreUntil?: number;
	/** Keys of the messages after which the question was repeated. */
	repeatedAfter: string[];
}

/** A run of Send and Wait. It asks people, and then it waits (`isWhole`). When it has its replies or is over, it is forgotten. */
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
	/** Whether all people were asked, so that nobody else will be. */
	isWhole: boolean;
	/** Whether n8n has said that it waits. Then it does not exist any more only because it has its replies, or a user has deleted it. */
	hasWaited?: true;
	questions: Question[];
	people: Map<number, Person>;
	/** The output of the items that asked nobody. The run needs it for its own output. */
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
 * The greatest length of one reply, and of all replies of a run; longer ones are cut. All replies must fit into one
 * request to n8n, which accepts 16 MB: a character takes up to three bytes, in base64.
 */
export const maxText = 4_000;
const maxTextOfAll = 3_000_000;

/** How long a run that asks counts as alive after its last call, and how long n8n may take to store that a run waits, ms. */
export const leaseMs = 120_000;
/** How long after the time limit n8n itself ends a wait that nothing else has ended, ms. */
export const graceMs = 60_000;

/** Whether a run may get replies. Its time limit begins when all people were asked; until then, the inbox ends it if its asker is silent. */
function isOpen({ isWhole, until }: Run, now: number): boolean {
	return !isWhole || now <= until;
}

/** What a message means: a reply, a reason to repeat the question, or an ordinary message. */
export type Decision =
	| ({ is: 'reply'; isValid: boolean } & Asked)
	| ({ is: 'repeat' } & Asked)
	| { is: 'ordinary' };

/**
 * Decides what a message means that was not decided before.
 *
 * @param asked the questions to its sender: first the one that the message quotes, then the others, the latest first
 */
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

/**
 * Whether a message is an opt-out word such as STOP and does not answer the question. Then the workflow that records
 * opt-outs has to get it.
 */
function isOptOutFor(question: Question, message: Arrival): boolean {
	return message.isOptOut && readAnswer(message.text, question) === undefined;
}

/** The greatest length of one reply, characters: the replies of all people together must fit into one request to n8n. */
export function roomFor({ people }: Run): number {
	return Math.min(maxText, Math.floor(maxTextOfAll / people.size));
}

/** When a run has to be handled next: its asker counts as dead, or it gets its replies, ms since 1970. */
export function dueAt({ isWhole, heardAt, until, people }: Run): number {
	if (!isWhole) return heardAt + leaseMs + 1;
	let last = 0;
	for (const { messages, moreUntil = 0 } of people.values()) {
		if (messages.length === 0) return until;
		last = Math.max(last, moreUntil);
	}
	return Math.min(last, until);
}

/**
 * What n8n responds to a call of an execution. `accepted`: it has taken the replies. `waiting`: it waits. `running`:
 * n8n is carrying it out, or cannot continue it from what it has stored of it so far. `finished`: it has ended without
 * an error. `stopped`: it has ended with an error, or a user has stopped it. `gone`: it does not exist, or waits for
 * something else. `unknown`: anything else, e.g. a page of a proxy.
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
 * What follows from the response of n8n to a call of a run. `got`: the run has its replies. `over`: it can get none any
 * more. `open`: neither is certain.
 *
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

/** Whether n8n itself has certainly ended the wait of a run, or the asker was killed before all were asked. */
export function isPast({ isWhole, until, heardAt }: Run, now: number): boolean {
	return now > (isWhole ? until + 2 * graceMs : heardAt + leaseMs);
}

/** The messages of a person's reply that the run gets: the first one, or all if messages are grouped. */
function replyOf({ questions }: Run, { messages, question }: Person): Message[] {
	return questions[question].groupMs > 0 ? messages : messages.slice(0, 1);
}

/** The copy of a run that the run itself gets. */
export function handOverOf(run: Run): Run {
	const people = [...run.people].map(([item, person]): [number, Person] => [
		item,
		{ ...person, messages: replyOf(run, person) },
	]);
	return { ...run, people: new Map(people) };
}
