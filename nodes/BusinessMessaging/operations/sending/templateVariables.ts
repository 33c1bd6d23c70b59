/** The values of a template's variables, from the form to the components of the message. */
import { groupBy, isPlainObject, mapValues, sortBy, trim, upperFirst } from 'lodash';

import type { TemplateVariable } from '../../reading/readTemplates';
import { InputError } from '../../transport/errors';
import { isBlank, readText } from '../readText';

/** A value for a variable. `id` is also the name of the variable's field in the form, which workflows save. */
export interface GivenVariable extends Pick<TemplateVariable, 'id'> {
	value: string;
	/** Whether the form asked for the value, because the text of the template contains the variable. */
	isAsked?: boolean;
	/** The part of the template's text in which the form showed the variable, e.g. `owe us {{2}}`. */
	shownIn?: string;
}

/** The template of a message. */
export interface TemplateMessage {
	name: string;
	language: string;
	/** The values of its variables; undefined if the user wrote the components. */
	given?: GivenVariable[];
	/** The label of an empty field that was needed when the form was filled in. It counts only if the template is not known. */
	missing?: string;
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
	if (variable.id === pdfField) return 'Header PDF URL';
	const part = upperFirst(partOf(variable)).replace(/\d+/, ' $&');
	const name = nameOf(variable);
	return part.startsWith('Button') && name === '1' ? part : `${part} ${name}`;
}

/**
 * Reads the form, or an expression whose result has the same shape.
 *
 * @param isOfTemplate whether the saved form is certainly that of the template, and not of another one
 * @throws InputError for an unknown name, and a value of spaces
 */
export function readForm(
	form: unknown,
	isOfTemplate = false,
): Pick<TemplateMessage, 'missing'> & { given: GivenVariable[]; pdfUrl?: string } {
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
		if (isBlank(text) && id !== pdfField) throw emptyField(label);
		return text;
	});
	const missing = fields.find(({ id, required }) => required && !texts[id]?.trim());
	const filled = Object.keys(texts).filter((id) => id !== pdfField && texts[id]);
	const unknown = filled.find((id) => !/^(header|body|button\d+)_./.test(id));
	if (unknown)
		throw new InputError(
			`"${unknown}" is not the name of a variable`,
			'Names of variables are e.g. body_1, header_1, button1_1 for the first button, or body_customer for a named variable.',
		);
	const asked = fields.filter(({ required }) => required).map(({ id }) => id);
	const given = filled.map((id) => {
		const shownIn = isOfTemplate ? textShownIn(labels[id] ?? '', { id }) : '';
		return {
			...{ id, value: texts[id] },
			...(asked.includes(id) && { isAsked: true }),
			...(shownIn && { shownIn }),
		};
	});
	return {
		...(missing && { missing: missing.displayName ?? titleOf(missing) }),
		given: Object.values(groupBy(given, partOf)).flatMap(inOrder),
		pdfUrl: texts[pdfField]?.trim() || undefined,
	};
}

/** The text in a label, e.g. `owe us {{2}}` in `Body 2: …owe us {{2}}.`; empty if the label shows none. */
function textShownIn(label: string, variable: Pick<TemplateVariable, 'id'>): string {
	const title = `${titleOf(variable)}: `;
	return label.startsWith(title) ? trim(label.slice(title.length), '…"') : '';
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
 * @returns an error that names the first missing value
 */
export function gapIn(given: GivenVariable[]): InputError | undefined {
	for (const [part, values] of Object.entries(groupBy(given, partOf))) {
		if (!areNumbered(values) || values.some(({ isAsked }) => isAsked)) continue;
		const numbers = values.map((one) => Number(nameOf(one))).sort((a, b) => a - b);
		const gap = numbers.findIndex((number, index) => number !== index + 1);
		if (gap >= 0) return emptyField(titleOf({ id: `${part}_${gap + 1}` }));
	}
	return undefined;
}

/** A text on one line, as labels of the form show it. */
export function withSingleSpaces(text: string): string {
	return text.replaceAll(/\s+/g, ' ');
}

/** The error for a variable without a value. */
export function emptyField(label: string): InputError {
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
