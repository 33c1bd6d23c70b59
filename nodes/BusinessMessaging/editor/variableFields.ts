/** The form for the variables of a template: which fields there are and what they are called. */
import type { ResourceMapperField } from 'n8n-workflow';

import { type Template, type TemplateVariable, variablePattern } from '../api/templates';
import { fieldOf, pdfField, titleOf } from '../operations/message/variables';

/** Characters of text shown on either side of a variable. The editor shows about 25 of a label, more if its panel is wider. */
const before = 14;
const after = 20;

/** The fields for a template, in its order. */
export function fieldsFor({ variables, headerPdf }: Template): ResourceMapperField[] {
	const pdf =
		headerPdf === 'none' ? [] : [field(pdfField, pdfLabels[headerPdf], headerPdf === 'needed')];
	return [
		...pdf,
		...variables.map((variable) => field(fieldOf(variable), labelOf(variable), true)),
	];
}

const pdfLabels = {
	needed: 'Header PDF URL',
	unknown: 'Header PDF URL (empty if attached to the template)',
	optional: 'Header PDF URL (optional)',
};

/** How many numbered fields each part has if the template is unknown, and how many of them show at first. */
const numbered = {
	header: { fields: 1, shown: 0 },
	body: { fields: 12, shown: 3 },
	button: { fields: 3, shown: 0 },
};

/** The fields for a template that cannot be looked up: numbered, none required, the rarer ones to be added. */
export function numberedFields(): ResourceMapperField[] {
	const count = ({ fields }: { fields: number }) =>
		Array.from({ length: fields }, (_, index) => index + 1);
	const optional = (
		variable: Omit<TemplateVariable, 'text'>,
		shown: number,
	): ResourceMapperField => ({
		...field(fieldOf(variable), titleOf(variable), false),
		removed: Number(variable.name) > shown,
	});
	return [
		...count(numbered.header).map((n) =>
			optional({ part: 'header', name: String(n) }, numbered.header.shown),
		),
		...count(numbered.body).map((n) =>
			optional({ part: 'body', name: String(n) }, numbered.body.shown),
		),
		...count(numbered.button).map((n) =>
			optional({ part: 'button', button: n, name: '1' }, numbered.button.shown),
		),
		{ ...field(pdfField, pdfLabels.optional, false), removed: true },
	];
}

function field(id: string, displayName: string, required: boolean): ResourceMapperField {
	return {
		id,
		displayName,
		required,
		defaultMatch: false,
		canBeUsedToMatch: false,
		display: true,
		type: 'string',
	};
}

/** E.g. `Body 1: "Hello {{1}}, your order…"`. Words are not cut in two. */
function labelOf(variable: TemplateVariable): string {
	const text = variable.text.replaceAll(/\s+/g, ' ').replace(/^https?:\/\//, '');
	const [start, end] = placeOf(variable.name, text);
	const [head, tail] = [text.slice(0, start), text.slice(end)];
	const shownHead =
		head.length > before ? `…${head.slice(-before).replace(/^[^\s/]*[\s/]/, '')}` : head;
	const shownTail = tail.length > after ? `${tail.slice(0, after).replace(/\s\S*$/, '')}…` : tail;
	return `${titleOf(variable)}: "${shownHead}${text.slice(start, end)}${shownTail}"`;
}

/** Where a variable stands first. */
function placeOf(variable: string, text: string): [number, number] {
	const match = [...text.matchAll(variablePattern)].find(([, name]) => name === variable);
	return match ? [match.index, match.index + match[0].length] : [0, 0];
}
