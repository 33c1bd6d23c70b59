/** The text of a template, and the form for its variables: which fields there are and what they are called. */
import type {
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';
import { compact, escape, range, truncate, uniqBy } from 'lodash';

import { type Template, type TemplateVariable, variablePattern } from '../reading/readTemplates';
import { findTemplate, missingTemplate } from '../operations/sending/templateReview';
import {
	nameOf,
	pdfField,
	titleOf,
	withSingleSpaces,
} from '../operations/sending/templateVariables';
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

interface Chosen {
	template?: Template;
	/** Its versions in all languages, if an expression chooses one. */
	versions?: Template[];
	/** Why there is no template, or no text. */
	problem: string;
	/** Whether the template may exist nevertheless. */
	isOpen?: boolean;
}

/** The chosen template, or the reason why there is none. Does not throw. */
async function loadTemplate(
	context: ILoadOptionsFunctions,
	parameters: Parameters,
): Promise<Chosen> {
	const name = chosen(context, parameters.template);
	const language = chosen(context, parameters.language);
	if (name === '') return { problem: 'Choose a template to see its text here.' };
	if (name === undefined)
		return {
			problem:
				'An expression chooses the template. To see the text of the first item here, run the previous nodes and open this node again.',
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
		versions: language === undefined ? mine.filter(({ isRefused }) => !isRefused) : undefined,
		problem: 'The service does not show the text of this template.',
		isOpen: true,
	};
}

/** One field for each variable of the chosen template; numbered fields if they are not known. */
async function fieldsOf(
	context: ILoadOptionsFunctions,
	parameters: Parameters,
): Promise<ResourceMapperFields> {
	const { template, versions, isOpen } = await loadTemplate(context, parameters);
	if (versions?.some(({ variables }) => variables)) return { fields: fieldsForAll(versions) };
	if (template?.variables) return { fields: fieldsFor(template.variables, template.pdf) };
	if (!isOpen) return { fields: [] };
	const isAnyTemplate = chosen(context, parameters.template) === undefined;
	const kept = template ? undefined : keptFields(context, parameters.variables, isAnyTemplate);
	return { fields: kept ?? numberedFields };
}

/** The text of the chosen template as HTML, which n8n shows instead of fields. */
async function formText(
	context: ILoadOptionsFunctions,
	parameters: Parameters,
): Promise<ResourceMapperFields> {
	const { template, problem } = await loadTemplate(context, parameters);
	const { header, body, footer, buttons = [] } = template ?? {};
	if (!body) return { fields: [], emptyFieldsNotice: escape(problem) };
	const isMedia = /^\[(Image|Video)\]$/.test(header ?? '');
	const lines = [
		header && `<b>${escape(header)}</b>`,
		isMedia &&
			'<i>If the service needs its address, only Send Template can give it: Using JSON.</i>',
		escape(body).replaceAll('\n', '<br>'),
		footer && `<i>${escape(footer)}</i>`,
		...buttons.map(({ text, url = '' }) => escape(`[${text}] ${url}`)),
	];
	return { fields: [], emptyFieldsNotice: compact(lines).join('<br>') };
}

/** The methods of forms, as resource mappers name them. */
export const resourceMapping = {
	async getTemplateText(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await formText(this, parameterNames);
	},
	async getTemplateVariables(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await fieldsOf(this, parameterNames);
	},
	async getFallbackText(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await formText(this, ofFallback);
	},
	async getFallbackVariables(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await fieldsOf(this, ofFallback);
	},
};

/**
 * The current fields of the form. They stay if the service cannot be reached. If an expression chooses among several
 * templates, one of them may have fewer variables, and other texts.
 */
function keptFields(
	context: ILoadOptionsFunctions,
	variables: string,
	isAnyTemplate: boolean,
): ResourceMapperField[] | undefined {
	const { schema } = (context.getCurrentNodeParameter(variables) ?? {}) as {
		schema?: ResourceMapperField[];
	};
	if (!schema || schema.length === 0) return undefined;
	if (!isAnyTemplate) return schema;
	return schema.map((one) => ({ ...one, displayName: titleOf(one), required: false }));
}

/** The fields for a template in several languages: a variable is needed if all of them have it. */
function fieldsForAll(versions: Template[]): ResourceMapperField[] {
	const all = versions.map(({ variables = [], pdf }) => fieldsFor(variables, pdf));
	return uniqBy(all.flat(), 'id').map((one) => {
		const isInAll = all.every((fields) =>
			fields.some(({ id, required }) => id === one.id && required),
		);
		return { ...one, required: isInAll };
	});
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
