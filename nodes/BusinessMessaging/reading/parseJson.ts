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

/** Escapes in a string, its quotation marks, and whole numbers that may be too large. No part of it overflows the stack for long texts. */
const parts = /(?:\\.){1,99}|"|(?<![\w.+-])-?\d{16,}(?![\d.e])/gis;

/** Puts large whole numbers in quotes. */
function quoteLargeIntegers(text: string): string {
	let isInString = false;
	return text.replace(parts, (part) => {
		if (part === '"') isInString = !isInString;
		const isNumber = !isInString && /^-?\d/.test(part);
		return isNumber && !Number.isSafeInteger(Number(part)) ? `"${part}"` : part;
	});
}
