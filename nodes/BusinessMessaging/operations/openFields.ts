/** Fields for what the specification leaves open: names and values of the user's own. */
import { asText } from './asText';
import { coerce } from './coerce';
import { type Field, choiceField, textField } from './fieldBuilders';
import { InputError } from './inputError';

/** A row of one of the two fields. */
interface Row {
	name: string;
	type?: 'boolean' | 'json' | 'number' | 'text';
	value: string;
}

/** A list of rows, each with a name and a value. */
function rowsField<const N extends string>(
	{ row, ...look }: { displayName: string; name: N; description: string; row: string },
	examples: { name: string; value: string },
	furtherFields: Field[] = [],
): Field<N> {
	const kind = row.toLowerCase();
	const columns = [
		textField({
			displayName: 'Name',
			name: 'name',
			placeholder: `e.g. ${examples.name}`,
			description: `Name of the ${kind} as the service documents it`,
		}),
		...furtherFields,
		textField({
			displayName: 'Value',
			name: 'value',
			placeholder: `e.g. ${examples.value}`,
			description: `Value of the ${kind}`,
		}),
	];
	return {
		...look,
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, multipleValueButtonText: `Add ${row}`, sortable: true },
		placeholder: `Add ${row}`,
		default: {},
		options: [{ displayName: row, name: kind, values: columns }],
	};
}

/** What the user sends along in the body beyond the documented fields. */
export const additionalFields = rowsField(
	{
		displayName: 'Additional Fields',
		name: 'additionalFields',
		description:
			'Further fields of the request, for what your service offers beyond the fields above',
		row: 'Field',
	},
	{ name: 'reference', value: 'order-4711' },
	[
		choiceField({
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
		}),
	],
);

/** What the user sends along in the address beyond the documented parameters. */
export const queryParameters = rowsField(
	{
		displayName: 'Query Parameters',
		name: 'queryParameters',
		description:
			'Parameters added to the address of the request, e.g. a date range, for what your service offers beyond the fields above',
		row: 'Parameter',
	},
	{ name: 'from', value: '2030-01-31' },
);

/**
 * Reads the rows of one of the two fields.
 *
 * @param own what the fields of the node have set
 * @throws InputError for a row without a name, with a name that is there already, or with a value that is not of its type
 */
export function readRows(
	rows: unknown,
	{ displayName: title }: Field,
	own: Record<string, unknown> = {},
): Record<string, unknown> {
	const values = new Map<string, unknown>();
	for (const row of Object.values((rows ?? {}) as Record<string, Row[]>).flat()) {
		const name = asText(row.name).trim();
		if (name === '')
			throw new InputError(`A row of '${title}' has no name`, 'Enter a name, or remove the row.');
		if (Object.hasOwn(own, name) && own[name] !== undefined)
			throw new InputError(
				`'${title}' sets "${name}", which another field of the node has set already`,
				'Remove the row, or leave the other field empty.',
			);
		if (values.has(name))
			throw new InputError(`'${title}' contains "${name}" twice`, 'Remove one of the two rows.');
		values.set(name, readTyped(row, `${title}: ${name}`));
	}
	return Object.fromEntries(values);
}

function readTyped({ type = 'text', value }: Row, displayName: string): unknown {
	const fieldType = type === 'text' ? 'string' : type;
	return coerce({ displayName, name: '', type: fieldType, default: '' }, value);
}
