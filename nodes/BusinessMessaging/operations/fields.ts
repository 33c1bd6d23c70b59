/** Fields of the editor: builders that tell the compiler names and types of values, and fields that operations share. */
import { omit, sortBy } from 'lodash';
import type { INodeProperties, INodePropertyOptions, NodePropertyTypes } from 'n8n-workflow';

import { maxTimeoutSeconds } from '../transport/deadline';

declare const valueType: unique symbol;

/** A field of the editor that knows its name and, for the compiler alone, the type of its value. */
export type Field<N extends string = string, V = unknown> = INodeProperties & {
	name: N;
	readonly [valueType]?: V;
};

/** The values of fields by their names. */
export type ValuesOf<F extends readonly Field[]> = {
	[K in F[number] as K['name']]: K extends Field<string, infer V> ? V : never;
};

type Look<N extends string> = Omit<INodeProperties, 'type' | 'default' | 'name'> & { name: N };

/** Makes the builder of a type of field. */
function builder<V>(type: NodePropertyTypes, standard: INodeProperties['default']) {
	return <const N extends string>(field: Look<N> & { default?: V }) =>
		({ type, default: standard, ...field }) as Field<N, V>;
}

/** Text, with `typeOptions.rows` in several lines. */
export const textField = builder<string>('string', '');

/** A number, within the bounds of `typeOptions`. */
export const numberField = builder<number>('number', 0);

/** A switch, off by default. */
export const booleanField = builder<boolean>('boolean', false);

/** JSON. Its value is parsed, and undefined if the field is empty. */
export const jsonField = builder<unknown>('json', '[]');

/** One of several values; the options are sorted by name. */
export function choiceField<const N extends string, const V extends string>(
	field: Look<N> & { options: Array<INodePropertyOptions & { value: V }>; default: V },
): Field<N, V> {
	return { type: 'options', ...field };
}

/** Optional fields that the user adds one by one, sorted by label. None of them is required. */
export function collectionField<const N extends string, const F extends readonly Field[]>(
	field: Look<N> & { fields: F },
): Field<N, Partial<ValuesOf<F>>> {
	const { fields, ...look } = field;
	const options = sortBy(fields, 'displayName').map((one) => omit(one, 'required'));
	return { type: 'collection', default: {}, ...look, options };
}

/** Fields that belong together, for a collection. Their values are in a list of one, once the user has added them. */
export function groupField<const N extends string, const F extends readonly Field[]>(
	field: Look<N> & { fields: F },
): Field<N, { values?: Array<Partial<ValuesOf<F>>> }> {
	const { fields, ...look } = field;
	const group = { displayName: look.displayName, name: 'values', values: [...fields] };
	return { type: 'fixedCollection', default: {}, ...look, options: [group] };
}

/** A record, chosen from a list or by its ID, name or code, which is the value. */
export function recordField<const N extends string>(
	field: Look<N> & {
		searchListMethod: string;
		idMode?: 'id' | 'name' | 'code';
		idPlaceholder: string;
	},
): Field<N, string> {
	const { searchListMethod, idMode = 'id', idPlaceholder, ...look } = field;
	return {
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		...look,
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
export function showFor<F extends Field>(
	field: F,
	condition: Record<string, Array<string | boolean>>,
): F {
	const show = { ...condition, ...field.displayOptions?.show };
	return { ...field, displayOptions: { ...field.displayOptions, show } };
}

const phoneFormat =
	"with + or 00 and country code, written in any usual way. Numbers without country code need a 'Default Country'.";

/** Who gets a message. Source: specification, field `to`. */
export const recipientField = textField({
	displayName: 'Recipient Phone Number',
	name: 'to',
	required: true,
	placeholder: 'e.g. +49 170 1234567',
	description: `Phone number of the recipient ${phoneFormat}`,
});

/** Phone number of a contact. Source: specification, "Resources and their fields". */
export const phoneField = textField({
	displayName: 'Phone',
	name: 'phone',
	required: true,
	placeholder: 'e.g. +49 170 1234567',
	description: `Phone number of the contact ${phoneFormat}`,
});

/** Name of a contact. Source: specification, "Resources and their fields". */
export const contactNameField = textField({
	displayName: 'Name',
	name: 'name',
	placeholder: 'e.g. Anna Schmidt',
	description: 'Name of the contact',
});

/** What a template consists of. Category: `utility` is specified, the other values and the components are assumptions. */
export const templateContentFields = [
	textField({
		displayName: 'Name',
		name: 'name',
		required: true,
		placeholder: 'e.g. order_update',
		description: 'Name of the template',
	}),
	textField({
		displayName: 'Language',
		name: 'language',
		required: true,
		placeholder: 'e.g. en_US',
		description: 'Locale code of the template, e.g. en_US or de_DE',
	}),
	choiceField({
		displayName: 'Category',
		name: 'category',
		options: [
			{ name: 'Authentication', value: 'AUTHENTICATION', description: 'One-time passwords' },
			{ name: 'Marketing', value: 'MARKETING', description: 'Offers, news, invitations' },
			{ name: 'Utility', value: 'UTILITY', description: 'Orders, appointments, invoices' },
		],
		default: 'UTILITY',
		description: 'What the template is for',
	}),
	jsonField({
		displayName: 'Components (JSON)',
		name: 'componentsJson',
		placeholder: 'e.g. [{ "type": "BODY", "text": "Hello {{1}}" }]',
		description: 'The parts of the template as the service documents them',
	}),
] as const;

/** Whether a list gives all records. */
export const returnAllField = booleanField({
	displayName: 'Return All',
	name: 'returnAll',
	description: 'Whether to return all results or only up to a given limit',
});

/** Greatest number of records of a list. */
export const limitField = numberField({
	displayName: 'Limit',
	name: 'limit',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 50,
	displayOptions: { show: { returnAll: [false] } },
	description: 'Max number of results to return',
});

/** Whether the records of a list are shortened. */
export const simplifyField = booleanField({
	displayName: 'Simplify',
	name: 'simplify',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

export const defaultTimeoutSeconds = 30;

const concurrencyField = numberField({
	displayName: 'Simultaneous Requests',
	name: 'concurrency',
	typeOptions: { minValue: 1, maxValue: 400, numberPrecision: 0 },
	default: 24,
	description:
		'How many messages may be sent at the same time. Without this option, as many as the rate of the credential needs. Messages to the same person are always sent one after the other.',
});

/** Whether the output has the fields of the input too. */
export const keepInputField = booleanField({
	displayName: 'Keep Input Fields',
	name: 'keepInputFields',
	noDataExpression: true,
	description:
		'Whether the fields of the input item follow those of the result. Where both have a field, the result counts.',
});

const timeoutField = numberField({
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	typeOptions: { minValue: 1, maxValue: maxTimeoutSeconds },
	default: defaultTimeoutSeconds,
	description: 'How many seconds the service may take to respond to a request',
});

/** The collection Options at the end of every operation, with the options that are its own. */
export function optionsField(own: readonly Field[], sendsMessages: boolean): Field {
	const fields = [...own, ...(sendsMessages ? [concurrencyField] : []), timeoutField];
	const displayName = 'Options';
	return collectionField({ displayName, name: 'options', placeholder: 'Add Option', fields });
}
