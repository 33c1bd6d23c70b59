/**
 * Finds the words that programs write for a missing value: `"Hello " + $json.missing` gives "Hello undefined", a sheet has
 * `#N/A`. People may write the same words, e.g. German "um null Uhr", so only words that an expression has made, or that
 * are a whole value of the data, count.
 */
import { escapeRegExp, isObject, partition } from 'lodash';

import { isBlank } from '../operations/readText';

/** What JavaScript writes inside a text, also before or after a name: "nullAnna". Within a word, e.g. "nullify", `null` is none. */
const word = /undefined|NaN|(?<!\p{L})null(?!\p{Ll})|null(?!\p{L})/u;
/** A value of JavaScript, of a database, of Python, or of a library for dates. */
const ofPrograms = /^(?:undefined|NaN|null|NULL|None|NaT|<NA>|Invalid (?:date|Date|DateTime))$/;
/** An error of a spreadsheet in any language, e.g. `#DIV/0!`, `#NAME?`, `#¡REF!`, `#N/A`, `#NV` or `Err:502`. */
const ofSheets = /^(?:#[¡¿]?\p{Lu}[\p{Lu}\d/_]*[!?]|#\p{Lu}\/\p{Lu}|#NV|Err:\d{3})$/u;
/** Whether a text may contain one of these words. */
const mayContain = /null|undefined|NaN|NULL|None|NaT|<NA>|Invalid|#|Err:/;
const comment = /\/\*.*?\*\//gs;
/** A text in the code of an expression, except one that a value is compared with. */
const literal = /(?<![=!]=\s?)(["'`])((?:\\.|(?!\1)[^\\])*)\1/gs;
const filledIn = /\$\{[^}]*\}/;
/** A value and its methods without other values, after each text was replaced by `""`. It gives what is in the data. */
const start = String.raw`\$(?:fromAI\([^$]*\)|\w*(?:\(""\))?)`;
const step = String.raw`\??\.\w+|(?:\?\.)?\[(?:""|\d+)\]|\((?:""|[\d,\s])*\)`;
const plainExpression = new RegExp(String.raw`^\s*(?:""|${start}(?:${step})*)\s*$`);

/** Whether a text is nothing but such a word. */
export function isWord(text: string): boolean {
	const shown = text.trim();
	return mayContain.test(shown) && (ofPrograms.test(shown) || ofSheets.test(shown));
}

/** Whether a value is nothing but such a word that the code does not contain as a text, or is blank in the data. */
export function isMissingWord(value: unknown, code: string): boolean {
	if (typeof value !== 'string') return false;
	const isWritten = (text: string) => isBlank(text.replace(/\\[nrt]/g, ' '));
	if (isBlank(value)) return isPlain(code) && !textsIn(code).some(isWritten);
	return isWord(value) && !textsIn(code).includes(value.trim());
}

/** What the data has in place of a value. */
export function insteadOf(value: unknown): string {
	if (typeof value !== 'string') return '';
	return isBlank(value) ? ', only spaces' : `, only "${value.trim()}"`;
}

/** Such a word in the result of an expression, if neither the code nor the item's fields (`json`) contain it. */
export function missingWordIn(text: string, code: string, json: unknown): string | undefined {
	if (!mayContain.test(text) || isPlain(code)) return undefined;
	const [missing, data] = partition(
		stringsIn(json).map((one) => one.trim()),
		isWord,
	);
	const written = [...textsIn(code).map((one) => one.trim()), ...data].filter((one) =>
		mayContain.test(one),
	);
	const made = written.reduce((rest, one) => rest.replaceAll(one, ' '), text);
	return word.exec(made)?.[0] ?? missing.find((one) => asWord(one).test(made));
}

/** The text, if no other letters or digits touch it. */
function asWord(text: string): RegExp {
	return new RegExp(`(?<![\\p{L}\\d])${escapeRegExp(text)}(?![\\p{L}\\d])`, 'u');
}

/** Whether an expression cannot put words into a text: it is a value, or the first of several that exists. */
function isPlain(code: string): boolean {
	const bare = code.replace(comment, ' ').replace(literal, (text) => {
		return filledIn.test(text) ? '`' : '""';
	});
	return bare.split(/\?\?|\|\|/).every((value) => plainExpression.test(value));
}

/** What the user has written as texts in the code of an expression. */
function textsIn(code: string): string[] {
	return [...code.replace(comment, ' ').matchAll(literal)].flatMap(([, , text]) =>
		text.split(filledIn),
	);
}

function stringsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return isObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}
