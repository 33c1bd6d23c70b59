/** The rules of runs that wait (README.md). Without n8n, clock or network: test/unit/simulation runs this code. */
import { z } from 'zod';

import { type QuestionSettings } from '../operations/sending/questionFields';
import { readAnswer, joinTexts } from './answers';

/** A message of a person, with the fields that are stored. What a message does not have is absent, here and below. */
export const messageSchema = z.object({
	/** The same for all deliveries of the message. */
	key: z.string(),
	/** null for a message without text. */
	text: z.string().nullable(),
	isCut: z.literal(true).optional(),
	messageId: z.string().optional(),
	/** Time of the message as the service writes it, or of its arrival. */
	respondedAt: z.string(),
	/** Whether it is nothing but an opt-out word such as STOP. As a stored reply: and no answer that was asked for. */
	isOptOut: z.literal(true).optional(),
});
export type Message = z.infer<typeof messageSchema>;

/** A message that arrives, as JSON: triggers send it to the inbox. */
export const arrivalSchema = messageSchema.extend({
	/** The key of the phone, see samePhoneKey; or the name of a sender without a number; empty if the service shows neither. */
	phone: z.string(),
	/** The ID of the message that it quotes. */
	quoted: z.string().optional(),
	/** The latest time at which it can have been written, by the service's clock, ms since 1970. */
	time: z.number().optional(),
	/** Whether the service identifies the message, so that equal keys mean the same message. */
	isCertain: z.boolean(),
	/** Whether it has neither a text nor a file, e.g. a reaction. */
	isEmpty: z.literal(true).optional(),
});
export type Arrival = z.infer<typeof arrivalSchema>;

/** A message about which the inbox decides. */
export interface Arrived extends Arrival {
	/** When it first arrived at its trigger, by the inbox's clock, ms. It was not written later. */
	firstAt: number;
}

/** Who wrote a message, as far as it is known. */
export type Sender = Pick<Arrival, 'phone' | 'quoted'>;

/** The answer that a question expects, and the question itself. */
export interface Question extends Omit<QuestionSettings, 'limitMs'> {
	/** The beginning of the question or its template's name, for late replies. Empty if a run has too many beginnings. */
	asked: string;
}

/** A message after which the question was repeated, or an opt-out word that is no answer. */
export interface Misfit extends Message {
	/** The ID of the message that repeated the question, if the service gave one. */
	askedAgain?: string;
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
	 * Messages that were written before are ordinary. By the service's clock, ms since 1970: when the inbox was told;
	 * once it is told again, when the question was sent, if the service shows it. 0 if neither is known.
	 */
	since: number;
	/** When the inbox was told, by its clock, ms. Messages that had arrived before are ordinary. */
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
	/** Whether somebody has ended the wait for this person. */
	isEnded?: true;
	/** What the person has written that is no reply, in the order of arrival. Without a reply, the last one is output. */
	misfits: Misfit[];
}

/** A run of Send and Wait asks people, then waits (`isAsked`). When it has its replies or is over, it is forgotten. */
export interface Run {
	id: string;
	/** The signed URL that resumes the execution. */
	url: string;
	/** The name of its workflow, maybe cut. */
	workflow: string;
	/** When it began to ask, ms since 1970. */
	startedAt: number;
	/** Until when replies count, ms since 1970, once all people were asked. */
	until: number;
	/** When it last called the inbox, ms since 1970; after a restart of n8n, when the inbox woke. */
	heardAt: number;
	/** Whether all people were asked. */
	isAsked: boolean;
	/** Whether n8n has said that the run waits. Only then does the run get its replies. */
	hasWaited?: true;
	questions: Question[];
	people: Map<number, Person>;
	/** Whether the run is being given its replies, so that it takes no more. Not stored. */
	isHandingOver?: true;
}

/** A reply that came too late for its run. It starts the workflow of the inbox. */
export const lateSchema = z.object({
	/** As in Person. */
	to: z.string(),
	sender: z.string().optional(),
	askedMessageId: z.string().nullable(),
	/** The beginning of the question, see Question. */
	asked: z.string(),
	message: messageSchema,
});
export type Late = z.infer<typeof lateSchema>;

/** What a message is. `busy`: this is not known yet, and the service has to deliver again. */
export const verdictSchema = z.object({
	is: z.enum(['taken', 'ordinary', 'busy']),
	/** Whether the message starts workflows although it is a reply. */
	startsToo: z.literal(true).optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;

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
function isOpen({ isAsked, until, isHandingOver }: Run, now: number): boolean {
	return !isHandingOver && (!isAsked || now < until);
}

/** Whether the run waits for the reply of a person. */
export function isAwaited({ messages, isEnded }: Person): boolean {
	return messages.length === 0 && !isEnded;
}

/** What a message means: a reply, words that are no answer, or an ordinary message. */
export type Decision =
	| ({ is: 'reply'; isValid: boolean } & Asked)
	/** The person is asked again. */
	| ({ is: 'repeat' } & Asked)
	/** An opt-out word that is no answer: it starts workflows, and the person is not asked again. */
	| ({ is: 'optOut' } & Asked)
	/** `isTooOld`: only because of its time, it is no reply. */
	| { is: 'ordinary'; isTooOld?: true };

/**
 * Decides on a new message. The latest of the questions that it fits gets it, otherwise the latest.
 * @param asked the questions to its sender, the latest first
 */
export function decideOn(asked: Asked[], message: Arrived, now: number): Decision {
	if (message.isEmpty) return { is: 'ordinary' };
	const open = asked.filter(({ run, person }) => {
		const isTaking = isAwaited(person) || now < (person.moreUntil ?? 0);
		return isOpen(run, now) && isTaking && message.firstAt >= person.toldAt;
	});
	const asking = open.filter(({ person }) => (message.time ?? Infinity) >= person.since);
	if (asking.length === 0)
		return { is: 'ordinary', ...(open.length > 0 && { isTooOld: true as const }) };
	const fitting = asking.find(({ run, person }) => {
		const text = joinTexts([...person.messages, message]);
		const replier = { phone: person.to, times: [message.respondedAt, message.firstAt] };
		return readAnswer(text, run.questions[person.question], replier) !== undefined;
	});
	if (fitting) return { is: 'reply', isValid: true, ...fitting };
	const [latest] = asking;
	if (message.isOptOut) return { is: 'optOut', ...latest };
	const { run, person } = latest;
	const repeated = person.misfits.filter(({ isOptOut }) => !isOptOut).length;
	const isLast = repeated >= run.questions[person.question].repeats;
	// What follows "yes" within one reply, e.g. "but not today", belongs to it although they do not fit together.
	return isLast || person.messages.length > 0
		? { is: 'reply', isValid: false, ...latest }
		: { is: 'repeat', ...latest };
}

/** The maximum length of one reply, characters: all replies together must fit into one request, see maxText. */
export function roomFor({ people }: Run): number {
	return Math.min(maxText, Math.floor(maxTextOfAll / people.size));
}

/** When a run has to be handled next, ms since 1970: it gets its replies, or its asker counts as dead. */
export function dueAt({ isAsked, heardAt, until, people }: Run): number {
	if (!isAsked) return heardAt + leaseMs + 1;
	let last = 0;
	for (const person of people.values()) {
		if (isAwaited(person)) return until;
		last = Math.max(last, person.moreUntil ?? 0);
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
export function isPast({ isAsked, until, heardAt }: Run, now: number): boolean {
	return now > (isAsked ? until + 2 * graceMs : heardAt + leaseMs);
}

/** What a person has replied: without a reply, the last words. */
function replyOf({ questions }: Run, { messages, misfits, question }: Person): Message[] {
	if (messages.length === 0) return misfits.slice(-1);
	return questions[question].groupMs > 0 ? messages : messages.slice(0, 1);
}

/** What a run gets: a copy of it, with the first message of each reply, or with all if messages are grouped. */
export function handOverOf(run: Run): Run {
	const people = [...run.people].map(([item, person]): [number, Person] => {
		const misfits = person.misfits.filter(({ isOptOut }) => isOptOut);
		return [item, { ...person, messages: replyOf(run, person), misfits }];
	});
	return { ...run, people: new Map(people) };
}
