/** The values of a template's variables: how the form names them, and the components that they make. */
import { compact, groupBy, isPlainObject, mapValues, uniq, upperFirst } from 'lodash';

import type { TemplatePart, TemplateVariable } from '../../api/templates';
import { asText } from '../asText';
import { InputError } from '../inputError';

type VariableName = Pick<TemplateVariable, 'part' | 'button' | 'name'>;

/** A value that was given for a variable. */
export interface GivenVariable extends VariableName {
	value: string;
}

/** A message as far as its template decides about it. */
export interface TemplateMessage {
	name: string;
	language: string;
	/** The values that its components are made of; undefined if these are sent as the user wrote them. */
	given?: GivenVariable[];
	/** Whether it is compared with its template before it is sent. */
	isChecked: boolean;
}

/** Name of the form's field for the PDF; no variable is called so. n8n shows it where the field is empty. */
export const pdfField = 'headerPdfUrl';

/** The part that a variable is in, e.g. `body`, or `button2` for the second button. */
export function placeOf({ part, button }: VariableName): string {
	return `${part}${button ?? ''}`;
}

/** Name of the form's field for a variable, e.g. `body_1` or `button2_1` for the second button. Saved in workflows. */
export function fieldOf(variable: VariableName): string {
	return `${placeOf(variable)}_${variable.name}`;
}

/** What people call a variable, e.g. `Body 1`, or `Button 2` for the only variable that a button usually has. */
export function titleOf({ part, button, name }: VariableName): string {
	const isOnlyOne = part === 'button' && name === '1';
	return compact([upperFirst(part), button, isOnlyOne ? '' : name]).join(' ');
}

/**
 * Reads the form, or the values that an expression or another program gave in its shape.
 *
 * @throws InputError for a name that is no variable's, and for a variable without a value, naming it
 */
export function readForm(form: unknown): { given: GivenVariable[]; pdfUrl?: string } {
	const { value, schema } = (isPlainObject(form) ? form : {}) as {
		value?: Record<string, unknown> | null;
		schema?: Array<{ id: string; displayName?: string; required?: boolean }>;
	};
	const fields = Array.isArray(schema) ? schema : [];
	const texts = mapValues(value ?? {}, (text) => (asText(text).trim() ? asText(text) : ''));
	const missing = fields.find(({ id, required }) => required && !texts[id]);
	if (missing) throw emptyField(missing.displayName ?? missing.id);
	// In the order of the form, which is the template's.
	const ids = uniq([...fields.map(({ id }) => id), ...Object.keys(texts)]);
	const given = ids
		.filter((id) => id !== pdfField && texts[id])
		.map((id) => readField(id, texts[id]));
	return {
		given: Object.values(groupBy(given, placeOf)).flatMap(inOrder),
		pdfUrl: texts[pdfField]?.trim() || undefined,
	};
}

function readField(id: string, value: string): GivenVariable {
	const [, part, button, name] = /^(header|body|button)(\d*)_(.+)$/.exec(id) ?? [];
	if (!part || (part === 'button') !== Boolean(button)) {
		throw new InputError(
			`"${id}" is not the name of a variable`,
			"Names in 'Variables' are e.g. body_1, header_1, button1_1 for the first button, or body_customer for a named variable.",
		);
	}
	return { part: part as TemplatePart, ...(button && { button: Number(button) }), name, value };
}

/** The values of one part: numbered ones by number and without a gap, since the service knows them by their place. */
function inOrder(given: GivenVariable[]): GivenVariable[] {
	if (!given.every(({ name }) => /^\d+$/.test(name))) return given;
	const sorted = [...given].sort((a, b) => Number(a.name) - Number(b.name));
	const gap = sorted.findIndex(({ name }, index) => Number(name) !== index + 1);
	if (gap >= 0) throw emptyField(titleOf({ ...sorted[gap], name: String(gap + 1) }));
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
 * body; those of header and buttons are an assumption, with the usual names for which button is meant.
 */
export function toComponents(given: GivenVariable[]): Array<Record<string, unknown>> | undefined {
	const components = Object.values(groupBy(given, placeOf)).map((values) => {
		const [{ part, button }] = values;
		return {
			type: part,
			...(button !== undefined && { sub_type: 'url', index: String(button - 1) }),
			parameters: values.map(({ value }) => ({ type: 'text', text: value })),
		};
	});
	return components.length > 0 ? components : undefined;
}
