/** The form for the variables of a template: which fields there are and what they are called. */
import type {
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';
import { range, truncate } from 'lodash';

import { type Template, type TemplateVariable, variablePattern } from '../api/templates';
import { findTemplate, missingTemplate } from '../operations/message/review';
import { nameOf, pdfField, titleOf } from '../operations/message/variables';
import { connect } from '../transport/connect';
import { listTemplates } from '../transport/templateList';
import { chosen } from './pickers';

/** Characters of text shown around a variable. The editor shows about 25 of a label, more if the panel is wider. */
const before = 14;
const after = 20;
const optionalPdf = field(pdfField, 'Header PDF URL (empty if attached to the template)');

/** The fields for a template whose text is not known. */
const numberedFields: ResourceMapperField[] = [
	{ ...field('header_1', 'Header 1'), removed: true },
	...range(1, 13).map((n) => ({ ...field(`body_${n}`, `Body ${n}`), removed: n > 3 })),
	...range(1, 4).map((n) => ({ ...field(`button${n}_1`, `Button ${n}`), removed: true })),
	{ ...optionalPdf, removed: true },
];

/** One field for each variable of the chosen template. Numbered fields if they are not known. Does not throw. */
async function fieldsOf(
	context: ILoadOptionsFunctions,
	parameters: { template: string; language: string; variables: string },
): Promise<ResourceMapperFields> {
	const name = chosen(context, parameters.template);
	const language = chosen(context, parameters.language);
	if (name === '') return notice('Choose a template to see its variables here.');
	if (name === undefined) return { fields: numberedFields };
	const list = await connect(context)
		.then(async (client) => await listTemplates(client, true))
		.catch(() => undefined);
	if (!list) return { fields: keptFields(context, parameters.variables) ?? numberedFields };
	const mine = list.records.filter((template) => template.name === name);
	if (language === '' && mine.length > 1)
		return notice('Choose a language to see the variables of the template here.');
	const wanted = language || (mine[0]?.language ?? '');
	const missing = missingTemplate(list, name, wanted);
	if (missing) return notice(`${missing.message}. ${missing.description}`);
	const template = findTemplate(list, name, wanted);
	if (!template?.variables) return { fields: numberedFields };
	const fields = fieldsFor(template.variables, template.pdf);
	return fields.length > 0
		? { fields }
		: notice('This template has no variables: there is nothing to fill in.');
}

/** The methods of forms, as resource mappers name them. */
export const resourceMapping = {
	async getTemplateVariables(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		const parameters = { template: 'template', language: 'language', variables: 'variables' };
		return await fieldsOf(this, parameters);
	},
	async getFallbackVariables(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		return await fieldsOf(this, {
			template: 'fallbackTemplate',
			language: 'fallbackLanguage',
			variables: 'fallbackVariables',
		});
	},
};

const notice = (emptyFieldsNotice: string) => ({ fields: [], emptyFieldsNotice });

/** The present fields of the form, for when the service cannot be reached. */
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

/** E.g. `Body 1: "Hello {{1}}, your order…"`. Words are not cut in two. */
function labelOf(variable: TemplateVariable): string {
	const text = variable.text.replaceAll(/\s+/g, ' ').replace(/^https?:\/\//, '');
	const places = [...text.matchAll(variablePattern)];
	const place = places.find(([, name]) => name.trim() === nameOf(variable));
	const at = place?.index ?? 0;
	const words = text.slice(Math.max(0, at - before), at);
	const head = at > before ? `…${words.replace(/^[^\s/]*[\s/]/, '')}` : words;
	const length = (place?.[0].length ?? 0) + after;
	const tail = truncate(text.slice(at), { length, omission: '…', separator: ' ' });
	return `${titleOf(variable)}: "${head}${tail}"`;
}
