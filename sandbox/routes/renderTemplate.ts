/** Renders a template message as the customer sees it. The rules for values are assumptions, the one for the PDF is specified. */
import { pull } from 'lodash';
import type { z } from 'zod';

import type { endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import { invalid } from '../errorResponses';
import type { RenderedTemplate } from '../state/messages';
import { fillIn, partOf, variablesOf, type Template } from '../state/templates';

type Body = z.output<typeof endpoints.sendTemplate.body>;
type Component = NonNullable<Body['components']>[number];

/** A component, with its position in the request, which errors show. */
type Placed = Component & { field: string };

/** Fills the values into a template. @throws HttpError 422 if the values do not fit the variables, or the PDF of the header is missing */
export function renderTemplate(
	template: Template,
	{ components = [], headerDocumentUrl }: Body,
): { text: string; template: RenderedTemplate } {
	const left = components.map((component, index): Placed => {
		return { ...component, field: `components.${index}` };
	});
	/** The values for a part. Values of a button without a position go to the next button that needs some. */
	const take = (type: string, position?: number) => {
		const isAt = ({ index }: Placed) => index === undefined || Number(index) === position;
		const found = left.find((one) => one.type.toLowerCase() === type && isAt(one));
		pull(left, found);
		return found;
	};
	const { name, language } = template;
	const text = fill(partOf(template, 'BODY')?.text, 'body', take('body'));
	const header = renderHeader(template, headerDocumentUrl, take('header'));
	const footer = partOf(template, 'FOOTER')?.text;
	const buttons = (partOf(template, 'BUTTONS')?.buttons ?? []).map(({ type, text, url }, index) => {
		const isFixed = variablesOf(url).length === 0;
		const filled = isFixed ? url : fill(url, `button ${index}`, take('button', index));
		return { type, text, ...(filled && { url: filled }) };
	});
	if (left[0]) throw invalid(left[0].field, 'belongs to no part of the template');
	return {
		text,
		template: { name, language, ...(header && { header }), ...(footer && { footer }), buttons },
	};
}

function renderHeader(
	template: Template,
	documentUrl: string | undefined,
	values: Placed | undefined,
): RenderedTemplate['header'] {
	const header = partOf(template, 'HEADER');
	const format = header?.format ?? 'TEXT';
	const isDocument = format === 'DOCUMENT';
	const hasPdf = documentUrl !== undefined || template.headerDocumentAttached;
	if (isDocument && template.category === 'UTILITY' && !hasPdf) {
		const words = `Template ${template.name} has a DOCUMENT header and no PDF attached: the URL of a PDF is required`;
		throw invalid('headerDocumentUrl', words);
	}
	const text = fill(format === 'TEXT' ? header?.text : '', 'header', values);
	return (
		header && { format, ...(text && { text }), ...(isDocument && documentUrl && { documentUrl }) }
	);
}

function fill(text = '', where: string, values?: Placed): string {
	const expected = variablesOf(text).length;
	const parameters = values?.parameters ?? [];
	const field = values ? `${values.field}.parameters` : 'components';
	if (parameters.length !== expected) {
		const words = `The ${where} of the template has ${expected} variables, but ${parameters.length} values came`;
		throw invalid(field, words);
	}
	const texts = parameters.map((parameter, index) => {
		if (parameter.type === 'text' && parameter.text) return parameter.text;
		throw invalid(`${field}.${index}`, 'must be { "type": "text", "text": "…" } with a text');
	});
	return fillIn(text, texts);
}
