/** Reads a reply as the expected kind of answer. Says what is written to a person whose reply is not valid. */
import { DateTime } from 'luxon';
import { z } from 'zod';

import { foldText, trimPunctuation } from '../foldText';
import { readApproval } from '../readApproval';
import type { AnswerKind, Expected, ExpectedAnswer } from '../operations/sending/questionFields';
import { withLatinDigits } from '../phone/readPhone';

/** The answer as a value: the chosen text, true or false, a number, an address, a date as yyyy-MM-dd. */
export type AnswerValue = string | number | boolean | null;

/** Reads an answer. @param text null for a message without text @returns undefined if it is not valid */
export function readAnswer(text: string | null, expected: Expected): AnswerValue | undefined {
	const trimmed = text?.trim() ?? '';
	const readers: Record<AnswerKind, () => AnswerValue | undefined> = {
		freeText: () => text,
		approval: () => readApproval(trimmed, expected.yesWords, expected.noWords),
		choice: () => readChoice(trimmed, expected.choices),
		number: () => readNumber(withLatinDigits(trimmed)),
		email: () => emailSchema.safeParse(trimmed.replace(/^mailto:/i, '')).data,
		date: () => readDate(withLatinDigits(trimmed), expected.isDayFirst),
	};
	return readers[expected.kind]();
}

const emailSchema = z.string().email();

/** A text for comparison, without punctuation at its ends. */
function plain(text: string, fold = foldText): string {
	return trimPunctuation(fold(withLatinDigits(text)));
}

/** The choice that equals a text apart from punctuation; undefined for a text of punctuation only, such as *** or -. */
function findChoice(text: string, choices: string[], fold?: (text: string) => string) {
	const wanted = plain(text, fold);
	return wanted === '' ? undefined : choices.find((choice) => plain(choice, fold) === wanted);
}

/**
 * A text may also be the number of a choice. If all choices begin with digits, 3 may mean the third choice or one that
 * begins with 3, so it counts only if both are the same.
 */
function readChoice(text: string, choices: string[]): string | undefined {
	const named =
		choices.find((choice) => choice === text) ??
		findChoice(text, choices, (one) => one.normalize().toLowerCase()) ?? // the choices may differ only in accents
		findChoice(text, choices);
	const place = /^\d{1,3}$/.test(plain(text)) ? Number(plain(text)) : 0;
	const numbered = choices[place - 1];
	const isClear = !haveDigits(choices) || Number.parseInt(numbered) === place;
	return named ?? (isClear ? numbered : undefined);
}

function haveDigits(choices: string[]): boolean {
	return choices.every((choice) => /^[+-]?\d/.test(choice));
}

/** A number with a decimal point or comma. 1,234 and 1.234 do not count: the sign may also separate thousands. */
function readNumber(text: string): number | undefined {
	const written = text
		.replace(/[\s'’]/g, '')
		.replace('−', '-')
		.replace('٫', '.');
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

/** What is written to a person whose reply is not valid. */
export function repetitionOf({ kind, choices, repeatText }: ExpectedAnswer): string {
	if (repeatText) return repeatText;
	const number = (index: number) => (haveDigits(choices) ? '' : `${index + 1}) `);
	const wanted: Record<AnswerKind, string> = {
		approval: 'yes or no',
		choice: `one of these: ${choices.map((choice, index) => `${number(index)}${choice}`).join(', ')}`,
		date: 'a date, e.g. 2030-01-31',
		email: 'an email address',
		freeText: 'a text',
		number: 'a number in digits',
	};
	return `Sorry, I did not understand that. Please answer with ${wanted[kind]}.`;
}

/** The line in n8n's log if a question may not have been repeated. */
export function notRepeated(reason: string): string {
	return `The reply was not valid, and Send and Wait could not ask again: ${reason}`;
}

/** Maximum number of messages in one reply. Later ones are ordinary messages. */
export const maxMessages = 50;

/** The text of all messages; null if none has any. */
export function textOf(messages: Array<{ text: string | null }>): string | null {
	const texts = messages.flatMap(({ text }) => text ?? []);
	return texts.length > 0 ? texts.join('\n') : null;
}
