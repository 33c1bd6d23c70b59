/** Reads a reply as the expected kind of answer. Says what is written to a person whose reply is not valid. */
import { isEqual } from 'lodash';
import { z } from 'zod';

import type { AnswerKind, Expected, ExpectedAnswer } from '../operations/sending/questionFields';
import { withLatinDigits } from '../phone/readPhone';
import { approvalWords, certainWords, readApproval } from '../readApproval';
import { areNumbered, readChoice } from './readChoice';
import { readDate } from './readDate';
import { type Replier, customsOf, todaysOf } from './replier';

/** The answer as a value: the chosen text, true or false, a number, an address, a date as yyyy-MM-dd. */
export type AnswerValue = string | number | boolean | null;

/**
 * Reads an answer. What can mean two things is not valid: the person is asked again.
 * @param text null for a message without text
 * @returns undefined if it is not valid
 */
export function readAnswer(
	text: string | null,
	expected: Expected,
	replier: Replier,
): AnswerValue | undefined {
	const trimmed = text?.trim() ?? '';
	const readers: Record<AnswerKind, () => AnswerValue | undefined> = {
		freeText: () => text,
		approval: () => readYesOrNo(trimmed, expected, replier),
		choice: () => readChoice(trimmed, expected.choices),
		number: () => readNumber(withLatinDigits(trimmed)),
		email: () => emailSchema.safeParse(trimmed.replace(/^mailto:/i, '')).data,
		date: () => {
			const { dates, isClear } = readDate(trimmed, expected, replier);
			return isClear ? dates[0] : undefined;
		},
	};
	return readers[expected.kind]();
}

const emailSchema = z.string().email();

function readYesOrNo(
	text: string,
	{ yesWords, noWords }: Expected,
	{ phone }: Replier,
): boolean | undefined {
	const [language = ''] = customsOf(phone).locale?.split('-') ?? [];
	return readApproval(text, certainWords(yesWords, language), certainWords(noWords, language));
}

/** A number with a decimal point or comma. 1,234 and 1.234 do not count: the sign may also separate thousands. */
function readNumber(text: string): number | undefined {
	const written = withoutGroups(text).replace('−', '-').replace('٫', '.');
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

/** Takes out spaces or apostrophes that separate groups of three digits: 1 000,50. Others separate two numbers: 10 12, 5'11. */
function withoutGroups(text: string): string {
	const [groups] = /^[+\-−]?\s?\d{1,3}(?:([\s'’])\d{3})(?:\1\d{3})*(?!\d)/u.exec(text) ?? [''];
	return groups.replace(/[\s'’]/g, '') + text.slice(groups.length);
}

/** What is written to a person after a reply that is not valid: words of the question's author, and signs. */
export function repetitionOf(
	expected: ExpectedAnswer,
	text: string | null,
	replier: Replier,
): string {
	const { kind, repeatText, questionText } = expected;
	const dates = kind === 'date' ? readDate(text?.trim() ?? '', expected, replier).dates : [];
	const words = repeatText || `❓ ${questionText}`.trim();
	const shown = dates.map((date) => `📅 ${writeDate(date, words, replier)}`);
	if (shown.length === 0 && !repeatText) shown.push(...hintsFor(expected, words, replier));
	return [words, ...shown].join('\n');
}

/** What an answer looks like, without words: they would have to be in the language of the question. */
function hintsFor(expected: ExpectedAnswer, words: string, replier: Replier): string[] {
	const { choices, yesWords, noWords } = expected;
	const hints: Record<AnswerKind, () => string[]> = {
		approval: () =>
			isEqual([yesWords, noWords], [approvalWords.yes, approvalWords.no])
				? ['👍 / 👎']
				: [[yesWords[0] ?? '👍', noWords[0] ?? '👎'].join(' / ')],
		choice: () =>
			choices.map((choice, index) => (areNumbered(choices) ? `${index + 1}) ${choice}` : choice)),
		date: () => {
			const [today] = todaysOf(replier, expected.timeZone);
			if (today === undefined) return [];
			const after = (days: number) => new Date(Date.parse(today) + days * 24 * 60 * 60_000);
			const examples = exampleDays.map((days) =>
				writeDate(after(days).toISOString().slice(0, 10), words, replier),
			);
			return [`📅 ${examples.join(', ')}, …`];
		},
		email: () => ['…@…'],
		freeText: () => [],
		number: () => ['1, 2, 3, …'],
	};
	return hints[expected.kind]();
}

/** The examples of dates are a week away. One date alone would look like a proposal. */
const exampleDays = [7, 8];
const latin = /\p{Script=Latin}/u;
const notLatin = /(?!\p{Script=Latin})\p{L}/u;

/** A date with the name of its month, in the language of the person's country if the question has its letters. */
function writeDate(date: string, question: string, { phone }: Replier): string {
	const write = (locale: string) =>
		new Intl.DateTimeFormat(locale, {
			...{ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
			...{ calendar: 'gregory', numberingSystem: 'latn' },
		}).format(Date.parse(date));
	const local = write(customsOf(phone).locale ?? 'en-GB');
	const isLatin = latin.test(question) || !notLatin.test(question);
	if (!notLatin.test(local)) return isLatin ? local : date;
	return notLatin.test(question) ? local : write('en-GB');
}

/** The line in n8n's log if a question may not have been repeated. */
export function notRepeated(reason: string): string {
	return `The reply was not valid, and Send and Wait could not ask again: ${reason}`;
}

/** Maximum number of messages in one reply. Later ones are ordinary messages. */
export const maxMessages = 50;

/** The text of all messages; null if none has any. */
export function joinTexts(messages: Array<{ text: string | null }>): string | null {
	const texts = messages.flatMap(({ text }) => text ?? []);
	return texts.length > 0 ? texts.join('\n') : null;
}
