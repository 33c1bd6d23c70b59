/** The fields for a template and its values, for all operations that send one. */
import { castArray } from 'lodash';

import {
	type Field,
	type ValuesOf,
	booleanField,
	choiceField,
	jsonField,
	recordField,
	showFor,
	textField,
} from '../fields';
import type { OperationRequest } from '../operation';
import { readForm, toComponents } from './variables';

/**
 * One input for each variable of the chosen template; the fields come from `editor/templateForm.ts`.
 *
 * @param template the name of the field of the template, as `language` is that of its language
 */
export function variablesField<const N extends string>({
	template,
	language,
	method,
	...look
}: {
	displayName: string;
	name: N;
	template: string;
	language: string;
	method: 'getTemplateVariables' | 'getFallbackVariables';
}): Field<N> {
	return {
		...look,
		type: 'resourceMapper',
		noDataExpression: true,
		default: { mappingMode: 'defineBelow', value: null },
		typeOptions: {
			loadOptionsDependsOn: [`${template}.value`, `${language}.value`],
			resourceMapper: {
				resourceMapperMethod: method,
				mode: 'add',
				valuesLabel: 'Variables',
				fieldWords: { singular: 'variable', plural: 'variables' },
				supportAutoMap: false,
				refreshStaleSchemaOnOpen: true,
			},
		},
		description:
			'The values for the template, one for each variable. If the service does not show the text of the template, the fields are numbered: fill in as many as the template has. A utility template whose header is a document needs the address of a PDF, unless a PDF was attached to the template in the service.',
	};
}

/** The fields for a template and its values. */
export const templateFields = [
	recordField({
		displayName: 'Template',
		name: 'template',
		required: true,
		description: 'The approved template to send',
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
				description: 'For experts: the components in the format of the service, sent unchanged',
			},
		],
		default: 'fields',
		description: 'How to give the values for the variables of the template',
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
			'Public address of a PDF. Needed for a utility template whose header is a document, unless the PDF was attached to the template in the service.',
	}),
] as const;

/** Whether messages are compared with their templates, for Options. */
export const checkField = booleanField({
	displayName: 'Check Before Sending',
	name: 'checkBeforeSending',
	default: true,
	description:
		'Whether to load the template first, and to refuse a message if the template does not exist, is not approved, or has other variables',
});

/** The template's part of a request. Source: specification, "Template message components". @throws InputError */
export function templateRequest(
	values: ValuesOf<typeof templateFields> & {
		options: Partial<ValuesOf<readonly [typeof checkField]>>;
	},
): Pick<OperationRequest, 'body' | 'template'> {
	const { template: name, componentsJson: json, headerDocumentUrl: url } = values;
	const language = values.language.trim();
	const isChecked = values.options.checkBeforeSending ?? true;
	const form = values.specifyVariables === 'json' ? undefined : readForm(values.variables);
	const components = form ? toComponents(form.given) : json && castArray(json);
	const headerDocumentUrl = form ? form.pdfUrl : url.trim() || undefined;
	return {
		body: { template: name, language, components, headerDocumentUrl },
		template: { name, language, given: form?.given, isChecked },
	};
}
