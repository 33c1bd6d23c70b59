/** Fields for what the specification leaves open: names and values that the user chooses. */
import { quoted } from '../jsonValues';
import { coerce } from './coerce';
import { type ParameterField, choiceField, rowsField, textField } from './fields';
import { readText } from './readText';
import { InputError } from '../transport/errors';

/** A row of Additional Fields or Query Parameters. */
interface Row {
	name: string;
	type?: 'boolean' | 'json' | 'number' | 'text';
	value: unknown;
}

const nameColumn = textField({
	displayName: 'Name',
	name: 'name',
	placeholder: 'e.g. reference',
	description: 'The name in the documentation of the service',
});
const typeColumn = choiceField({
	displayName: 'Type',
	name: 'type',
	options: [
		{ name: 'JSON', value: 'json' },
		{ name: 'Number', value: 'number' },
		{ name: 'Text', value: 'text' },
		{ name: 'True or False', value: 'boolean' },
	],
	default: 'text',
	description: 'How the value is sent',
});
const valueColumn = textField({
	displayName: 'Value',
	name: 'value',
	placeholder: 'e.g. order-4711',
	description: 'What is sent under this name',
});

/** Fields of the body that are not documented. */
export const additionalFields = rowsField(
	{
		displayName: 'Additional Fields',
		name: 'additionalFields',
		description: 'More fields to send in the request, if your service offers them',
	},
	'Field',
	[nameColumn, typeColumn, valueColumn],
);

/** Query parameters that are not documented. */
export const queryParameters = rowsField(
	{
		displayName: 'Query Parameters',
		name: 'queryParameters',
		description: 'More query parameters to send, e.g. a date range, if your service offers them',
	},
	'Parameter',
	[nameColumn, valueColumn],
);

/** Reads Additional Fields or Query Parameters. @throws InputError, e.g. for a name that `otherFields` has, too */
export function readRows(
	rows: unknown,
	{ displayName: title }: ParameterField,
	otherFields: Record<string, unknown> = {},
): Record<string, unknown> {
	const values = new Map<string, unknown>();
	for (const row of Object.values((rows ?? {}) as Record<string, Row[]>).flat()) {
		const name = readText(row.name, 'Name').trim();
		if (name === '')
			throw new InputError(`A row of '${title}' has no name`, 'Enter a name, or remove the row.');
		if (Object.hasOwn(otherFields, name) && otherFields[name] !== undefined)
			throw new InputError(
				`'${title}' sets "${quoted(name)}", which another field of the node already sets`,
				'Remove the row, or leave the other field empty.',
			);
		if (values.has(name))
			throw new InputError(
				`'${title}' contains "${quoted(name)}" twice`,
				'Remove one of the two rows.',
			);
		values.set(name, readTyped(row, `${title}: ${quoted(name)}`));
	}
	return Object.fromEntries(values);
}

function readTyped({ type, value }: Row, label: string): unknown {
	// A query parameter has no type, so a boolean becomes text.
	if (type === undefined && typeof value === 'boolean') return String(value);
	if (type === undefined) return readText(value, label);
	if (type === 'text') return readText(value, label, "To send it as it is, choose another 'Type'.");
	return coerce({ displayName: label, name: '', type, default: '' }, value);
}
