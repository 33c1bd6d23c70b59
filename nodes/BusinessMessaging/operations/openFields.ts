/** Fields for what the specification leaves open: names and values of the user's own. */
import type { Field } from './fieldBuilders';

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
