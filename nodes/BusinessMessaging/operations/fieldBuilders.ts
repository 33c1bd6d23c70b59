/** Builders of fields: they carry the name of a field and the type of its value, so that operations are checked. */
import { omit } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

declare const valueType: unique symbol;

/** A field of the editor that knows its name and, for the compiler alone, the type of its value. */
export type Field<N extends string = string, V = unknown> = INodeProperties & { name: N; readonly [valueType]?: V };

/** The values of fields by their names. */
export type ValuesOf<F extends readonly Field[]> = {
	[K in F[number] as K['name']]: K extends Field<string, infer V> ? V : never;
};

type Look<N extends string> = Omit<INodeProperties, 'type' | 'default' | 'name'> & { name: N };

/** A line or, with `typeOptions.rows`, several lines of text; empty if not filled in. */
export function textField<const N extends string>(field: Look<N> & { default?: string }): Field<N, string> {
	return { type: 'string', default: '', ...field };
}

/** One of several values; the options are sorted by name. */
export function choiceField<const N extends string, const V extends string>(
	field: Look<N> & { options: Array<INodePropertyOptions & { value: V }>; default: V },
): Field<N, V> {
	return { type: 'options', ...field };
}

/** A number. */
export function numberField<const N extends string>(field: Look<N> & { default: number }): Field<N, number> {
	return { type: 'number', ...field };
}

/** JSON as text, or a value that an expression gives. */
export function jsonField<const N extends string>(field: Look<N> & { default?: string }): Field<N, unknown> {
	return { type: 'json', default: '[]', ...field };
}

/** Optional fields that the user adds one by one. */
export function collectionField<const N extends string, const F extends readonly Field[]>(
	field: Look<N> & { fields: F },
): Field<N, Partial<ValuesOf<F>>> {
	const { fields, ...look } = field;
	return { type: 'collection', default: {}, ...look, options: [...fields] };
}

/** The same field where it may stay empty, e.g. in a collection. */
export function optional<N extends string, V>(field: Field<N, V>): Field<N, V> {
	return omit(field, 'required');
}

/** Rows of texts, e.g. the variables of a template: `{ parameter: [{ text }] }`. */
export function textRowsField<const N extends string>(field: Look<N>): Field<N, { parameter?: Array<{ text?: unknown }> }> {
	return {
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Value', sortable: true },
		default: {},
		...field,
		options: [
			{
				displayName: 'Value',
				name: 'parameter',
				values: [
					{
						displayName: 'Text',
						name: 'text',
						type: 'string',
						default: '',
						placeholder: 'e.g. Anna',
						description: 'What is put in for this variable',
					},
				],
			},
		],
	};
}

/** A record to choose from a list or by its identifier; its value is the identifier. */
export function recordField<const N extends string>(
	field: Look<N> & { searchListMethod: string; idMode?: 'id' | 'name'; idPlaceholder: string },
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
				displayName: idMode === 'id' ? 'By ID' : 'By Name',
				name: idMode,
				type: 'string',
				placeholder: idPlaceholder,
			},
		],
	};
}
