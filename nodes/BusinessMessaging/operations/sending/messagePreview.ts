import type { IDataObject } from 'n8n-workflow';

import { type Template, variablePattern } from '../../reading/readTemplates';
import { textOrJson, isRecord } from '../../jsonValues';
import type { TemplateList } from '../../transport/templateList';
import type { OperationRequest } from '../operation';
import { findTemplate } from './templateReview';
import { nameOf, partOf } from './templateVariables';

/** A message as its recipient will see it. `text` is null if unknown, `buttons` are e.g. `[Yes] [Track: https://…]`. */
export function previewOf(
	{ body = {}, rules }: OperationRequest,
	list?: TemplateList,
): IDataObject {
	const template = rules?.template;
	if (!template) return { text: textOrJson(body.text) };
	const { name, language } = template;
	const known = list && findTemplate(list, name, language);
	const pdf = body.headerDocumentUrl;
	const named = {
		template: name,
		language,
		...(pdf !== undefined && { headerDocumentUrl: textOrJson(pdf) }),
	};
	if (!known?.body) return { text: null, ...named };
	const { header, footer, buttons } = known;
	const values = valuesOf(body.components);
	const shown = buttons.map(({ text, url }, index) =>
		url ? `[${text}: ${fillIn(url, known, values, `button${index + 1}`)}]` : `[${text}]`,
	);
	return {
		text: fillIn(known.body, known, values, 'body'),
		...(header && { header: fillIn(header, known, values, 'header') }),
		...(footer && { footer }),
		...(shown.length > 0 && { buttons: shown.join(' ') }),
		...named,
	};
}

/** The values of a message by part, e.g. `body` or `button2`, in the order of the message. */
function valuesOf(components: unknown): Map<string, string[]> {
	const list = Array.isArray(components) ? components.filter(isRecord) : [];
	return new Map(
		list.map(({ type, index, parameters }) => {
			const part = textOrJson(type).toLowerCase();
			const given = Array.isArray(parameters) ? parameters.filter(isRecord) : [];
			const place = part === 'button' ? `button${Number(index ?? 0) + 1}` : part;
			return [place, given.map(({ text }) => textOrJson(text))];
		}),
	);
}

function fillIn(
	text: string,
	{ variables = [] }: Template,
	values: Map<string, string[]>,
	place: string,
): string {
	const names = variables.filter((one) => partOf(one) === place).map(nameOf);
	return text.replaceAll(variablePattern, (written, name: string) => {
		return values.get(place)?.[names.indexOf(name.trim())] ?? written;
	});
}
