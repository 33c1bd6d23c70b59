/** Fields for what the specification leaves open: names and values of the user's own. */
import { asText } from './asText';
import type { Field } from './fieldBuilders';
import { InputError } from './inputError';
import { readJson } from './json';

/** What the user sends along in the body beyond the documented fields. */
export const additionalFields: Field<'additionalFields'> = {
	displayName: 'Additional Fields',
	name: 'additionalFields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Field', sortable: true },
	placeholder: 'Add Field',
	default: {},
	description:
		'Further fields of the request, for what your service offers beyond the fields above',
	options: [
		{
			displayName: 'Field',
			name: 'field',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. reference',
					description: 'Name of the field as the service documents it',
				},
				{
					displayName: 'Type',
					name: 'type',
					type: 'options',
					options: [
						{ name: 'JSON', value: 'json' },
						{ name: 'Text', value: 'text' },
						{ name: 'True or False', value: 'boolean' },
						{ name: 'Number', value: 'number' },
					].sort((a, b) => a.name.localeCompare(b.name)),
					default: 'text',
					description: 'How the value is sent',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. order-4711',
					description: 'Value of the field',
				},
			],
		},
	],
};

/** What the user sends along in the address beyond the documented parameters. */
export const queryParameters: Field<'queryParameters'> = {
	displayName: 'Query Parameters',
	name: 'queryParameters',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Parameter', sortable: true },
	placeholder: 'Add Parameter',
	default: {},
	description:
		'Parameters added to the address of the request, e.g. a date range, for what your service offers beyond the fields above',
	options: [
		{
			displayName: 'Parameter',
			name: 'parameter',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. from',
					description: 'Name of the parameter as the service documents it',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. 2030-01-31',
					description: 'Value of the parameter',
				},
			],
		},
	],
};

/** A row of one of the two fields. */
interface Row {
	name: string;
	type?: string;
	value: string;
}

/**
 * The user's own parameters of the address.
 *
 * @param own those that the fields of the node have set
 * @throws InputError for a row without a name, or with a name that is there already
 */
export function readQueryParameters(
	rows: unknown,
	own: Record<string, unknown> = {},
): Record<string, string> {
	const named = namedRows(rows, 'Query Parameter', own);
	return Object.fromEntries(named.map(({ name, value }) => [name, value]));
}

/**
 * The user's own fields of the body.
 *
 * @param own those that the fields of the node have set
 * @throws InputError for a row without a name, with a name that is there already, or with a value that is not of its type
 */
export function readAdditionalFields(
	rows: unknown,
	own: Record<string, unknown> = {},
): Record<string, unknown> {
	const named = namedRows(rows, 'Additional Field', own);
	return Object.fromEntries(named.map((row) => [row.name, readTyped(row)]));
}

function namedRows(rows: unknown, title: string, own: Record<string, unknown>): Row[] {
	const list = Object.values((rows ?? {}) as Record<string, Row[]>).flat();
	const named = list.map((row) => ({ ...row, name: asText(row.name).trim() }));
	const names = new Set<string>();
	for (const { name } of named) {
		if (name === '')
			throw new InputError(`One of the ${title}s has no name`, 'Fill it in, or remove the row.');
		if (Object.hasOwn(own, name) && own[name] !== undefined)
			throw new InputError(
				`The ${title} "${name}" is set by a field of the node already`,
				'Remove the row, or leave the other field empty.',
			);
		if (names.has(name))
			throw new InputError(`The ${title} "${name}" is there twice`, 'Remove one of the two rows.');
		names.add(name);
	}
	return named;
}

function readTyped({ name, type, value }: Row): unknown {
	const wrong = (wanted: string) =>
		new InputError(
			`The Additional Field "${name}" is not ${wanted}`,
			`Its value is "${value}". Correct it, or choose another type.`,
		);
	switch (type) {
		case 'number':
			if (value.trim() === '' || Number.isNaN(Number(value))) throw wrong('a number');
			return Number(value);
		case 'boolean':
			if (!/^(true|false)$/i.test(value.trim())) throw wrong('true or false');
			return value.trim().toLowerCase() === 'true';
		case 'json':
			return readJson(value, `The Additional Field "${name}"`);
		default:
			return value;
	}
}
