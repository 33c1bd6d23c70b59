/** A template message as the customer sees it. The rules on values are assumptions, the one on the PDF is specified. */
import type { z } from 'zod';

import type { endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import { invalid } from '../errors';
import type { RenderedTemplate } from '../state/messages';
import { fillIn, partOf, variablesOf, type Template } from '../state/templates';

type Body = z.output<typeof endpoints.sendTemplate.body>;
type Component = NonNullable<Body['components']>[number];

/** Where a component stands in the request, for errors. */
type Placed = { component: Component; field: string };

/**
 * Fills a template in.
 *
 * @throws HttpError 422 if the values do not fit the variables, or the PDF of a document header is missing
 */
export function renderTemplate(
	template: Template,
	request: Body,
): { text: string; template: RenderedTemplate } {
	const placed = (request.components ?? []).map((component, index) => ({
		component,
		field: `components.${index}`,
	}));
	const ofType = (type: string) =>
		placed.filter(({ component }) => component.type.toLowerCase() === type);
	const stray = placed.find(
		({ component }) => !['header', 'body', 'button'].includes(component.type.toLowerCase()),
	);
	if (stray) throw invalid(`${stray.field}.type`, 'must be body, header or button');
	const text = fill(partOf(template, 'BODY')?.text ?? '', 'body', ofType('body'));
	const { name, language } = template;
	const footer = partOf(template, 'FOOTER')?.text;
	const header = renderHeader(template, request.headerDocumentUrl, ofType('header'));
	const buttons = renderButtons(template, ofType('button'));
	return {
		text,
		template: { name, language, ...(header && { header }), ...(footer && { footer }), buttons },
	};
}

function renderHeader(
	template: Template,
	documentUrl: string | undefined,
	values: Placed[],
): RenderedTemplate['header'] {
	const header = partOf(template, 'HEADER');
	const format = header?.format ?? 'TEXT';
	if (
		format === 'DOCUMENT' &&
		template.category === 'UTILITY' &&
		!template.headerDocumentAttached &&
		!documentUrl
	) {
		const words = `Template ${template.name} has a DOCUMENT header and no PDF attached: the URL of a PDF is required`;
		throw invalid('headerDocumentUrl', words);
	}
	const text = fill(format === 'TEXT' ? (header?.text ?? '') : '', 'header', values);
	return (
		header && {
			format,
			...(text && { text }),
			...(format === 'DOCUMENT' && documentUrl && { documentUrl }),
		}
	);
}

function renderButtons(template: Template, values: Placed[]): RenderedTemplate['buttons'] {
	const buttons = partOf(template, 'BUTTONS')?.buttons ?? [];
	const used = new Set<Placed>();
	const rendered = buttons.map(({ type, text, url }, index) => {
		if (variablesOf(url).length === 0) return { type, text, ...(url && { url }) };
		const mine =
			values.find((value) => isFor(value, index)) ??
			values.find((value) => isFor(value) && !used.has(value));
		if (mine) used.add(mine);
		return { type, text, url: fill(url ?? '', `button ${index}`, mine ? [mine] : []) };
	});
	const stray = values.find((value) => !used.has(value));
	if (stray) throw invalid(stray.field, 'belongs to no button with a variable');
	return rendered;
}

/** Whether a button's values name a position; without one they are for the next button that wants some. */
function isFor({ component }: Placed, index?: number): boolean {
	return index === undefined
		? component.index === undefined
		: String(component.index) === String(index);
}

function fill(text: string, where: string, values: Placed[]): string {
	const [first, second] = values;
	if (second) throw invalid(second.field, `The values of the ${where} are given twice`);
	const expected = variablesOf(text).length;
	const parameters = first?.component.parameters ?? [];
	if (parameters.length !== expected) {
		const field = first ? `${first.field}.parameters` : 'components';
		throw invalid(
			field,
			`The ${where} of the template has ${expected} variables, but ${parameters.length} values came`,
		);
	}
	const words = parameters.map((parameter, index) => {
		if (parameter.type === 'text' && parameter.text) return parameter.text;
		throw invalid(
			`${first?.field}.parameters.${index}`,
			'must be { "type": "text", "text": "…" } with a text',
		);
	});
	return fillIn(text, words);
}
