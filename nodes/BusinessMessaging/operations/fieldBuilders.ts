/** Builders of fields: they carry the name of a field and the type of its value, so that operations are checked. */
import { omit, sortBy } from 'lodash';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

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

/** Text, with `typeOptions.rows` in several lines. */
export function textField<const N extends string>(
	field: Look<N> & { default?: string },
): Field<N, string> {
	return { type: 'string', default: '', ...field };
}

/** One of several values; the options are sorted by name. */
export function choiceField<const N extends string, const V extends string>(
	field: Look<N> & { options: Array<INodePropertyOptions & { value: V }>; default: V },
): Field<N, V> {
	return { type: 'options', ...field };
}

/** A number, within the bounds of `typeOptions`. */
export function numberField<const N extends string>(
	field: Look<N> & { default: number },
): Field<N, number> {
	return { type: 'number', ...field };
}

/** A switch. */
export function booleanField<const N extends string>(
	field: Look<N> & { default: boolean },
): Field<N, boolean> {
	return { type: 'boolean', ...field };
}

/** JSON. Its value is parsed, and undefined if the field is empty. */
export function jsonField<const N extends string>(
	field: Look<N> & { default?: string },
): Field<N, unknown> {
	return { type: 'json', default: '[]', ...field };
}

/** Optional fields that the user adds one by one, sorted by label. None of them is required. */
export function collectionField<const N extends string, const F extends readonly Field[]>(
	field: Look<N> & { fields: F },
): Field<N, Partial<ValuesOf<F>>> {
	const { fields, ...look } = field;
	const options = sortBy(fields, 'displayName').map((one) => omit(one, 'required'));
	return { type: 'collection', default: {}, ...look, options };
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
