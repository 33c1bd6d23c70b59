/** Builders of fields: they carry the name of a field and the type of its value, so that operations are checked. */
import { omit, sortBy } from 'lodash';
import type { INodeProperties, INodePropertyOptions, NodePropertyTypes } from 'n8n-workflow';

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
