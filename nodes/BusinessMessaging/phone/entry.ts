/** Reads an entry of a list that people write by hand, such as the data table Opt-outs. */
import { lastDigits, sameDigits, samePhoneKey } from './compare';
import { readPhone, withLatinDigits } from './readPhone';

/** The numbers in an entry with further words, e.g. `+44 7700 900123 (Anna)`. */
const numberInText = /\+?\d[\d\s()./-]{5,}\d/g;

/** Digits of the longest number in the world, in E.164. */
const maxDigits = 15;

/** Whom an entry means. Without a number, it means nobody. */
interface Entry {
	/** A key for each number, see samePhoneKey. */
	people: string[];
	/** The last digits of numbers that cannot be read for certain, e.g. without a country code: everybody with these is meant. */
	digits: string[];
}

/** Reads an entry in any spelling, also with words around the numbers. */
export function readEntry(entry: string): Entry {
	const written = withLatinDigits(entry).trim();
	const { e164 } = readPhone(written);
	if (e164 !== undefined) return { people: [samePhoneKey(e164)], digits: [] };
	const numbers = written.match(numberInText) ?? [];
	return { people: numbers.map(samePhoneKey), digits: numbers.flatMap(ends) };
}

/** The last digits of what is one number, or of each of several with only spaces or a slash between them: then of each beginning. */
function ends(numbers: string): string[] {
	const groups = numbers.match(/\d+/g) ?? [];
	const isWhole = ({ length }: string) => length >= sameDigits;
	const areSeveral =
		groups.join('').length > maxDigits || (groups.length > 1 && groups.every(isWhole));
	if (!areSeveral) return [lastDigits(numbers)];
	const beginnings = groups.map((_, index) => groups.slice(0, index + 1).join(''));
	return beginnings.filter(isWhole).map(lastDigits);
}
