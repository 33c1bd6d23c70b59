/** A template message as the customer sees it. The rules on values are assumptions, the one on the PDF is specified. */
import { filter, pull } from 'lodash';
import type { z } from 'zod';

import type { endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import { invalid } from '../errors';
import type { RenderedTemplate } from '../state/messages';
import { fillIn, partOf, variablesOf, type Template } from '../state/templates';

type Body = z.output<typeof endpoints.sendTemplate.body>;
type Component = NonNullable<Body['components']>[number];

/** A component, and where it is in the request, for errors. */
type Placed = Pick<Component, 'type' | 'parameters'> & { index?: unknown; field: string };

/** Fills a template in. @throws HttpError 422 if the values do not fit the variables, or the PDF of the header is missing */
export function renderTemplate(
	template: Template,
	{ components = [], headerDocumentUrl }: Body,
): { text: string; template: RenderedTemplate } {
	const placed: Placed[] = components.map(({ type, parameters, index }, place) => ({
		type: type.toLowerCase(),
		parameters,
		index,
		field: `components.${place}`,
	}));
	const stray = placed.find(({ type }) => !['header', 'body', 'button'].includes(type));
	if (stray) throw invalid(`${stray.field}.type`, 'must be body, header or button');
	const text = fill(partOf(template, 'BODY')?.text ?? '', 'body', filter(placed, { type: 'body' }));
	const { name, language } = template;
	const footer = partOf(template, 'FOOTER')?.text;
	const header = renderHeader(template, headerDocumentUrl, filter(placed, { type: 'header' }));
	const buttons = renderButtons(template, filter(placed, { type: 'button' }));
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
	const isDocument = format === 'DOCUMENT';
	const needsPdf =
		isDocument && template.category === 'UTILITY' && !template.headerDocumentAttached;
	if (needsPdf && !documentUrl) {
		const words = `Template ${template.name} has a DOCUMENT header and no PDF attached: the URL of a PDF is required`;
		throw invalid('headerDocumentUrl', words);
	}
	const text = fill(format === 'TEXT' ? (header?.text ?? '') : '', 'header', values);
	return (
		header && { format, ...(text && { text }), ...(isDocument && documentUrl && { documentUrl }) }
	);
}

/** Values that name no position are for the next button that wants some. */
function renderButtons(template: Template, values: Placed[]): RenderedTemplate['buttons'] {
	const left = [...values];
	const buttons = partOf(template, 'BUTTONS')?.buttons ?? [];
	const rendered = buttons.map(({ type, text, url = '' }, place) => {
		if (variablesOf(url).length === 0) return { type, text, ...(url && { url }) };
		const mine =
			left.find(({ index }) => String(index) === String(place)) ??
			left.find(({ index }) => index === undefined);
		pull(left, mine);
		return { type, text, url: fill(url, `button ${place}`, mine ? [mine] : []) };
	});
	if (left[0]) throw invalid(left[0].field, 'belongs to no button with a variable');
	return rendered;
}

function fill(text: string, where: string, [first, second]: Placed[]): string {
	if (second) throw invalid(second.field, `The values of the ${where} are given twice`);
	const expected = variablesOf(text).length;
	const parameters = first?.parameters ?? [];
	const field = first ? `${first.field}.parameters` : 'components';
	if (parameters.length !== expected) {
		const words = `The ${where} of the template has ${expected} variables, but ${parameters.length} values came`;
		throw invalid(field, words);
	}
	const values = parameters.map((parameter, index) => {
		if (parameter.type === 'text' && parameter.text) return parameter.text;
		throw invalid(`${field}.${index}`, 'must be { "type": "text", "text": "…" } with a text');
	});
	return fillIn(text, values);
}
