/** Phone numbers as people write them. */
import { compact, uniq } from 'lodash';

import { type NumberingPlan, planOf, plansFor, withoutTrunk } from './plans';

/** In place of a country: the numbers are international, but without the `+`. */
export const plusMissing = 'plusMissing';

/** A number in E.164 (`+` and digits), the extension that it leaves out, and hints for the user; or what is wrong with the text. */
export type PhoneReading =
	| { e164: string; extension?: string; hints: string[] }
	| { e164?: undefined; extension?: undefined; problem: string; detail?: string };

/** Invisible characters that word processors and chat apps put into texts. */
const hidden = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
/** Spaces of every kind, dots, brackets, slashes and dashes of every kind. */
const decoration = /[\s.()[\]/\u2010-\u2015\u2212\u30fc-]/g;
/** RFC 3966: a number and parameters. */
const telUri = /^(?:tel:)?([^;]*)((?:;[a-z-]+(?:=[^;]*)?)*)$/i;
const extensionAtEnd = /(?:ext(?:ension|n)?|x|#)[\s.:]*(\d{1,7})$/i;
const afterPlus = /^[([]?(?:\+|00)([^+]*)$/;
/** How spreadsheets write long numbers, e.g. 4.477E+11. */
const shortForm = /^['’]?\+?\d{1,2}(?:[.,]\d{1,20})?e\+?\d{1,2}$/i;
const noNumber: PhoneReading = { problem: 'is not a phone number' };
const lostDigits: PhoneReading = {
	problem: 'has lost digits: a spreadsheet shortened it',
	detail: 'In the spreadsheet, format the column as text, enter the numbers and export again.',
};
/** The end of a number that may be an extension, a second number, or the .0 of a spreadsheet. */
const doubtfulEnd = /(?:\([^()]*\)|\[[^[\]]*\]|[/\n][^/\n]*|\.0)$/;
/** The end that a spreadsheet adds to a number. Somebody who writes dots between digits writes several. */
const decimals = /^[^.]*\d{4}(\.0{1,9})$/;

/** E.g. US.13491208655302741918 or 132857201@lid. Each part of the pattern is bounded and none overlaps the next. */
const personId = /^(?=\D{0,127}\d)[\w.:=|~-]{6,128}(?:@[a-z]{1,20})?$/i;

/** Whether a text is what services send instead of a hidden number: an ID, or more digits than a number has. */
export function isPersonId(text: string): boolean {
	return personId.test(text) && (/^\d{16,}$/.test(text) || readPhone(text) === noNumber);
}

/**
 * Reads a phone number. A number that can mean two phones is a problem.
 * @param country ISO code of the country whose local numbers are read, or `plusMissing`; anything else means none
 */
export function readPhone(written: string, country = ''): PhoneReading {
	if (shortForm.test(written.trim())) return lostDigits;
	const { number, extension } = takeApart(written);
	if (!/^\+?\d{1,30}$/.test(digitsOf(number))) return noNumber;
	const decimal = decimals.exec(number)?.[1];
	const end = decimal ?? doubtfulEnd.exec(number)?.[0] ?? '';
	const front = number.slice(0, number.length - end.length);
	const alone = end ? readPhone(front, country) : noNumber;
	if (alone.e164 !== undefined && isLong(alone.e164))
		return {
			problem: 'contains more than a phone number',
			detail: `Did you mean ${alone.e164}, without "${end}"?`,
		};
	if (decimal || proposesNumber(alone)) return alone;
	// in Belarus, the rest after the trunk prefix may begin with a trunk prefix again
	const [e164, other] = uniq(
		readingsOf(number, country).flatMap((one) => [one, ...readInternational(one.slice(1))]),
	);
	if (!e164) return explain(number, country, end === '');
	if (other) return { problem: 'can be two numbers', detail: `It may be ${e164} or ${other}.` };
	const isListed = readInternational(e164.slice(1)).includes(e164);
	const hints = [
		extension && `The extension ${extension} of ${e164} was left out.`,
		!isListed && `${e164} looks unusual: its country has no known numbers of this form.`,
	];
	return { e164, extension, hints: compact(hints) };
}

/** A text without invisible characters, with digits such as ５, ٥ and ५ as 0 to 9, and with other wide characters as usual ones. */
export function withLatinDigits(text: string): string {
	return text
		.replace(hidden, '')
		.replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
		.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) % 16))
		.replace(/[\u0966-\u096f\u09e6-\u09ef]/g, (digit) => String((digit.charCodeAt(0) % 16) - 6));
}

/** Separates the number from `tel:`, parameters and extension. A local number gets the prefix from the `phone-context` of its URI. */
function takeApart(written: string): { number: string; extension?: string } {
	const text = withLatinDigits(written)
		.trim()
		.replace(/^['’]\s*/, '');
	const [, main, parameters] = telUri.exec(text) ?? ['', text, ''];
	const atEnd = extensionAtEnd.exec(main);
	const number = main.slice(0, atEnd?.index).trim().replace(/,$/, '');
	const context = /;phone-context=(\+[^;]*)/i.exec(parameters)?.[1] ?? '';
	return {
		number: number.startsWith('+') ? number : context + number,
		extension: atEnd?.[1] ?? /;ext=(\d+)/i.exec(parameters)?.[1],
	};
}

/** A number with up to 8 digits may consist only of country and area code. */
const isLong = (e164: string) => e164.length > 9;

/** Whether an error says which number may be meant. */
const proposesNumber = (reading: PhoneReading) =>
	reading.e164 === undefined && /\+\d{9}/.test(reading.detail ?? '');

const digitsOf = (text: string) => text.replace(decoration, '');

/** The possible numbers in E.164: none, one, or several if the text is ambiguous. */
function readingsOf(number: string, country: string): string[] {
	const [, international] = afterPlus.exec(number) ?? [];
	if (international !== undefined) {
		const forms = [international, international.replace('(0)', '')].map(digitsOf);
		const known = uniq(forms.flatMap(readInternational));
		return known.length > 0 ? known : compact([readNewRange(forms[0])]);
	}
	const plan = planOf(country);
	if (plan) return readLocal(digitsOf(number), plan);
	return country === plusMissing ? readInternational(digitsOf(number)) : [];
}

/** Reads digits that begin with the calling code. */
function readInternational(digits: string): string[] {
	const [plan] = plansFor(digits);
	return plan ? nationalForms(digits.slice(plan.callingCode.length), plan) : [];
}

/** Reads digits that begin with the calling code as a number of a range that is newer than the table. */
function readNewRange(digits: string): string | undefined {
	const [plan] = plansFor(digits);
	if (!plan) return undefined;
	const national = digits.slice(plan.callingCode.length);
	const isPossible =
		plan.lengths.includes(national.length) && withoutTrunk(national, plan) === national;
	return isPossible ? `+${digits}` : undefined;
}

/** The known numbers in E.164 for digits without a calling code: the digits as they are, and without the trunk prefix. */
function nationalForms(digits: string, plan: NumberingPlan): string[] {
	const isKnown = (national: string) =>
		plansFor(plan.callingCode).some(
			({ lengths, pattern }) => lengths.includes(national.length) && pattern.test(national),
		);
	const forms = [digits, withoutTrunk(digits, plan)].filter(isKnown);
	return uniq(forms).map((form) => `+${plan.callingCode}${form}`);
}

/** Reads digits as they are dialled within a country: a local number, one of another country, or one without its `+`. */
function readLocal(digits: string, plan: NumberingPlan): string[] {
	const { callingCode, lengths, exitCode } = plan;
	const local = nationalForms(digits, plan).filter((one) =>
		lengths.includes(one.length - `+${callingCode}`.length),
	);
	const whole = digits.startsWith(callingCode) ? digits : '';
	const abroad = exitCode.test(digits) ? digits.replace(exitCode, '') : '';
	return uniq([...local, ...readInternational(whole), ...readInternational(abroad)]);
}

/** @param isWhole whether all digits belong to the number, so that it can be proposed with a `+` */
function explain(number: string, country: string, isWhole: boolean): PhoneReading {
	const [, international] = afterPlus.exec(number) ?? [];
	const digits = digitsOf(international ?? number);
	const [plan] = plansFor(digits);
	if (international === undefined && country !== plusMissing) {
		const [meant] = isWhole ? readInternational(digits) : [];
		const problem = planOf(country)
			? "is not a valid number for 'Default Country'"
			: 'has no country code';
		return { problem, detail: meant && `Did you mean ${meant}?` };
	}
	if (!plan) return { problem: 'does not begin with a country code' };
	const { callingCode, lengths } = plan;
	const length = digits.length - callingCode.length;
	const here = lengths.includes(length) ? '' : `, here by ${length}`;
	const detail = `+${callingCode} is followed by ${showLengths(lengths)} digits${here}.`;
	return { problem: `is not a valid number for +${callingCode}`, detail };
}

/** Numbers of digits in ascending order, with three or more in a row as a range, e.g. `7, 9 to 11`. */
function showLengths(lengths: number[]): string {
	const rows = lengths.reduce<number[][]>((before, length) => {
		const row = before.at(-1);
		if (row?.at(-1) === length - 1) row.push(length);
		else before.push([length]);
		return before;
	}, []);
	return rows
		.map((row) => (row.length > 2 ? `${row[0]} to ${row.at(-1)}` : row.join(', ')))
		.join(', ');
}
