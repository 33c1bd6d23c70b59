/** A template with its values, as the operations that send one share it. */
import {
	type Field,
	type ValuesOf,
	choiceField,
	jsonField,
	recordField,
	textField,
} from '../fieldBuilders';
import { readJson } from '../json';
import type { OperationRequest } from '../operation';
import { pdfField, readForm, toComponents } from './variables';

/** One input for each variable of the chosen template; the fields come from `editor/templates.ts`. */
const variablesField: Field<'variables'> = {
	displayName: 'Variables',
	name: 'variables',
	type: 'resourceMapper',
	noDataExpression: true,
	default: { mappingMode: 'defineBelow', value: null },
	displayOptions: { show: { variablesInput: ['form'] } },
	typeOptions: {
		loadOptionsDependsOn: ['template.value', 'language.value'],
		resourceMapper: {
			resourceMapperMethod: 'getTemplateVariables',
			mode: 'add',
			valuesLabel: 'Variables',
			fieldWords: { singular: 'variable', plural: 'variables' },
			supportAutoMap: false,
			refreshStaleSchemaOnOpen: true,
		},
	},
	description:
		'What is put into the template, one value for each variable. A utility template whose header is a document needs the address of a PDF, unless a PDF was attached to the template in the service. If the template cannot be looked up, the values are numbered: fill in as many as it has.',
};

/** Stands below the form if its first field is the one for the PDF; a field of the form can have no description. */
const pdfNotice: Field<'pdfNotice'> = {
	displayName:
		'The header of this template is a document: enter the public address of a PDF. Leave it empty only if a PDF was attached to the template in the service.',
	name: 'pdfNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { variablesInput: ['form'], '/variables.schema[0].id': [pdfField] } },
};

/** The fields for a template and its values. */
export const templateFields = [
	recordField({
		displayName: 'Template',
		name: 'template',
		required: true,
		description:
			'The template to send. Only templates that the channel operator has approved can be sent.',
		searchListMethod: 'searchTemplateNames',
		idMode: 'name',
		idPlaceholder: 'e.g. order_update',
	}),
	recordField({
		displayName: 'Language',
		name: 'language',
		required: true,
		typeOptions: { loadOptionsDependsOn: ['template.value'] },
		description:
			'The language of the template. If it comes from your data, it is a code such as en_US or de_DE.',
		searchListMethod: 'searchTemplateLanguages',
		idMode: 'code',
		idPlaceholder: 'e.g. en_US',
	}),
	choiceField({
		displayName: 'Fill In',
		name: 'variablesInput',
		options: [
			{
				name: 'As Form',
				value: 'form',
				description: 'One field for each variable of the template',
			},
			{
				name: 'As JSON',
				value: 'json',
				description: 'For experts: the components as the service documents them',
			},
		],
		default: 'form',
		description: 'How you give the values for the variables of the template',
	}),
	variablesField,
	pdfNotice,
	jsonField({
		displayName: 'Components (JSON)',
		name: 'componentsJson',
		displayOptions: { show: { variablesInput: ['json'] } },
		placeholder: 'e.g. [{ "type": "body", "parameters": [{ "type": "text", "text": "Anna" }] }]',
		description: 'The components of the message as a JSON array',
	}),
	textField({
		displayName: 'Header PDF URL',
		name: 'headerDocumentUrl',
		displayOptions: { show: { variablesInput: ['json'] } },
		placeholder: 'e.g. https://example.com/invoice.pdf',
		description:
			'Public address of a PDF. Needed for a utility template whose header is a document, unless the PDF was attached to the template in the service.',
	}),
] as const;

/** The template's part of a request. Source: specification, "Template message components". @throws InputError */
export function templateRequest(
	values: ValuesOf<typeof templateFields>,
): Pick<OperationRequest, 'body' | 'variables'> {
	const reference = { template: values.template, language: values.language.trim() };
	if (values.variablesInput === 'json') {
		const components = readJson(values.componentsJson, 'Components (JSON)');
		const isList = components === undefined || Array.isArray(components);
		return {
			body: {
				...reference,
				components: isList ? components : [components],
				headerDocumentUrl: values.headerDocumentUrl.trim() || undefined,
			},
		};
	}
	const { given, pdfUrl } = readForm(values.variables);
	return {
		body: { ...reference, components: toComponents(given), headerDocumentUrl: pdfUrl },
		variables: given,
	};
}
