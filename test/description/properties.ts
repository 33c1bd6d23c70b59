/** Walks through the properties of a description, those within collections and fixed collections included. */
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

/** A property with the place where it stands. */
export interface PlacedProperty {
	/** For messages, e.g. `additionalFields.field.name (contact, create)`. */
	path: string;
	property: INodeProperties;
	/** The properties beside it, which its display conditions can name. */
	siblings: INodeProperties[];
}

type Option = NonNullable<INodeProperties['options']>[number];

const isProperty = (option: Option): option is INodeProperties => 'type' in option;
const isCollection = (option: Option): option is INodePropertyCollection => 'values' in option;
/** Whether an option is one of a dropdown. */
export const isChoice = (option: Option): option is INodePropertyOptions =>
	'value' in option && !('type' in option);

/** All properties, each before those within it. */
export function allProperties(siblings: INodeProperties[], prefix = ''): PlacedProperty[] {
	return siblings.flatMap((property) => {
		const shownFor = Object.values(property.displayOptions?.show ?? {})
			.flat()
			.map(String)
			.join(', ');
		const path = `${prefix}${property.name}${shownFor && ` (${shownFor})`}`;
		const options = property.options ?? [];
		return [
			{ path, property, siblings },
			...allProperties(options.filter(isProperty), `${path}.`),
			...options
				.filter(isCollection)
				.flatMap(({ name, values }) => allProperties(values, `${path}.${name}.`)),
		];
	});
}
