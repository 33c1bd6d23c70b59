/** Reading what a person has answered as what was asked for. */
import { trim } from 'lodash';
import { DateTime } from 'luxon';
import { z } from 'zod';

import type { AnswerKind, Expected } from '../operations/message/question';

/** The answer as a value: the chosen text, true or false, a number, an address, a date as yyyy-MM-dd. */
export type AnswerValue = string | number | boolean | null;

/**
 * Reads an answer.
 *
 * @param text null for a message without text
 * @returns undefined if it is not what was asked for
 */
export function readAnswer(text: string | null, expected: Expected): AnswerValue | undefined {
	if (expected.kind === 'freeText') return text;
	const trimmed = text?.trim() ?? '';
	switch (expected.kind) {
		case 'approval':
			return readApproval(trimmed, expected);
		case 'choice':
			return readChoice(trimmed, expected.choices);
		case 'number':
			return readNumber(trimmed);
		case 'email':
			return z
				.string()
				.email()
				.safeParse(trimmed.replace(/^mailto:/i, '')).data;
		case 'date':
			return readDate(trimmed, expected.isDayFirst);
	}
}

const marks = ' \t\n\r"\'.,;:!?¡¿()*_-';

/** Case, marks at the ends and variants of the same sign do not matter. */
function plain(text: string): string {
	return trim(text.normalize('NFKC').toLocaleLowerCase('en'), marks).replace(/\ufe0f/g, '');
}

function readApproval(text: string, { yesWords, noWords }: Expected): boolean | undefined {
	const isAmong = (words: string[]) => words.some((word) => plain(word) === plain(text));
	if (isAmong(yesWords)) return true;
	return isAmong(noWords) ? false : undefined;
}

/** One of the choices as it was written in the node, also by its number in the list. */
function readChoice(text: string, choices: string[]): string | undefined {
	const named = choices.find((choice) => plain(choice) === plain(text));
	return named ?? (/^\d{1,3}$/.test(plain(text)) ? choices[Number(plain(text)) - 1] : undefined);
}

/** A number with point or comma. Where a single one could also part thousands (1,234), nobody can tell, so it is none. */
function readNumber(text: string): number | undefined {
	const written = text.replace(/[\s'’]/g, '').replace('−', '-');
	if (/^[+-]?\d+$/.test(written)) return Number(written);
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
	const slashes = isDayFirst ? ['d/M/yyyy', 'd-M-yyyy'] : ['M/d/yyyy', 'M-d-yyyy'];
	const formats = [
		'yyyy-M-d',
		'yyyy/M/d',
		'd.M.yyyy',
		'd. M. yyyy',
		...slashes,
		'd MMMM yyyy',
		'd MMM yyyy',
		'MMMM d, yyyy',
		'MMM d, yyyy',
	];
	const dates = formats.map((format) =>
		DateTime.fromFormat(text, format, { locale: 'en', zone: 'utc' }),
	);
	return dates.find(({ isValid }) => isValid)?.toISODate() ?? undefined;
}

/** What is written to a person whose answer does not fit, unless the user has words of their own. */
export function repeatText({ kind, choices }: Expected): string {
	const wanted: Record<AnswerKind, string> = {
		approval: 'yes or no',
		choice: `one of these: ${choices.map((choice, index) => `${index + 1}) ${choice}`).join(', ')}`,
		date: 'a date, e.g. 2030-01-31',
		email: 'an e-mail address',
		freeText: 'a text',
		number: 'a number in digits',
	};
	return `Sorry, I did not understand that. Please answer with ${wanted[kind]}.`;
}
