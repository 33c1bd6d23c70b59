/** Phone numbers as people write them. */
import { phoneSchema } from '../api/schemas';
import { InputError } from './inputError';

/** Spaces of every kind, dots, brackets, dashes of every kind, slashes, and the marks that word processors hide in texts. */
const decoration =
	/[\s.()[\]/\u00ad\u200b-\u200f\u2010-\u2015\u202a-\u202e\u2060\u2066-\u2069\u2212\ufeff-]/g;

/**
 * Brings a phone number into the form `+` and digits (E.164).
 *
 * @throws InputError for a local number, letters or a wrong length
 */
export function phoneNumber(input: string): string {
	const written = input.trim();
	const isInternational = /^[^\d]*(\+|00)/.test(written);
	const plain = (isInternational ? written.replace(/\(0\)/, '') : written)
		.replace(decoration, '')
		.replace(/^00/, '+');
	if (phoneSchema.safeParse(plain).success) return plain;
	throw new InputError(
		written === ''
			? 'The phone number is empty'
			: `"${written}" is not a phone number in international format`,
		`${explain(plain)} Write it with + and the country code, e.g. +49 170 1234567.`,
	);
}

function explain(plain: string): string {
	if (plain === '')
		return 'There is nothing in the field, or the field it refers to is missing in this item.';
	if (!/^\+?\d+$/.test(plain))
		return 'It holds letters or other signs that are not part of a phone number.';
	if (!plain.startsWith('+')) return 'The country code is missing.';
	if (plain.startsWith('+0')) return 'No country code begins with 0.';
	return plain.length < 8 ? 'It has fewer than 7 digits.' : 'It has more than 15 digits.';
}
