/** Converts the values of fields to the types of the fields. Expressions give values of any type. */
import { attempt, isEqual, isError, mapValues, pick } from 'lodash';
import type { INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { quoted, textOrJson } from '../jsonValues';
import { InputError } from '../transport/errors';
import { readDefaultCountry } from '../phone/countries';
import { parseJson } from '../reading/parseJson';
import type { ParameterField } from './fields';
import { readText } from './readText';

/** Fields whose value is converted later, to the type that the user has chosen for it. */
const readLater = ['value'];
/** Fields that only programs read, and that also accept a list. */
const takesLists = ['excludeNumbers'];
/** The field whose value is often written in other words in the user's data. */
const countryField = 'defaultCountry';

/** Converts a value to its field's type, e.g. a number in a sheet to a text. @throws InputError if it does not fit */
export function coerce(field: ParameterField, value: unknown): unknown {
	switch (field.type) {
		case 'resourceLocator': {
			const isLocator = typeof value === 'object' && value !== null && 'value' in value;
			const text = readText(isLocator ? value.value : value, field.displayName).trim();
			return field.name === countryField ? coerceCountry(field, text) : text;
		}
		case 'string':
			if (readLater.includes(field.name)) return value;
			if (takesLists.includes(field.name) && Array.isArray(value)) return objectText(value);
			return readText(value, field.displayName);
		case 'options':
			return coerceChoice(field, textOrJson(value));
		case 'number':
			return coerceNumber(field, value);
		case 'boolean':
			return coerceBoolean(field, textOrJson(value));
		case 'json':
			return coerceJson(field, value);
		case 'collection':
			return coerceAll(field.options as ParameterField[], value);
		case 'fixedCollection':
			return coerceRows(field.options as INodePropertyCollection[], value);
		default:
			return value;
	}
}

/** A list that is the same for the whole run is the same object for all items, and may have thousands of entries. */
const texts = new WeakMap<object, string>();

function objectText(value: object): string {
	const text = texts.get(value) ?? textOrJson(value);
	texts.set(value, text);
	return text;
}

function coerceAll(fields: ParameterField[], values: unknown): Record<string, unknown> {
	const byName = Object.fromEntries(fields.map((field) => [field.name, field]));
	return mapValues(pick(values, Object.keys(byName)), (value, name) => coerce(byName[name], value));
}

function coerceRows(kinds: INodePropertyCollection[], value: unknown): Record<string, unknown> {
	const byName = Object.fromEntries(
		kinds.map(({ name, values }) => [name, values as ParameterField[]]),
	);
	return mapValues(pick(value, Object.keys(byName)), (rows, name) =>
		[rows].flat().map((row: unknown) => coerceAll(byName[name], row)),
	);
}

function coerceChoice(field: ParameterField, value: string): string {
	const allowed = (field.options as INodePropertyOptions[]).map((option) => option.value);
	if (allowed.includes(value)) return value;
	throw unfit(field, value, `Choose one of ${allowed.map((one) => `"${one}"`).join(', ')}.`);
}

function coerceCountry(field: ParameterField, value: string): string {
	const country = readDefaultCountry(value);
	if (country !== undefined) return country;
	throw unfit(field, value, 'Enter a country such as GB, +44 or United Kingdom.');
}

function coerceNumber(field: ParameterField, value: unknown): number {
	const { minValue = -Infinity, maxValue = Infinity, numberPrecision } = field.typeOptions ?? {};
	const written = textOrJson(value);
	const number = written.trim() === '' ? NaN : Number(written);
	if (Number.isInteger(number) && !Number.isSafeInteger(number))
		throw unfit(field, written, 'It would be rounded. Send it as a text.');
	const isOfKind = numberPrecision === 0 ? Number.isInteger(number) : Number.isFinite(number);
	if (isOfKind && number >= minValue && number <= maxValue) return number;
	const kind = numberPrecision === 0 ? 'a whole number' : 'a number';
	const least = minValue > -Infinity ? ` of at least ${minValue}` : '';
	const range = maxValue < Infinity ? ` from ${minValue} to ${maxValue}` : least;
	throw unfit(field, written, `Enter ${kind}${range}.`);
}

function coerceBoolean(field: ParameterField, value: string): boolean {
	const text = value.trim().toLowerCase();
	if (text === 'true' || text === 'false') return text === 'true';
	throw unfit(field, value, 'Enter true or false.');
}

/** JSON that the user wrote, or the value that an expression gave; undefined for an empty field. */
function coerceJson({ displayName }: ParameterField, value: unknown): unknown {
	if (typeof value !== 'string') return value ?? undefined;
	if (value.trim() === '') return undefined;
	const json = attempt(() => JSON.parse(value) as unknown);
	if (!isError(json) && isEqual(json, parseJson(value))) return json;
	if (!isError(json))
		throw new InputError(
			`'${displayName}' contains a whole number with too many digits`,
			'It would be rounded. Put it in quotes.',
		);
	const advice = `${json.message}. Check quotes, commas and brackets.`;
	throw new InputError(`'${displayName}' is not valid JSON`, advice);
}

function unfit({ displayName }: ParameterField, value: string, advice: string): InputError {
	const problem = value.trim() === '' ? 'is empty' : `cannot be "${quoted(value)}"`;
	return new InputError(`'${displayName}' ${problem}`, advice);
}
