/**
 * Finds the words that JavaScript writes for a missing value: `"Hello " + $json.missing` gives "Hello undefined". People
 * may write the same words, e.g. German "um null Uhr", so only words that an expression has made count.
 */
import { isObject } from 'lodash';

/** The words inside a text. Inside another word, e.g. "nullify", `null` is no word. */
const word = /undefined|NaN|(?<!\p{L})null|null(?!\p{L})/u;
const onlyWord = /^(?:undefined|NaN|null)$/;
const comment = /\/\*.*?\*\//gs;
/** A text in the code of an expression, except one that a value is compared with. */
const literal = /(?<![=!]=\s?)(["'`])((?:\\.|(?!\1)[^\\])*)\1/gs;
const filledIn = /\$\{[^}]*\}/;
/** A value and its methods without other values, after each text was replaced by `""`. It gives what is in the data. */
const start = String.raw`\$(?:fromAI\([^$]*\)|\w*(?:\(""\))?)`;
const step = String.raw`\??\.\w+|(?:\?\.)?\[(?:""|\d+)\]|\((?:""|[\d,\s])*\)`;
const plain = new RegExp(String.raw`^\s*(?:""|${start}(?:${step})*)\s*$`);

/** Whether a value is nothing but such a word, and the code does not contain it as a text. */
export function isMissingWord(value: unknown, code: string): boolean {
	if (typeof value !== 'string' || !onlyWord.test(value.trim())) return false;
	return !textsIn(code).includes(value.trim());
}

/** Such a word in the result of an expression, if neither the code nor the item's fields (`json`) contain it. */
export function missingWordIn(text: string, code: string, json: unknown): string | undefined {
	if (!word.test(text) || isPlain(code)) return undefined;
	const data = stringsIn(json).filter((one) => !onlyWord.test(one.trim()));
	const written = [...textsIn(code), ...data]
		.map((one) => one.trim())
		.filter((one) => word.test(one));
	const made = written.reduce((rest, one) => rest.replaceAll(one, ' '), text);
	return word.exec(made)?.[0];
}

/** Whether an expression cannot put words into a text: it is a value, or the first of several that exists. */
function isPlain(code: string): boolean {
	const bare = code.replace(comment, ' ').replace(literal, (text) => {
		return filledIn.test(text) ? '`' : '""';
	});
	return bare.split(/\?\?|\|\|/).every((value) => plain.test(value));
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
