/** All fields of all operations that allow an expression. */
import { map, pick } from 'lodash';
import type {
	IDisplayOptions,
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
} from 'n8n-workflow';

import { operations } from '../../../nodes/BusinessMessaging/nodeProperties';
import { caseOf } from '../../../harness/engine/everyOperation';
import { locator } from '../../../harness/engine/service';

/** A field, and the parameters in which the field has the expression as its value. */
export interface Place {
	/** The path of keys to the field. */
	name: string;
	/** The label of the node's field that contains the field. */
	label: string;
	/** The field itself, which may be in a collection or a row. */
	field: INodeProperties;
	parameters: INodeParameters;
}

/** Whether a field allows an expression. */
const isOpen = ({ type, noDataExpression }: INodeProperties) =>
	type === 'resourceMapper' || (type !== 'notice' && !noDataExpression);

/** All places for an expression in a field, including those in collections and rows. */
function placesIn(field: INodeProperties, expression: string): Place[] {
	const { type, name, displayName: label, options = [], typeOptions } = field;
	const isList = typeOptions?.multipleValues === true;
	const itself = (value: INodeParameters[string], inner = '') => [
		{ name: `${name}${inner}`, label, field, parameters: { [name]: value } },
	];
	const within = (
		fields: INodeProperties[],
		toValue: (values: INodeParameters) => object,
		row = '',
	) =>
		fields
			.filter(isOpen)
			.flatMap((one) => placesIn(one, expression))
			.map((place) => ({
				...{ name: `${name}${row}.${place.name}`, label, field: place.field },
				parameters: { [name]: toValue(place.parameters) } as INodeParameters,
			}));
	if (type === 'resourceLocator') return itself(locator(expression));
	if (type === 'resourceMapper')
		return itself({ mappingMode: 'defineBelow', value: { body_1: expression } }, '.body_1').map(
			(place) => ({ ...place, label: 'Body 1' }),
		);
	if (type === 'collection') return within(options as INodeProperties[], (values) => values);
	if (type !== 'fixedCollection') return itself(expression);
	return (options as INodePropertyCollection[]).flatMap((row) => {
		const toRow = (values: INodeParameters) => {
			const named = { name: 'x', ...values };
			return { [row.name]: isList ? [named] : named };
		};
		return within(row.values, toRow, `.${row.name}`);
	});
}

/** The values of other fields for which a field is shown; undefined for a field that only tools of AI agents have. */
function shownBy(
	fields: readonly INodeProperties[],
	show: IDisplayOptions['show'] = {},
): INodeParameters | undefined {
	if ('@tool' in show) return undefined;
	const conditions = Object.entries(show).map(([key, values]) => {
		const name = key.replace('/', '');
		const other = fields.find((field) => field.name === name);
		return { ...shownBy(fields, other?.displayOptions?.show), [name]: values?.[0] };
	});
	return Object.assign({}, ...conditions) as INodeParameters;
}

const question = { to: '+15550001000', message: 'Hi?' };
/** Values for required fields, in addition to the parameters with which each operation works. */
const needed: Record<string, INodeParameters[string]> = {
	campaign: 'sale',
	choices: 'a, b',
	fallbackTemplate: locator('welcome', 'name'),
	headerText: 'Hi',
	language: locator('en_US', 'code'),
	template: locator('welcome', 'name'),
	testNumber: '+15550001000',
};

/** All places of an operation, each with the parameters for which it is shown. */
function placesOf(
	{ resource, value, fields, waits }: (typeof operations)[number],
	expression: string,
): Array<Place & { at: string }> {
	const usual = waits ? question : caseOf(resource, value).parameters;
	const base = { resource, operation: value, ...pick(needed, map(fields, 'name')), ...usual };
	return fields.filter(isOpen).flatMap((field) =>
		placesIn(field, expression).flatMap((place) => {
			const inner = (field.options as INodeProperties[] | undefined)?.find(
				({ name }) => place.name === `${field.name}.${name}`,
			);
			const show = { ...field.displayOptions?.show, ...inner?.displayOptions?.show };
			const hide = { ...field.displayOptions?.hide, ...inner?.displayOptions?.hide };
			const hidesFreeText = Object.keys(hide).some((key) => /^\/?responseType$/.test(key));
			const shown = shownBy(fields, show);
			if (shown && hidesFreeText) shown.responseType = 'approval';
			const at = `${resource} ${value}: ${place.name}`;
			return shown
				? [{ ...place, at, parameters: { ...base, ...shown, ...place.parameters } }]
				: [];
		}),
	);
}

/** Every field of every operation that allows an expression, with an expression. `at` names operation and field. */
export const placesFor = (expression: string) =>
	operations.flatMap((operation) => placesOf(operation, expression));
