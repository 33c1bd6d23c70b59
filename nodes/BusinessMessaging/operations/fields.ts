/** Builders of fields, from which the compiler knows the types of their values, and fields that operations share. */
import { omit, sortBy } from 'lodash';
import type { INodeProperties, INodePropertyOptions, NodePropertyTypes } from 'n8n-workflow';

import { maxTimeoutSeconds } from '../transport/deadline';

declare const valueType: unique symbol;

/** A field of the editor that knows its name and, for the compiler alone, the type of its value. */
export type ParameterField<N extends string = string, V = unknown> = INodeProperties & {
	name: N;
	readonly [valueType]?: V;
};

/** The values of fields by their names. */
export type ValuesOf<F extends readonly ParameterField[]> = {
	[K in F[number] as K['name']]: K extends ParameterField<string, infer V> ? V : never;
};

type FieldSettings<N extends string> = Omit<INodeProperties, 'type' | 'default' | 'name'> & {
	name: N;
};

function builder<V>(type: NodePropertyTypes, standard: INodeProperties['default']) {
	return <const N extends string>(field: FieldSettings<N> & { default?: V }) =>
		({ type, default: standard, ...field }) as ParameterField<N, V>;
}

/** Text; with `typeOptions.rows`, in several lines. */
export const textField = builder<string>('string', '');

/** A number, within the bounds of `typeOptions`. */
export const numberField = builder<number>('number', 0);

/** A date with a time. Its value is a text, or the result of an expression. */
export const dateField = builder<unknown>('dateTime', '');

/** A switch, off by default. */
export const booleanField = builder<boolean>('boolean', false);

/** JSON. Its value is parsed, and undefined if the field is empty. */
export const jsonField = builder<unknown>('json', '[]');

/** One of several values; the options are sorted by name. */
export function choiceField<const N extends string, const V extends string>(
	field: FieldSettings<N> & { options: Array<INodePropertyOptions & { value: V }>; default: V },
): ParameterField<N, V> {
	return { type: 'options', ...field };
}

/** Optional fields that the user adds one by one, sorted by label. None of them is required. */
export function collectionField<const N extends string, const F extends readonly ParameterField[]>(
	field: FieldSettings<N> & { fields: F },
): ParameterField<N, Partial<ValuesOf<F>>> {
	const { fields, ...rest } = field;
	const options = sortBy(fields, 'displayName').map((one) => omit(one, 'required'));
	return { type: 'collection', default: {}, ...rest, options };
}

/** Fields of a collection that are added with one click, with their defaults. Their value is a list with one entry. */
export function groupField<const N extends string, const F extends readonly ParameterField[]>(
	field: FieldSettings<N> & { fields: F },
): ParameterField<N, { values?: Array<Partial<ValuesOf<F>>> }> {
	const { fields, ...rest } = field;
	const group = { displayName: rest.displayName, name: 'values', values: [...fields] };
	const values = Object.fromEntries(fields.map((one) => [one.name, one.default]));
	// Otherwise, older versions of n8n do not save a group in which all values are the defaults.
	const typeOptions = { multipleValues: false };
	return { type: 'fixedCollection', typeOptions, default: { values }, ...rest, options: [group] };
}

/** A list of rows. Its value is an object whose only key is the name of a row, e.g. `{ button: [{ text: 'Yes' }] }`. */
export function rowsField<const N extends string, const R extends string>(
	rest: { displayName: string; name: N; description: string },
	row: R,
	values: ParameterField[],
): ParameterField<N, Partial<Record<Lowercase<R>, Array<Record<string, unknown>>>>> {
	return {
		...rest,
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, multipleValueButtonText: `Add ${row}`, sortable: true },
		placeholder: `Add ${row}`,
		default: {},
		options: [{ displayName: row, name: row.toLowerCase(), values }],
	};
}

/** A record, chosen from a list or entered by its ID, name or code, which is the value. */
export function recordField<const N extends string>(
	field: FieldSettings<N> & {
		searchListMethod: string;
		default?: { mode: 'list'; value: string; cachedResultName: string };
		idMode?: 'id' | 'name' | 'code';
		idPlaceholder: string;
	},
): ParameterField<N, string> {
	const { searchListMethod, idMode = 'id', idPlaceholder, ...rest } = field;
	return {
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		...rest,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Choose…',
				typeOptions: { searchListMethod, searchable: true },
			},
			{
				displayName: { id: 'By ID', name: 'By Name', code: 'By Code' }[idMode],
				name: idMode,
				type: 'string',
				placeholder: idPlaceholder,
			},
		],
	};
}

/** The same field, shown only if other fields have these values. */
export function showFor<F extends ParameterField>(
	field: F,
	condition: Record<string, Array<string | boolean>>,
): F {
	const show = { ...condition, ...field.displayOptions?.show };
	return { ...field, displayOptions: { ...field.displayOptions, show } };
}

const phoneFormat =
	'with + or 00 and the country code, in any usual spelling. For numbers without a country code, set Default Country.';

/** Who gets a message. Source: specification, field `to`. */
export const recipientField = textField({
	displayName: 'Recipient Phone Number',
	name: 'to',
	required: true,
	placeholder: 'e.g. +49 170 1234567',
	description: `Phone number of the recipient, ${phoneFormat}`,
});

/** Phone number of a contact. Source: specification, "Resources and their fields". */
export const phoneField = textField({
	displayName: 'Phone',
	name: 'phone',
	required: true,
	placeholder: 'e.g. +49 170 1234567',
	description: `Phone number of the contact, ${phoneFormat}`,
});

/** Name of a contact. Source: specification, "Resources and their fields". */
export const contactNameField = textField({
	displayName: 'Name',
	name: 'name',
	placeholder: 'e.g. Anna Schmidt',
	description: 'Name of the contact',
});

/** Whether a list gives all records. */
export const returnAllField = booleanField({
	displayName: 'Return All',
	name: 'returnAll',
	description: 'Whether to return all results or only up to a given limit',
});

/** Maximum number of records of a list. */
export const limitField = numberField({
	displayName: 'Limit',
	name: 'limit',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 50,
	displayOptions: { show: { returnAll: [false] } },
	description: 'Max number of results to return',
});

/** Whether to simplify a list. A tool of an AI agent has the next two fields instead, as n8n requires. */
export const simplifyField = booleanField({
	displayName: 'Simplify',
	name: 'simplify',
	default: true,
	displayOptions: { hide: { '@tool': [true] } },
	description: 'Whether to return a simplified version of the response instead of the raw data',
	hint: 'At most 10 fields of each record. Switch it off to get all fields.',
});

/** What an AI agent gets of the records of a list. */
export const outputField = choiceField({
	displayName: 'Output',
	name: 'output',
	options: [
		{ name: 'Raw', value: 'raw', description: 'All fields as the service sends them' },
		{ name: 'Selected Fields', value: 'selected', description: 'Only the fields that you name' },
		{ name: 'Simplified', value: 'simplified', description: 'At most 10 fields' },
	],
	default: 'simplified',
	displayOptions: { show: { '@tool': [true] } },
	description: 'Which fields of the records the AI model can read',
});

/** The names of the fields that the records keep, if the output is `selected`. */
export const outputFieldsField = textField({
	displayName: 'Fields',
	name: 'outputFields',
	required: true,
	displayOptions: { show: { '@tool': [true], output: ['selected'] } },
	placeholder: 'e.g. name, phone',
	description: 'Names of the fields to return, separated by commas',
});

export const defaultTimeoutSeconds = 30;

const concurrencyField = numberField({
	displayName: 'Simultaneous Requests',
	name: 'concurrency',
	typeOptions: { minValue: 1, maxValue: 600, numberPrecision: 0 },
	default: 24,
	description:
		'Maximum number of messages that are sent at the same time. Without this option, the node chooses the number.',
});

const messagesPerMinuteField = numberField({
	displayName: 'Messages per Minute',
	name: 'messagesPerMinute',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 60,
	description:
		'Maximum number of messages that this node sends in any 60 seconds. Without this option, it sends as many as the credential allows.',
});

/** Whether the output also has the fields of the input. */
export const includeOtherField = booleanField({
	displayName: 'Include Other Input Fields',
	name: 'includeOtherFields',
	noDataExpression: true,
	description:
		'Whether to add the fields and files of the input item to the output. Input fields whose name a result can have, e.g. error or details, are left out.',
});

const timeoutField = numberField({
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	typeOptions: { minValue: 1, maxValue: maxTimeoutSeconds },
	default: defaultTimeoutSeconds,
	description: 'How many seconds the service may take to respond to a request',
});

/** The collection Options at the end of every operation, together with the options of this operation. */
export function optionsField(
	operationFields: readonly ParameterField[],
	sendsMessages: boolean,
): ParameterField {
	const sendingFields = sendsMessages ? [concurrencyField, messagesPerMinuteField] : [];
	const fields = [...operationFields, ...sendingFields, timeoutField];
	const displayName = 'Options';
	return collectionField({ displayName, name: 'options', placeholder: 'Add Option', fields });
}
