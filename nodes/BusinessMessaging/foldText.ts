/** Texts of people for comparison. */
import { dropRightWhile, dropWhile } from 'lodash';

/** Accents, also the enclosing square of 1️⃣, and the points of Hebrew. Marks that are sounds of their own stay, e.g. the vowel signs of Indic scripts. */
const accents = /(?![\u3099\u309a])(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}]/gu;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
const skinTones = /[\u{1f3fb}-\u{1f3ff}]/gu;

/**
 * One form for all spellings of a text: without case (also that of Turkish: İ, I, ı and i are one letter), accents,
 * invisible characters and skin tones, and with wide characters and ligatures as usual ones.
 */
export function foldText(text: string): string {
	if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase(); // most texts and names; ten times as fast
	return (
		text
			.replace(invisible, '')
			.normalize('NFKD')
			.replace(accents, '')
			.replace(skinTones, '')
			// Only in capitals, ß is SS, and ı is I. ẞ has to be ß before; ς stays.
			.toLowerCase()
			.toUpperCase()
			.toLowerCase()
			.replace(/ς/g, 'σ')
			.normalize('NFC')
	);
}

/** Spaces, brackets, quotation marks and sentence marks of all scripts, and the signs with which people format a text. Others, such as # and @, belong to words. */
const punctuation =
	/^[\s*_~¡¿\-\p{Quotation_Mark}\p{Terminal_Punctuation}\p{Open_Punctuation}\p{Close_Punctuation}]$/u;
const isPunctuation = (sign: string) => punctuation.test(sign);

/** A text without the punctuation at its ends; empty if it is nothing else. */
export function trimPunctuation(text: string): string {
	return dropRightWhile(dropWhile(Array.from(text), isPunctuation), isPunctuation).join('');
}
