/** The values of a template's variables: how the form names them, and the components that they make. */
import { groupBy, isPlainObject } from 'lodash';

import type { TemplatePart, TemplateVariable } from '../../api/templates';
import { asText } from '../asText';
import { InputError } from '../inputError';

/** A value that was given for a variable. */
export interface GivenVariable extends Pick<TemplateVariable, 'part' | 'button' | 'name'> {
	value: string;
}

/** Name of the form's field for the PDF; no variable is called so. */
export const pdfField = 'headerDocumentUrl';

/** Name of the form's field for a variable, e.g. `body_1` or `button2_1` for the second button. Saved in workflows. */
export function fieldOf({
	part,
	button,
	name,
}: Pick<TemplateVariable, 'part' | 'button' | 'name'>): string {
	return `${part}${button ?? ''}_${name}`;
}

/** What people call a variable, e.g. `Body 1`, or `Button 2` for the only variable that a button usually has. */
export function titleOf({
	part,
	button,
	name,
}: Pick<TemplateVariable, 'part' | 'button' | 'name'>): string {
	if (part === 'button') return `Button ${button}${name === '1' ? '' : ` ${name}`}`;
	return `${part === 'header' ? 'Header' : 'Body'} ${name}`;
}

/** What the editor keeps of a field of the form. */
interface FormField {
	id: string;
	displayName?: string;
	required?: boolean;
}

/**
 * Reads the form, or the values that an expression or another program gave in its shape.
 *
 * @throws InputError for a name that is no variable's, and for a variable without a value, naming it
 */
export function readForm(form: unknown): { given: GivenVariable[]; pdfUrl?: string } {
	const { value, schema } = (isPlainObject(form) ? form : {}) as {
		value?: Record<string, unknown> | null;
		schema?: FormField[];
	};
	const fields = Array.isArray(schema) ? schema : [];
	const texts = new Map(
		Object.entries(value ?? {}).map(([id, text]) => [
			id,
			asText(text).trim() === '' ? '' : asText(text),
		]),
	);
	const missing = fields.find(({ id, required }) => required && !texts.get(id));
	if (missing?.id === pdfField)
		throw new InputError(
			'The address of the PDF in the header is empty',
			'The template needs a PDF in its header. Check the field, or the data that its expression refers to.',
		);
	if (missing) throw emptyVariable(missing.displayName ?? missing.id);
	// In the order of the form, which is the template's.
	const order = [...new Set([...fields.map(({ id }) => id), ...texts.keys()])];
	const given = order
		.filter((id) => id !== pdfField && texts.get(id))
		.map((id) => readField(id, texts.get(id) ?? ''));
	const sorted = Object.values(groupBy(given, ({ part, button }) => `${part}${button}`)).flatMap(
		inOrder,
	);
	return { given: sorted, pdfUrl: texts.get(pdfField)?.trim() || undefined };
}

function readField(id: string, value: string): GivenVariable {
	const [, part, button, name] = /^(header|body|button)(\d*)_(.+)$/.exec(id) ?? [];
	if (!part || (part === 'button') !== Boolean(button)) {
		throw new InputError(
			`"${id}" is not the name of a variable`,
			'Names are e.g. body_1, header_1, button1_1 for the first button, or body_customer for a named variable.',
		);
	}
	return { part: part as TemplatePart, ...(button && { button: Number(button) }), name, value };
}

/** The values of one part: numbered ones by number and without a gap, since the service knows them by their place. */
function inOrder(given: GivenVariable[]): GivenVariable[] {
	if (!given.every(({ name }) => /^\d+$/.test(name))) return given;
	const sorted = [...given].sort((a, b) => Number(a.name) - Number(b.name));
	const gap = sorted.findIndex(({ name }, index) => Number(name) !== index + 1);
	if (gap >= 0) throw emptyVariable(titleOf({ ...sorted[gap], name: String(gap + 1) }));
	return sorted;
}

function emptyVariable(title: string): InputError {
	return new InputError(
		`The variable ${title} is empty`,
		'A template needs a text for each variable. Check the field, or the data that its expression refers to.',
	);
}

/**
 * The components of a message; undefined without values. Source: specification, "Template message components" for the
 * body; those of header and buttons are an assumption, with the usual names for which button is meant.
 */
export function toComponents(given: GivenVariable[]): Array<Record<string, unknown>> | undefined {
	const components = Object.values(groupBy(given, ({ part, button }) => `${part}${button}`)).map(
		(values) => {
			const [{ part, button }] = values;
			const place = button === undefined ? {} : { sub_type: 'url', index: String(button - 1) };
			return {
				type: part,
				...place,
				parameters: values.map(({ value }) => ({ type: 'text', text: value })),
			};
		},
	);
	return components.length > 0 ? components : undefined;
}
