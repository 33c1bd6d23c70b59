/**
 * Values of fields that refer to nothing but columns of the item, such as `{{ $json.phone }}` or `Hello {{ $json["First Name"] }}`,
 * which the editor writes when a column is dragged into a field. n8n builds a view of the whole workflow for each
 * expression of each item and evaluates it in a sandbox; nothing else that a message needs before it is sent takes as
 * long. What is read here is what n8n would give, but for names such as "constructor", which it refuses. Whatever is
 * more than columns with a text, number or truth value is left to n8n.
 */
import type { IDataObject } from 'n8n-workflow';

/** Gives a field's value for the JSON of an item; undefined if n8n has to evaluate it. */
export type ReadColumns = (json: IDataObject) => unknown;

const column = /^\{\{\s*\$json(?:\.([A-Za-z_]\w*)|\["([^"\\]+)"\]|\['([^'\\]+)'\])\s*\}\}$/;
const placeholders = /(\{\{[^{}]*\}\})/;
/** What n8n reads otherwise than as it stands. */
const special = /[{}\\]/;

/**
 * Prepares to read a saved value with expressions in it, at any depth.
 *
 * @returns undefined if there is an expression that is more than columns and text
 */
export function columnReader(saved: unknown): ReadColumns | undefined {
	if (isExpression(saved)) return textReader(String(saved).slice(1));
	if (!hasExpression(saved)) return () => saved;
	const readers = Object.entries(saved as object).map(([name, value]) => ({
		name,
		read: columnReader(value),
	}));
	if (!readers.every((one): one is { name: string; read: ReadColumns } => one.read !== undefined))
		return undefined;
	return (json) => {
		const values = readers.map(({ name, read }): [string, unknown] => [name, read(json)]);
		if (values.some(([, value]) => value === undefined)) return undefined;
		return Array.isArray(saved) ? values.map(([, value]) => value) : Object.fromEntries(values);
	};
}

/** Whether a saved value, or any part of it, is an expression. */
export function hasExpression(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.values(value).some(hasExpression);
	return isExpression(value);
}

/** Older n8n do not export theirs. */
function isExpression(value: unknown): boolean {
	return typeof value === 'string' && value.startsWith('=');
}

function textReader(template: string): ReadColumns | undefined {
	const parts = template.split(placeholders); // every second one is a placeholder
	const keys = parts.filter((_, index) => index % 2 === 1).map(keyOf);
	if (
		!keys.every((key) => key !== undefined) ||
		parts.some((part, index) => index % 2 === 0 && special.test(part))
	)
		return undefined;
	const isValue = parts.length === 3 && parts[0] === '' && parts[2] === '';
	return (json) => {
		const values = keys.map((key) => (Object.hasOwn(json, key) ? json[key] : undefined));
		if (!values.every(isPlain)) return undefined;
		return isValue
			? values[0]
			: parts
					.map((part, index) => (index % 2 === 1 ? String(values[(index - 1) / 2]) : part))
					.join('');
	};
}

function isPlain(value: unknown): value is string | number | boolean {
	return ['string', 'number', 'boolean'].includes(typeof value);
}

function keyOf(placeholder: string): string | undefined {
	const [, ...names] = column.exec(placeholder) ?? [];
	return names.find((name) => name !== undefined);
}
