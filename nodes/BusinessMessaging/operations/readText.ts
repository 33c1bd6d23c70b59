/** Texts that people read. If one contains a record, a list or a boolean, an expression is wrong. */
import { InputError } from '../transport/errors';

/**
 * A value as text: it must be a text, a number or a date. A missing value gives an empty text.
 *
 * @param otherwise what else the user can do, a sentence
 * @throws InputError for any other value
 */
export function readText(value: unknown, label: string, otherwise = ''): string {
	if (value === undefined || value === null || Number.isNaN(value)) return '';
	if (typeof value === 'string') return value;
	const isRead = typeof value === 'number' || typeof value === 'bigint';
	if (isRead) return String(value);
	// A date object of any kind gives its text.
	const json: unknown = isUnreadable(value) ? undefined : JSON.parse(JSON.stringify(value));
	if (typeof json === 'string') return json;
	throw unreadable(value, `'${label}'`, otherwise);
}

/** Whether a value is neither a text nor can become one that people can read. */
export function isUnreadable(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return typeof value === 'boolean';
	return !('toJSON' in value && typeof value.toJSON === 'function');
}

/** The error for a value that people cannot read. `place` names the field, and the expression if there is one. */
export function unreadable(value: unknown, place: string, otherwise = ''): InputError {
	const isSwitch = typeof value === 'boolean';
	const kind = Array.isArray(value) ? 'a list' : 'a record';
	const advice = isSwitch
		? "Use a condition with a text for both cases, e.g. {{ $json.paid ? 'Thank you' : 'Please pay' }}."
		: 'Choose one field of it in the expression, or join its values, e.g. {{ $json.colors.join(", ") }}.';
	const message = `${place} is ${isSwitch ? String(value) : kind}, not a text`;
	return new InputError(message, `${advice} ${otherwise}`.trim());
}
