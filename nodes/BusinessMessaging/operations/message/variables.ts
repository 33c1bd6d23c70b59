/** The values of a template's variables, from the form to the components of the message. */
import { groupBy, isPlainObject, mapValues, sortBy, uniq, upperFirst } from 'lodash';

import type { TemplateVariable } from '../../api/templates';
import { InputError } from '../../transport/errors';
import { readText } from '../readable';

/** A value that was given for a variable, whose `id` is also the name of its field in the form, saved in workflows. */
export interface GivenVariable extends Pick<TemplateVariable, 'id'> {
	value: string;
}

/** The template of a message. */
export interface TemplateMessage {
	name: string;
	language: string;
	/** The values of its variables; undefined if the user wrote the components. */
	given?: GivenVariable[];
	/** Whether it is checked before it is sent. */
	isChecked: boolean;
}

/** The form's field for the PDF. n8n shows this name in an empty field. */
export const pdfField = 'headerPdfUrl';

/** The part that a variable is in, e.g. `body`, or `button2` for the second button. */
export function placeOf({ id }: Pick<TemplateVariable, 'id'>): string {
	return id.slice(0, id.indexOf('_'));
}

/** The name of a variable in its part, e.g. `1` or `customer`. */
export function nameOf({ id }: Pick<TemplateVariable, 'id'>): string {
	return id.slice(id.indexOf('_') + 1);
}

/** The label of a variable, e.g. `Body 1`, or `Button 2` for the only variable that a button usually has. */
export function titleOf(variable: Pick<TemplateVariable, 'id'>): string {
	const place = upperFirst(placeOf(variable)).replace(/\d+/, ' $&');
	const name = nameOf(variable);
	return place.startsWith('Button') && name === '1' ? place : `${place} ${name}`;
}

/**
 * Reads the form, or an expression whose result has the same shape.
 *
 * @throws InputError for an unknown name and an empty field
 */
export function readForm(form: unknown): { given: GivenVariable[]; pdfUrl?: string } {
	const { value, schema } = (isPlainObject(form) ? form : {}) as {
		value?: Record<string, unknown> | null;
		schema?: Array<{ id: string; displayName?: string; required?: boolean }>;
	};
	const fields = Array.isArray(schema) ? schema : [];
	const labels = Object.fromEntries(fields.map(({ id, displayName }) => [id, displayName]));
	const texts = mapValues(value ?? {}, (given, id) => {
		const text = readText(given, labels[id] ?? titleOf({ id }));
		return text.trim() ? text : '';
	});
	const missing = fields.find(({ id, required }) => required && !texts[id]);
	if (missing) throw emptyField(missing.displayName ?? missing.id);
	// In the order of the form, which is the template's.
	const ids = uniq([...fields.map(({ id }) => id), ...Object.keys(texts)]);
	const filled = ids.filter((id) => id !== pdfField && texts[id]);
	const unknown = filled.find((id) => !/^(header|body|button\d+)_./.test(id));
	if (unknown)
		throw new InputError(
			`"${unknown}" is not the name of a variable`,
			"Names in 'Variables' are e.g. body_1, header_1, button1_1 for the first button, or body_customer for a named variable.",
		);
	const given = filled.map((id) => ({ id, value: texts[id] }));
	return {
		given: Object.values(groupBy(given, placeOf)).flatMap(inOrder),
		pdfUrl: texts[pdfField]?.trim() || undefined,
	};
}

/** The values of one part: numbered ones are sorted and must have no gap, because the service only sees their order. */
function inOrder(given: GivenVariable[]): GivenVariable[] {
	if (!given.every((one) => /^\d+$/.test(nameOf(one)))) return given;
	const sorted = sortBy(given, (one) => Number(nameOf(one)));
	const gap = sorted.findIndex((one, index) => Number(nameOf(one)) !== index + 1);
	if (gap >= 0) throw emptyField(titleOf({ id: `${placeOf(sorted[gap])}_${gap + 1}` }));
	return sorted;
}

function emptyField(label: string): InputError {
	return new InputError(
		`'${label}' is empty`,
		"The template needs a value for it. Check the field in 'Variables', or the data that its expression refers to.",
	);
}

/**
 * The components of a message; undefined without values. Source: specification, "Template message components" for the
 * body; header and buttons are an assumption.
 */
export function toComponents(given: GivenVariable[]): Array<Record<string, unknown>> | undefined {
	const components = Object.entries(groupBy(given, placeOf)).map(([place, values]) => {
		const [, type, button] = /^([a-z]+)(\d*)$/.exec(place) ?? [];
		return {
			type,
			...(button && { sub_type: 'url', index: String(Number(button) - 1) }),
			parameters: values.map(({ value }) => ({ type: 'text', text: value })),
		};
	});
	return components.length > 0 ? components : undefined;
}
