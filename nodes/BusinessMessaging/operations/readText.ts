/** Texts that people read. If one contains a record, a list or a boolean, an expression is wrong. */
import { isObject } from 'lodash';

import { InputError } from '../transport/errors';

/** A text, number or date as text; empty for a missing value. @throws InputError for others, with advice: `otherwise` */
export function readText(value: unknown, label: string, otherwise = ''): string {
	if (value === undefined || value === null || Number.isNaN(value)) return '';
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'bigint') return String(value);
	// A date object of any kind gives its text, and nothing if it is invalid.
	const json: unknown = isUnreadable(value) ? undefined : JSON.parse(JSON.stringify(value));
	if (typeof json === 'string') return json;
	throw unreadable(value, `'${label}'`, otherwise);
}

/** Whether a text is made of spaces and invisible characters. An empty text is not blank: people write `?? ''`. */
export function isBlank(text: string): boolean {
	return /^[\s\p{Default_Ignorable_Code_Point}]+$/u.test(text);
}

/** Whether a value is neither a text nor can become one that people can read. */
export function isUnreadable(value: unknown): boolean {
	if (!isObject(value)) return typeof value === 'boolean' || typeof value === 'symbol';
	return !('toJSON' in value && typeof value.toJSON === 'function');
}

/** The error for a value that people cannot read. `place` names the field, and the expression if there is one. */
export function unreadable(value: unknown, place: string, otherwise = ''): InputError {
	const [kind, advice] = problemOf(value);
	return new InputError(`${place} is ${kind}, not a text`, `${advice} ${otherwise}`.trim());
}

function problemOf(value: unknown): [kind: string, advice: string] {
	if (typeof value === 'boolean') {
		const example = "{{ $json.paid ? 'Thank you' : 'Please pay' }}";
		return [String(value), `Use an expression that gives a text in both cases, e.g. ${example}.`];
	}
	if (!isUnreadable(value)) return ['an invalid date', 'Correct the date.'];
	if (!Array.isArray(value)) return ['a record', 'Choose one field of it in the expression.'];
	const join = 'or join its values, e.g. {{ $json.colors.join(", ") }}.';
	return ['a list', `Choose one field of it in the expression, ${join}`];
}
