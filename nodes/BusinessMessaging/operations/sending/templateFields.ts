/** The fields for a template and its values, for all operations that send one. */
import { castArray } from 'lodash';
import type { ResourceMapperTypeOptions } from 'n8n-workflow';

import {
	type ParameterField,
	type ValuesOf,
	choiceField,
	jsonField,
	recordField,
	showFor,
	textField,
} from '../fields';
import type { MessageRules, OperationRequest, RequestSettings } from '../operation';
import { readForm, toComponents } from './templateVariables';

/** A field whose content the editor loads for the chosen template. */
interface TemplateFormSettings<N extends string> {
	displayName: string;
	name: N;
	/** The names of the fields of the template and of its language. */
	template: string;
	language: string;
	/** A method of `editor/templateForm.ts`. */
	method: string;
}

function formField<const N extends string>(
	{ template, language, method, ...labels }: TemplateFormSettings<N>,
	description: string,
	settings: Partial<ResourceMapperTypeOptions> = {},
): ParameterField<N> {
	return {
		...labels,
		type: 'resourceMapper',
		noDataExpression: true,
		default: { mappingMode: 'defineBelow', value: null },
		typeOptions: {
			loadOptionsDependsOn: [`${template}.value`, `${language}.value`],
			resourceMapper: {
				resourceMapperMethod: method,
				mode: 'add',
				supportAutoMap: false,
				...settings,
			} as ResourceMapperTypeOptions,
		},
		description,
	};
}

/** Shows the text of the chosen template: n8n displays it in a form without fields. The field's value is not used. */
export function templateTextField<const N extends string>(
	labels: TemplateFormSettings<N>,
): ParameterField<N> {
	return formField(labels, 'What the template says');
}

/** One input for each variable of the chosen template. */
export function variablesField<const N extends string>(
	labels: TemplateFormSettings<N>,
): ParameterField<N> {
	const field = formField(
		labels,
		"Values for the template's variables. After another template or language, close and open the node, and check each. Leave extra fields empty.",
		{
			valuesLabel: 'Variables',
			fieldWords: { singular: 'variable', plural: 'variables' },
			refreshStaleSchemaOnOpen: true,
		},
	);
	const propertyHint =
		'Texts in "value": body_1, header_1, button1_1 (first button), body_customer (named variable), headerPdfUrl (PDF). Leave "schema" out.';
	return { ...field, builderHint: { propertyHint } };
}

export const languageHint = 'Can stay empty if the template has only one language';

/** The fields for a template and its values. */
export const templateFields = [
	recordField({
		displayName: 'Template',
		name: 'template',
		required: true,
		description: 'The approved template to send',
		builderHint: { propertyHint: "Use mode 'name' with the exact name of the template." },
		searchListMethod: 'searchTemplateNames',
		idMode: 'name',
		idPlaceholder: 'e.g. order_update',
	}),
	recordField({
		displayName: 'Language',
		name: 'language',
		typeOptions: { loadOptionsDependsOn: ['template.value'] },
		description:
			'The language of the template. In an expression, use a code such as en_US or de_DE.',
		hint: languageHint,
		builderHint: { propertyHint: "Use mode 'code', e.g. en_US." },
		searchListMethod: 'searchTemplateLanguages',
		idMode: 'code',
		idPlaceholder: 'e.g. en_US',
	}),
	templateTextField({
		displayName: 'Text',
		name: 'templateText',
		template: 'template',
		language: 'language',
		method: 'getTemplateText',
	}),
	choiceField({
		displayName: 'Specify Variables',
		name: 'specifyVariables',
		options: [
			{
				name: 'Using Fields Below',
				value: 'fields',
				description: 'One field for each variable of the template',
			},
			{
				name: 'Using JSON',
				value: 'json',
				description:
					'For experts: the components in the format of the service. They are not compared with the template.',
			},
		],
		default: 'fields',
		description: 'How to enter the values of the variables',
	}),
	showFor(
		variablesField({
			displayName: 'Variables',
			name: 'variables',
			template: 'template',
			language: 'language',
			method: 'getTemplateVariables',
		}),
		{ specifyVariables: ['fields'] },
	),
	jsonField({
		displayName: 'Components (JSON)',
		name: 'componentsJson',
		displayOptions: { show: { specifyVariables: ['json'] } },
		placeholder: 'e.g. [{ "type": "body", "parameters": [{ "type": "text", "text": "Anna" }] }]',
		description: 'The components of the message as a JSON array',
	}),
	textField({
		displayName: 'Header PDF URL',
		name: 'headerDocumentUrl',
		displayOptions: { show: { specifyVariables: ['json'] } },
		placeholder: 'e.g. https://example.com/invoice.pdf',
		description:
			'Public address of a PDF. Needed for a utility template with a document header, unless the PDF is attached to the template in the service.',
	}),
] as const;

/**
 * The template's part of a request. Source: specification, "Template message components".
 *
 * @param choice the names of the fields in which the template and its language are chosen
 * @throws InputError
 */
export function templateRequest(
	values: ValuesOf<typeof templateFields>,
	{ isExpression = () => false }: RequestSettings,
	choice = ['template', 'language'],
): Pick<OperationRequest, 'body'> & { rules: MessageRules } {
	const { template: name, componentsJson: json, headerDocumentUrl: url } = values;
	const language = values.language.trim();
	// If an expression chooses the template, the form may be that of another one.
	const isOfTemplate = !choice.some(isExpression);
	const form =
		values.specifyVariables === 'json' ? undefined : readForm(values.variables, isOfTemplate);
	const components = form ? toComponents(form.given) : json && castArray(json);
	const headerDocumentUrl = form ? form.pdfUrl : url.trim() || undefined;
	return {
		body: { template: name, language: language || undefined, components, headerDocumentUrl },
		rules: { template: { name, language, given: form?.given, missing: form?.missing } },
	};
}
