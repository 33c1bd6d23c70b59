/** Reading the fields of an operation for one item, and checking the request that comes out. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { once, partition } from 'lodash';

import type { Endpoint } from '../api/endpoints';
import type { Field } from '../operations/fieldBuilders';
import { asText } from '../operations/asText';
import { InputError, asInputError } from '../operations/inputError';
import { readJson } from '../operations/json';
import type { Operation, OperationRequest, RequestSettings } from '../operations/operation';
import { columnReader, hasExpression } from './columns';
import type { Item } from './item';

/**
 * Reads the input items. One whose values cannot be right has failed, with an InputError that names the field. A field
 * without an expression is the same for all of them and is read once.
 *
 * @param defaultCountry that of the credential, empty for none
 */
export function readItems(
	context: IExecuteFunctions,
	operation: Operation,
	defaultCountry: string,
): Item[] {
	const saved = context.getNode().parameters;
	const readers = new Map(operation.fields.map(({ name }) => [name, columnReader(saved[name])]));
	const evaluate = ({ name, default: otherwise }: Field, itemIndex: number): unknown =>
		context.getNodeParameter(name, itemIndex, otherwise);
	const [varying, fixed] = partition(operation.fields, ({ name }) => hasExpression(saved[name]));
	const fixedValues = once(() => valuesOf(fixed, (field) => coerce(field, evaluate(field, 0))));
	return context.getInputData().map(({ json }, index): Item => {
		const read = (field: Field) => readers.get(field.name)?.(json) ?? evaluate(field, index);
		try {
			const values = {
				...fixedValues(),
				...valuesOf(varying, (field) => coerce(field, read(field))),
			};
			return { index, request: buildRequest(operation, values, { defaultCountry }) };
		} catch (error) {
			return { index, outcome: { failure: asInputError(error) } };
		}
	});
}

function valuesOf(fields: Field[], valueOf: (field: Field) => unknown): Record<string, unknown> {
	return Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
}

function buildRequest(
	operation: Operation,
	values: Record<string, unknown>,
	settings: RequestSettings,
): OperationRequest {
	const request = operation.request(values, settings);
	const query = { ...request.query, ...readParameters(values.queryParameters) };
	const endpoint = request.endpoint ?? operation.endpoint;
	if (!endpoint.body) return { ...request, query };
	const body = {
		...request.body,
		...readAdditionalFields(values.additionalFields, request.body ?? {}),
	};
	checkBody(endpoint, operation, body);
	if (request.id !== undefined && Object.values(body).every((value) => value === undefined)) {
		throw new InputError(
			'There is nothing to change',
			'Add what shall change under Update Fields or Additional Fields.',
		);
	}
	return { ...request, query, body };
}

/** Expressions give values of any type; a spreadsheet's phone number is a number, a missing column undefined. */
function coerce(field: Field, value: unknown): unknown {
	switch (field.type) {
		case 'resourceLocator': {
			const chosen =
				typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
			return asText(chosen).trim();
		}
		case 'string':
		case 'options':
			return asText(value);
		case 'collection':
			return coerceCollection(field, value);
		default:
			return value;
	}
}

function coerceCollection(field: Field, value: unknown): Record<string, unknown> {
	const options = (field.options ?? []) as Field[];
	const filled = Object.entries(value ?? {}).filter(([name]) =>
		options.some((option) => option.name === name),
	);
	return Object.fromEntries(
		filled.map(([name, entry]) => [
			name,
			coerce(options.find((option) => option.name === name) as Field, entry),
		]),
	);
}

interface NamedValue {
	name?: unknown;
	type?: unknown;
	value?: unknown;
}

function namedValues(rows: unknown, label: string): Array<[string, NamedValue]> {
	const list = Object.values((rows ?? {}) as Record<string, NamedValue[]>).flat();
	return list.map((row) => {
		const name = asText(row.name).trim();
		if (name === '')
			throw new InputError(
				`One of the ${label} has no name`,
				'Fill in the name, or remove the row.',
			);
		return [name, row];
	});
}

function readParameters(rows: unknown): Record<string, unknown> {
	return Object.fromEntries(
		namedValues(rows, 'Query Parameters').map(([name, { value }]) => [name, value]),
	);
}

function readAdditionalFields(
	rows: unknown,
	body: Record<string, unknown>,
): Record<string, unknown> {
	const fields = namedValues(rows, 'Additional Fields').map(([name, row]): [string, unknown] => {
		if (Object.hasOwn(body, name) && body[name] !== undefined) {
			throw new InputError(
				`The Additional Field "${name}" is set by a field of the node already`,
				'Remove the row, or leave the other field empty.',
			);
		}
		return [name, readTyped(name, row)];
	});
	return Object.fromEntries<unknown>(fields);
}

function readTyped(name: string, { type, value }: NamedValue): unknown {
	const text = asText(value);
	const wrong = (wanted: string) =>
		new InputError(
			`The Additional Field "${name}" is not ${wanted}`,
			`Its value is "${text}". Correct it, or choose another type.`,
		);
	switch (type) {
		case 'number':
			if (text.trim() === '' || Number.isNaN(Number(text))) throw wrong('a number');
			return Number(text);
		case 'boolean':
			if (!/^(true|false)$/i.test(text.trim())) throw wrong('true or false');
			return text.trim().toLowerCase() === 'true';
		case 'json':
			return readJson(value, `The Additional Field "${name}"`);
		default:
			return text;
	}
}

/** Holds the body against the contract's schema; the label of the field says more to the user than its path. */
function checkBody(endpoint: Endpoint, { fields }: Operation, body: Record<string, unknown>): void {
	const result = endpoint.body?.safeParse(JSON.parse(JSON.stringify(body)));
	if (!result || result.success) return;
	const [issue] = result.error.issues;
	const [top, ...rest] = issue.path.map(String);
	const label = fields.find(({ name }) => name === top)?.displayName ?? top;
	const place = rest.length > 0 ? `${label} (${rest.join('.')})` : label;
	const isEmpty = rest.length === 0 && (body[top] === '' || body[top] === undefined);
	throw new InputError(
		isEmpty ? `${place} is empty` : `${place} is not valid: ${issue.message}`,
		'Check the field, or the data that its expression refers to.',
	);
}
