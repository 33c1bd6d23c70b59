/** Whether two numbers reach the same phone. */
import { readPhone } from './readPhone';

/** Phones whose number has two forms: a pattern of the longer form, and its replacement by the shorter one. */
const twoForms: Array<[RegExp, string]> = [
	[/^\+521(\d{10})$/, '+52$1'], // Mexico's mobiles until 2019
	[/^\+549(\d{10})$/, '+54$1'], // Argentina's mobiles
	[/^\+22901(\d{8})$/, '+229$1'], // Benin since 2024
	// Ivory Coast's mobiles since 2021: the second digit of the former number decides what is before it
	[/^\+225(?:01(?=\d[0-3])|05(?=\d[4-6])|07(?=\d[7-9]))(\d{8})$/, '+225$1'],
	[/^\+55(\d\d)9([6-9]\d{7})$/, '+55$1$2'], // Brazil's mobiles; landlines begin with 2 to 5
];

/** The greatest length that is read; nobody writes a number with more characters. */
const maxLength = 100;

/** Services add a channel (`whatsapp:`), or WhatsApp's address, also of a linked device (`:12@s.whatsapp.net`). */
const aroundNumber =
	/^\s*[a-z][a-z\d_-]{0,29}:(?=\s*\+?\d)|(?::\d{1,5})?@(?:s\.whatsapp\.net|c\.us)\s*$/gi;

/** A service's number in E.164; the number may come without the `+`, or with the name of a channel. Other texts stay as they are. */
export function toE164(from: string): string {
	if (from.length > maxLength) return from;
	const text = from.replace(aroundNumber, '').trim();
	if (/^\+[1-9]\d{6,14}$/.test(text)) return text;
	return readPhone(/^[1-9]/.test(text) ? `+${text}` : text).e164 ?? from;
}

/** A key that all forms of a phone's number share. Do not send to it. */
export function samePhoneKey(number: string): string {
	const e164 = toE164(number);
	return twoForms.reduce((key, [form, replacement]) => key.replace(form, replacement), e164);
}

/** Whether a key is that of a phone, and not another kind of name for a sender. */
export const isPhoneKey = (key: string) => key.startsWith('+');

/** How many digits at the end all spellings of one phone have in common. */
export const sameDigits = 7;

/** The last digits of a number; all spellings of one phone have the same ones. */
export const lastDigits = (phone: string) => phone.replace(/\D/g, '').slice(-sameDigits);
