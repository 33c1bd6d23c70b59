/**
 * The value of a JSON text, as services write it; undefined for other texts. Whole numbers beyond 2^53 become text,
 * digit for digit: a rounded number could be the ID of another record.
 */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(/\d{16}/.test(text) ? quoteLargeIntegers(text) : text);
	} catch {
		return undefined;
	}
}

const numbers = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** Puts large whole numbers in quotes. In a loop, because a regular expression overflows the stack for long strings. */
function quoteLargeIntegers(text: string): string {
	let quoted = '';
	for (let start = 0; start < text.length; ) {
		const open = indexOrEnd(text, '"', start);
		const close = endOfString(text, open);
		quoted += text.slice(start, open).replace(numbers, quoteIfLarge) + text.slice(open, close);
		start = close;
	}
	return quoted;
}

function quoteIfLarge(number: string): string {
	const isExact = !/^-?\d+$/.test(number) || Number.isSafeInteger(Number(number));
	return isExact ? number : `"${number}"`;
}

function endOfString(text: string, open: number): number {
	let close = indexOrEnd(text, '"', open + 1);
	while (isEscaped(text, close)) close = indexOrEnd(text, '"', close + 1);
	return close + 1;
}

/** Whether an odd number of backslashes is before a quotation mark. */
function isEscaped(text: string, index: number): boolean {
	let backslashes = 0;
	while (text[index - 1 - backslashes] === '\\') backslashes++;
	return index < text.length && backslashes % 2 === 1;
}

function indexOrEnd(text: string, part: string, from: number): number {
	const index = text.indexOf(part, from);
	return index === -1 ? text.length : index;
}
