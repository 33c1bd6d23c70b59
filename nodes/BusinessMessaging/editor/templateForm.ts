/** The text of a template, and the form for its variables: which fields there are and what they are called. */
import type {
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';
import { compact, escape, range, truncate } from 'lodash';

import { type Template, type TemplateVariable, variablePattern } from '../reading/readTemplates';
import { findTemplate, missingTemplate } from '../operations/sending/templateReview';
import { nameOf, pdfField, titleOf } from '../operations/sending/templateVariables';
import { connect } from '../transport/connect';
import { asFailure } from '../transport/errors';
import { listTemplates } from '../transport/templateList';
import { chosen } from './pickers';

/** The greatest length of a label, characters. At its usual width, the editor cuts off longer ones. */
const maxLabel = 23;
/** Characters of text before a variable. */
const before = 8;
const optionalPdf = field(pdfField, 'Header PDF URL (optional)');

/** The fields for a template whose text is not known. */
const numberedFields: ResourceMapperField[] = [
	{ ...field('header_1', 'Header 1'), removed: true },
	...range(1, 13).map((n) => ({ ...field(`body_${n}`, `Body ${n}`), removed: n > 3 })),
	...range(1, 4).map((n) => ({ ...field(`button${n}_1`, `Button ${n}`), removed: true })),
	{ ...optionalPdf, removed: true },
];

const parameterNames = { template: 'template', language: 'language', variables: 'variables' };
const ofFallback = {
	template: 'fallbackTemplate',
	language: 'fallbackLanguage',
	variables: 'fallbackVariables',
};
type Parameters = typeof parameterNames;

/** The chosen template, or the reason why there is none. `isOpen`: the template may exist nevertheless. Does not throw. */
async function loadTemplate(
	context: ILoadOptionsFunctions,
	parameters: Parameters,
): Promise<{ template?: Template; problem: string; isOpen?: boolean }> {
	const name = chosen(context, parameters.template);
	const language = chosen(context, parameters.language);
	if (name === '') return { problem: 'Choose a template to see its text here.' };
	if (name === undefined)
		return {
			problem: 'An expression chooses the template, so its text is not shown.',
			isOpen: true,
		};
	const list = await connect(context)
		.then(async (client) => await listTemplates(client, true))
		.catch(asFailure);
	if (list instanceof Error) return { problem: `${list.message}.`, isOpen: true };
	const mine = list.records.filter((template) => template.name === name);
	if (language === '' && mine.length > 1)
		return { problem: 'Choose a language to see the text of the template here.' };
	const wanted = language || (mine[0]?.language ?? '');
	const missing = missingTemplate(list, name, wanted);
	if (missing) return { problem: `${missing.message}. ${missing.description}` };
	const template = findTemplate(list, name, wanted);
	return {
		template,
		problem: 'The service does not show the text of this template.',
		isOpen: true,
	};
}

/** One field for each variable of the chosen template; numbered fields if they are not known. */
async function fieldsOf(
	context: ILoadOptionsFunctions,
	parameters: Parameters,
): Promise<ResourceMapperFields> {
	const { template, isOpen } = await loadTemplate(context, parameters);
	if (template?.variables) return { fields: fieldsFor(template.variables, template.pdf) };
	if (!isOpen) return { fields: [] };
	const kept = template ? undefined : keptFields(context, parameters.variables);
	return { fields: kept ?? numberedFields };
}

/** The text of the chosen template as HTML, which n8n shows instead of fields. */
async function textOf(
	context: ILoadOptionsFunctions,
	parameters: Parameters,
): Promise<ResourceMapperFields> {
	const { template, problem } = await loadTemplate(context, parameters);
	const { header, body, footer, buttons = [] } = template ?? {};
	if (!body) return { fields: [], emptyFieldsNotice: escape(problem) };
	const lines = [
		header && `<b>${escape(header)}</b>`,
		escape(body).replaceAll('\n', '<br>'),
		footer && `<i>${escape(footer)}</i>`,
		...buttons.map(({ text, url = '' }) => escape(`[${text}] ${url}`)),
	];
	return { fields: [], emptyFieldsNotice: compact(lines).join('<br>') };
}

/** The methods of forms, as resource mappers name them. */
export const resourceMapping = {
	async getTemplateText(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await textOf(this, parameterNames);
	},
	async getTemplateVariables(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await fieldsOf(this, parameterNames);
	},
	async getFallbackText(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await textOf(this, ofFallback);
	},
	async getFallbackVariables(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await fieldsOf(this, ofFallback);
	},
};

/** The current fields of the form. They stay if the service cannot be reached. */
function keptFields(
	context: ILoadOptionsFunctions,
	variables: string,
): ResourceMapperField[] | undefined {
	const { schema } = (context.getCurrentNodeParameter(variables) ?? {}) as {
		schema?: ResourceMapperField[];
	};
	return schema && schema.length > 0 ? schema : undefined;
}

function fieldsFor(variables: TemplateVariable[], pdf: Template['pdf']): ResourceMapperField[] {
	const fields = variables.map((variable) => field(variable.id, labelOf(variable), true));
	if (!pdf) return fields;
	return [pdf === 'needed' ? field(pdfField, 'Header PDF URL', true) : optionalPdf, ...fields];
}

function field(id: string, displayName: string, required = false): ResourceMapperField {
	const fixed = { defaultMatch: false, canBeUsedToMatch: false, display: true } as const;
	return { id, displayName, required, ...fixed, type: 'string' };
}

/** E.g. `Body 1: Hi {{1}}, your…`. Neither words nor the variable are split. */
function labelOf(variable: TemplateVariable): string {
	const title = `${titleOf(variable)}: `;
	const text = withSingleSpaces(variable.text).replace(/^https?:\/\//, '');
	const name = withSingleSpaces(nameOf(variable));
	const place = [...text.matchAll(variablePattern)].find(([, one]) => one.trim() === name);
	const at = place?.index ?? 0;
	const shown = place?.[0] ?? '';
	const words = text.slice(Math.max(0, at - before), at);
	const start = at > before ? `…${words.replace(/^[^\s/]*[\s/]+/, '')}` : words;
	const head = title + start + shown;
	const length = Math.max(maxLabel - head.length, 1);
	const rest = text.slice(at + shown.length);
	return head + truncate(rest, { length, separator: ' ', omission: '…' });
}

function withSingleSpaces(text: string): string {
	return text.replaceAll(/\s+/g, ' ');
}
