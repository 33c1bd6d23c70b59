/** The values of a template's variables, from the form to the components of the message. */
import { groupBy, isPlainObject, mapValues, sortBy, upperFirst } from 'lodash';

import type { TemplateVariable } from '../../reading/readTemplates';
import { InputError } from '../../transport/errors';
import { readText } from '../readText';

/** A value for a variable. `id` is also the name of the variable's field in the form, which workflows save. */
export interface GivenVariable extends Pick<TemplateVariable, 'id'> {
	value: string;
	/** Whether the form asked for the value, because the text of the template contains the variable. */
	isAsked?: boolean;
}

/** The template of a message. */
export interface TemplateMessage {
	name: string;
	language: string;
	/** The values of its variables; undefined if the user wrote the components. */
	given?: GivenVariable[];
}

/** The form's field for the PDF. n8n shows this name in an empty field. */
export const pdfField = 'headerPdfUrl';

/** The part that a variable is in, e.g. `body`, or `button2` for the second button. */
export function partOf({ id }: Pick<TemplateVariable, 'id'>): string {
	return id.slice(0, id.indexOf('_'));
}

/** The name of a variable in its part, e.g. `1` or `customer`. */
export function nameOf({ id }: Pick<TemplateVariable, 'id'>): string {
	return id.slice(id.indexOf('_') + 1);
}

/** The label of a variable, e.g. `Body 1`, or `Button 2` for the only variable that a button usually has. */
export function titleOf(variable: Pick<TemplateVariable, 'id'>): string {
	const part = upperFirst(partOf(variable)).replace(/\d+/, ' $&');
	const name = nameOf(variable);
	return part.startsWith('Button') && name === '1' ? part : `${part} ${name}`;
}

/**
 * Reads the form, or an expression whose result has the same shape.
 *
 * @throws InputError for an unknown name, a value of spaces, and an empty field that the template needs
 */
export function readForm(form: unknown): { given: GivenVariable[]; pdfUrl?: string } {
	const { value, schema } = (isPlainObject(form) ? form : {}) as {
		value?: Record<string, unknown> | null;
		schema?: Array<{ id: string; displayName?: string; required?: boolean }>;
	};
	const fields = Array.isArray(schema) ? schema : [];
	const labels = Object.fromEntries(fields.map(({ id, displayName }) => [id, displayName]));
	const texts = mapValues(value ?? {}, (given, id) => {
		const label = labels[id] ?? titleOf({ id });
		const text = readText(given, label);
		// An empty field may be one that the template does not have. Spaces come from the user's data.
		if (text !== '' && text.trim() === '' && id !== pdfField) throw emptyField(label);
		return text;
	});
	const missing = fields.find(({ id, required }) => required && !texts[id]?.trim());
	if (missing) throw emptyField(missing.displayName ?? missing.id);
	const filled = Object.keys(texts).filter((id) => id !== pdfField && texts[id]);
	const unknown = filled.find((id) => !/^(header|body|button\d+)_./.test(id));
	if (unknown)
		throw new InputError(
			`"${unknown}" is not the name of a variable`,
			'Names of variables are e.g. body_1, header_1, button1_1 for the first button, or body_customer for a named variable.',
		);
	const asked = fields.filter(({ required }) => required).map(({ id }) => id);
	const given = filled.map((id) => {
		return { id, value: texts[id], ...(asked.includes(id) && { isAsked: true }) };
	});
	return {
		given: Object.values(groupBy(given, partOf)).flatMap(inOrder),
		pdfUrl: texts[pdfField]?.trim() || undefined,
	};
}

function inOrder(given: GivenVariable[]): GivenVariable[] {
	return areNumbered(given) ? sortBy(given, (one) => Number(nameOf(one))) : given;
}

function areNumbered(given: GivenVariable[]): boolean {
	return given.every((one) => /^\d+$/.test(nameOf(one)));
}

/** Whether a message has named values. Only the text of its template shows their order. */
export function hasNamed(given: GivenVariable[] = []): boolean {
	return !areNumbered(given);
}

/**
 * For a template whose variables are unknown: a gap in numbered values would shift them, as the service only sees their
 * order. A template may have {{2}} without {{1}}; the form then asks only for {{2}}.
 *
 * @throws InputError that names the first missing value
 */
export function refuseGaps(given: GivenVariable[]): void {
	for (const [part, values] of Object.entries(groupBy(given, partOf))) {
		if (!areNumbered(values) || values.some(({ isAsked }) => isAsked)) continue;
		const numbers = values.map((one) => Number(nameOf(one))).sort((a, b) => a - b);
		const gap = numbers.findIndex((number, index) => number !== index + 1);
		if (gap >= 0) throw emptyField(titleOf({ id: `${part}_${gap + 1}` }));
	}
}

function emptyField(label: string): InputError {
	return new InputError(
		`'${label}' is empty`,
		'The template needs this value. Fill in the field, or check the data that its expression refers to.',
	);
}

/** The components of a message. Source: specification, "Template message components"; header and buttons: assumption. */
export function toComponents(given: GivenVariable[]): Array<Record<string, unknown>> | undefined {
	const components = Object.entries(groupBy(given, partOf)).map(([part, values]) => {
		const [, type, button] = /^([a-z]+)(\d*)$/.exec(part) ?? [];
		return {
			type,
			...(button && { sub_type: 'url', index: String(Number(button) - 1) }),
			parameters: values.map(({ value }) => ({ type: 'text', text: value })),
		};
	});
	return components.length > 0 ? components : undefined;
}
