/** Reads a reply as the expected kind of answer, and repeats the question. */
import { isEqual, sortBy, sumBy, trim, uniqWith } from 'lodash';
import { DateTime } from 'luxon';
import type { IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { endpoints } from '../api/endpoints';
import type { EventEnvelope } from '../api/events';
import { BoundedMap } from '../boundedMap';
import { asText } from '../api/read';
import type { AnswerKind, Expected, ExpectedAnswer } from '../operations/message/question';
import { asFailure, isRefusedContent } from '../transport/errors';
import { samePhoneKey } from '../phone/compare';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import type { Answer, AnswerMessage } from './question';
import { latestTimeOf, readEvent } from './simpleEvent';

/** The answer as a value: the chosen text, true or false, a number, an address, a date as yyyy-MM-dd. */
export type AnswerValue = string | number | boolean | null;

/**
 * Reads an answer.
 *
 * @param text null for a message without text
 * @returns undefined if it does not fit the question
 */
export function readAnswer(text: string | null, expected: Expected): AnswerValue | undefined {
	const trimmed = text?.trim() ?? '';
	const readers: Record<AnswerKind, () => AnswerValue | undefined> = {
		freeText: () => text,
		approval: () => readApproval(trimmed, expected),
		choice: () => readChoice(trimmed, expected.choices),
		number: () => readNumber(trimmed),
		email: () => emailSchema.safeParse(trimmed.replace(/^mailto:/i, '')).data,
		date: () => readDate(trimmed, expected.isDayFirst),
	};
	return readers[expected.kind]();
}

const emailSchema = z.string().email();
const marks = ' \t\n\r"\'.,;:!?¡¿()*_-';

/** Ignores case, punctuation at the ends, and variants of the same character. */
function plain(text: string): string {
	const variants = /[\ufe0f\u{1f3fb}-\u{1f3ff}]/gu;
	return trim(text.normalize('NFKC').toLocaleLowerCase('en'), marks).replace(variants, '');
}

function readApproval(text: string, { yesWords, noWords }: Expected): boolean | undefined {
	const isAmong = (words: string[]) => words.some((word) => isSameAnswer(word, text));
	if (isAmong(yesWords)) return true;
	return isAmong(noWords) ? false : undefined;
}

/** Signs alone, such as *** or -, are compared as they are. */
function isSameAnswer(expected: string, text: string): boolean {
	return expected === text || (plain(text) !== '' && plain(expected) === plain(text));
}

/**
 * One of the choices as it was written in the node, also by its number in the list. Where all choices begin with digits, 3 may
 * mean the third or the number 3, so it counts only if it is both.
 */
function readChoice(text: string, choices: string[]): string | undefined {
	const named =
		choices.find((choice) => choice === text) ??
		choices.find((choice) => isSameAnswer(choice, text));
	const place = /^\d{1,3}$/.test(plain(text)) ? Number(plain(text)) : 0;
	const numbered = choices[place - 1];
	const isClear = !haveDigits(choices) || Number.parseInt(numbered) === place;
	return named ?? (isClear ? numbered : undefined);
}

function haveDigits(choices: string[]): boolean {
	return choices.every((choice) => /^[+-]?\d/.test(choice));
}

/** A number with point or comma. With a single one that may separate thousands (1,234), the number is ambiguous and does not count. */
function readNumber(text: string): number | undefined {
	const written = text.replace(/[\s'’]/g, '').replace('−', '-');
	// A longer number would lose digits.
	if (/^[+-]?\d+$/.test(written))
		return Number.isSafeInteger(Number(written)) ? Number(written) : undefined;
	const isGrouped = /^[+-]?\d{1,3}(?:(?:,\d{3}){2,}|(?:\.\d{3}){2,})$/.test(written);
	if (isGrouped) return Number(written.replace(/[.,]/g, ''));
	const decimal =
		/^([+-]?(?:\d+|\d{1,3}(?:,\d{3})+))\.(\d+)$/.exec(written) ??
		/^([+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)),(\d+)$/.exec(written);
	if (!decimal) return undefined;
	const [, whole, fraction] = decimal;
	const isAmbiguous = /^[+-]?[1-9]\d{0,2}$/.test(whole) && fraction.length === 3;
	return isAmbiguous ? undefined : Number(`${whole.replace(/[.,]/g, '')}.${fraction}`);
}

function readDate(text: string, isDayFirst: boolean): string | undefined {
	const formats = [
		...['yyyy-M-d', 'yyyy/M/d', 'd.M.yyyy', 'd. M. yyyy'],
		...(isDayFirst ? ['d/M/yyyy', 'd-M-yyyy'] : ['M/d/yyyy', 'M-d-yyyy']),
		...['d MMMM yyyy', 'd MMM yyyy', 'MMMM d, yyyy', 'MMM d, yyyy'],
	];
	const dates = formats.map((format) =>
		DateTime.fromFormat(text, format, { locale: 'en', zone: 'utc' }),
	);
	return dates.find(({ isValid }) => isValid)?.toISODate() ?? undefined;
}

/** What is written to a person whose reply does not fit, unless the user has set a text. */
function repeatText({ kind, choices }: Expected): string {
	const number = (index: number) => (haveDigits(choices) ? '' : `${index + 1}) `);
	const wanted: Record<AnswerKind, string> = {
		approval: 'yes or no',
		choice: `one of these: ${choices.map((choice, index) => `${number(index)}${choice}`).join(', ')}`,
		date: 'a date, e.g. 2030-01-31',
		email: 'an e-mail address',
		freeText: 'a text',
		number: 'a number in digits',
	};
	return `Sorry, I did not understand that. Please answer with ${wanted[kind]}.`;
}

/** Longer replies are cut, so that those of all people fit into one request to n8n, which accepts 16 MB. */
const maxText = 4_000;
const maxTextOfAll = 4_000_000;
/** Maximum number of messages in one reply. Later ones are ordinary messages. */
const maxMessages = 50;

/** How often this process has repeated a question, by run and item. */
const repeated = new BoundedMap<string, number>({ maxSize: 10_000 });

/** Identifies the phone that a message comes from; undefined for any other event. */
export function senderOf(event: EventEnvelope): string | undefined {
	const { event: kind, from } = readEvent(event);
	return kind === 'message.received' ? samePhoneKey(asText(from)) || undefined : undefined;
}

/** Whether a message was written before the question, according to the service's times, which may be rounded down. */
export function isEarlier(event: EventEnvelope, askedTime: number): boolean {
	return latestTimeOf(event) < askedTime;
}

/** Whether a message is a word such as STOP and no answer: the workflow that records opt-outs has to get it. */
export function isOptOut(event: EventEnvelope, expected: Expected): boolean {
	const { intent, text } = readEvent(event);
	return intent === 'optOut' && readAnswer(asText(text), expected) === undefined;
}

/** The text of all messages; null if none has any. */
export function textOf({ messages }: Pick<Answer, 'messages'>): string | null {
	const texts = messages.flatMap(({ text }) => text ?? []);
	return texts.length > 0 ? texts.join('\n') : null;
}

function toAnswer(
	event: EventEnvelope,
	{ expected, people }: OpenQuestion,
	earlier: AnswerMessage[] = [],
): Answer {
	const { text, messageId, time } = readEvent(event);
	const words = typeof text === 'string' ? text : null;
	const room = Math.min(maxText, Math.floor(maxTextOfAll / people)) - sumBy(earlier, lengthOf);
	const message: AnswerMessage = {
		text: words?.slice(0, room) ?? null,
		...((words?.length ?? 0) > room && { isCut: true }),
		messageId: messageId?.slice(0, maxText),
		respondedAt: asText(time).slice(0, maxText) || new Date().toISOString(),
	};
	const messages = uniqWith([...earlier, message], isEqual);
	const isOpen = expected.groupMs > 0 && messages.length < maxMessages && !message.isCut;
	return {
		messages,
		isAccepted: readAnswer(textOf({ messages }), expected) !== undefined,
		...(isOpen && { until: Date.now() + expected.groupMs }),
	};
}

function lengthOf({ text }: AnswerMessage): number {
	return text?.length ?? 0;
}

/**
 * Merges what two processes know of one answer: the messages of both if they are grouped, otherwise one of them, the same
 * in both processes.
 */
export function mergeAnswers(one: Answer | null, other: Answer | null): Answer | null {
	if (!one || !other) return one ?? other;
	const [first, second] = sortBy([one, other], (answer) => JSON.stringify(answer.messages));
	if (!first.until || !second.until) return first;
	const messages = uniqWith([...first.messages, ...second.messages], isEqual);
	const until = Math.max(first.until, second.until);
	return { ...first, messages: sortBy(messages, 'respondedAt'), until };
}

/** A question to a person. */
export interface OpenQuestion {
	run: string;
	item: number;
	/** E.164. */
	to: string;
	expected: ExpectedAnswer;
	/** How many are asked in the run. */
	people: number;
}

/**
 * Accepts a message as the answer, or repeats the question if it does not fit.
 *
 * @param earlier messages of the answer so far
 * @returns undefined if the question was repeated
 * @throws ServiceError if repeating it failed
 */
export async function takeAnswer(
	context: IWebhookFunctions,
	event: EventEnvelope,
	question: OpenQuestion,
	earlier?: AnswerMessage[],
): Promise<Answer | undefined> {
	const answer = toAnswer(event, question, earlier);
	// Whoever wants no more messages is not asked again.
	if (answer.isAccepted || isOptOut(event, question.expected)) return answer;
	return (await repeatQuestion(await connect(context), question)) ? undefined : answer;
}

/** @returns false if it was repeated often enough, or the service does not accept the text for this person now or later */
async function repeatQuestion(
	client: Client,
	{ run, item, to, expected }: OpenQuestion,
): Promise<boolean> {
	const place = `${run} ${item}`;
	const times = repeated.get(place) ?? 0;
	if (times >= expected.repeats) return false;
	const body = { to, text: expected.repeatText || repeatText(expected) };
	const failure = await client.call(endpoints.sendText, { body }).then(() => undefined, asFailure);
	const isRefused: boolean = isRefusedContent(failure);
	if (isRefused) return false;
	if (failure?.sendStatus === 'notSent') throw failure;
	repeated.set(place, times + 1);
	return true;
}
