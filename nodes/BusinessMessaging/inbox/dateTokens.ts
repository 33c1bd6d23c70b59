/** The parts of a text in which somebody writes a date: numbers, names, times of day. */
import { type DateWord, type DateWords, beforeHour, beforeTime, harmlessWords } from './dateWords';

/** A part of a text. */
export type Token =
	| DateWord
	| { is: 'number'; text: string; isOrdinal: boolean }
	/** Two or three numbers with the same sign between them, such as 5.12. or 2026-12-05. */
	| { is: 'digits'; parts: string[]; separator: string; endsWithDot: boolean }
	| { is: 'time' };
export type Weekday = Extract<Token, { is: 'weekday' }>;
export type Month = Extract<Token, { is: 'month' }>;
export type Numeral = Extract<Token, { is: 'number' }>;
export type Digits = Extract<Token, { is: 'digits' }>;

const punctuation = /^[\s.,،、。;:!¡()*_~"“”„'\-–—]+/u;
const digits =
	/^(\d{1,4})(?: ?([./-]) ?)(\d{1,2})(?:(?: ?\2 ?)(\d{4}|\d{1,2})(?!\d))?(?![/\d])(\.)?/;
const number = /^'?(\d{1,4})(?!\d)(?:(st|nd|rd|th|er|ere|eme|ro|ra|o|a|°|\.)(?![\p{L}\p{M}\d]))?/u;
const hours = String.raw`\d{1,2}`;
const time = new RegExp(
	[
		String.raw`^(?:${hours} ?[-–] ?)?${hours}(?:[:.h]\d{2})? ?(?:am|pm|a\.m\.|p\.m\.|uhr|h|hs|hrs|o'clock)(?![\p{L}\p{M}\d])`,
		String.raw`^${hours}[:h]\d{2}(?!\d)`,
		String.raw`^${hours} ?(?:時|时|点|點|시)(?:半|\d{1,2}分)?`,
	].join('|'),
	'u',
);

/** The tokens of a text in a language, each with what it may mean; undefined if a word is not known. */
export function tokensOf(text: string, words: DateWords): Token[][] | undefined {
	const tokens: Token[][] = [];
	let at = 0;
	while (at < text.length) {
		const rest = text.slice(at);
		const skipped = punctuation.exec(rest)?.[0];
		const before = text[at - 1] ?? '';
		const startsWord = !/[\p{L}\p{M}]/u.test(before) || isSpaceless(text, at);
		const startsNumber = startsWord && !/\d/.test(before);
		const isKnown = (one: string) => words.has(one) || harmlessWords().has(one.replace(/'/g, ' '));
		const word = startsWord ? longestWord(rest, isKnown) : undefined;
		const timeOfDay = startsNumber ? readTime(rest) : 0;
		const [whole, first, separator, second, third, dot] = digits.exec(rest) ?? [];
		const [single, figures, ordinal] = number.exec(rest) ?? [];
		if (word !== undefined && /^\d/.test(word)) {
			tokens.push([...(words.get(word) ?? [])]); // 12月
			at += lengthOf(rest, word);
		} else if (timeOfDay > 0) {
			tokens.push([{ is: 'time' }]);
			at += timeOfDay;
		} else if (whole !== undefined && startsNumber) {
			const parts = [first, second, ...(third === undefined ? [] : [third])];
			tokens.push([{ is: 'digits', parts, separator, endsWithDot: dot !== undefined }]);
			at += whole.length;
		} else if (single !== undefined && startsNumber) {
			tokens.push([{ is: 'number', text: figures, isOrdinal: ordinal !== undefined }]);
			at += single.length;
		} else if (word !== undefined) {
			const meanings = words.get(word);
			if (meanings) tokens.push([...meanings]);
			at += lengthOf(rest, word);
		} else if (skipped) at += skipped.length;
		else return undefined;
	}
	return tokens;
}

/** How long the time of day at the start of a text is, with the word before it; 0 if there is none. */
function readTime(text: string): number {
	const word = longestWord(text, (one) => beforeTime.includes(one)) ?? '';
	const start = word === '' ? 0 : word.length + 1;
	const rest = text.slice(start);
	const [found] = time.exec(rest) ?? [];
	if (found !== undefined) return start + found.length;
	const [hour] = beforeHour.includes(word) ? (/^\d{1,2}(?![\d.:/-])/.exec(rest) ?? []) : [];
	return hour !== undefined && Number(hour) <= 24 ? start + hour.length : 0;
}

const maxWord = 30;

/** The longest word at the start of a text, without the dots of abbreviations. */
function longestWord(text: string, isKnown: (word: string) => boolean): string | undefined {
	const start = text.slice(0, maxWord);
	for (let end = start.length; end > 0; end--) {
		const word = start.slice(0, end).replace(/[.،,]/g, '');
		if (word !== '' && !/\s$/.test(word) && isKnown(word) && endsWord(text, end)) return word;
	}
	return undefined;
}

/** How much of a text a word is, with its dots. */
function lengthOf(text: string, word: string): number {
	let length = 0;
	for (let read = 0; read < word.length; length++) if (text[length] === word[read]) read++;
	return length;
}

const spacelessScript =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;

function isSpaceless(text: string, at: number): boolean {
	const around = `${text[at - 1] ?? ''}${text[at] ?? ''}`;
	return spacelessScript.test(around);
}

function endsWord(text: string, end: number): boolean {
	const after = text[end] ?? '';
	return !/[\p{L}\p{M}\d]/u.test(after) || isSpaceless(text, end);
}
