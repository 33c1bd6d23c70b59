/** A template with its values, as the operations that send one share it. */
import { type ValuesOf, choiceField, jsonField, recordField, textField, textRowsField } from '../fieldBuilders';
import { readJson, rowTexts } from '../json';

/** The fields for a template and its values. */
export const templateFields = [
	recordField({
		displayName: 'Template',
		name: 'template',
		required: true,
		description: 'The template to send',
		searchListMethod: 'searchTemplateNames',
		idMode: 'name',
		idPlaceholder: 'e.g. order_update',
	}),
	textField({
		displayName: 'Language',
		name: 'language',
		required: true,
		placeholder: 'e.g. en_US',
		description: 'Locale code of the template, e.g. en_US or de_DE',
	}),
	choiceField({
		displayName: 'Variables',
		name: 'componentsInput',
		options: [
			{ name: 'As Form', value: 'form', description: 'One value after the other for header and body' },
			{ name: 'As JSON', value: 'json', description: 'The components as the service documents them' },
		],
		default: 'form',
		description: 'How the values for the variables of the template are given',
	}),
	textRowsField({
		displayName: 'Body Values',
		name: 'bodyParameters',
		displayOptions: { show: { componentsInput: ['form'] } },
		placeholder: 'Add Value',
		description: "Values for the variables of the template's body, in their order",
	}),
	textRowsField({
		displayName: 'Header Values',
		name: 'headerParameters',
		displayOptions: { show: { componentsInput: ['form'] } },
		placeholder: 'Add Value',
		description: "Values for the variables of the template's header, in their order",
	}),
	jsonField({
		displayName: 'Components (JSON)',
		name: 'componentsJson',
		displayOptions: { show: { componentsInput: ['json'] } },
		placeholder: 'e.g. [{ "type": "body", "parameters": [{ "type": "text", "text": "Anna" }] }]',
		description: 'The components of the message as a JSON array',
	}),
	textField({
		displayName: 'Header PDF URL',
		name: 'headerDocumentUrl',
		placeholder: 'e.g. https://example.com/invoice.pdf',
		description: 'Public address of a PDF. Needed for a utility template whose header is a document, unless the PDF was attached to the template in the service.',
	}),
] as const;

/** The template's part of the request's body. Source: specification, "Template message components". */
export function templateBody(values: ValuesOf<typeof templateFields>): Record<string, unknown> {
	return {
		template: values.template,
		language: values.language.trim(),
		components: componentsOf(values),
		headerDocumentUrl: values.headerDocumentUrl.trim() || undefined,
	};
}

interface ComponentValues {
	componentsInput: 'form' | 'json';
	componentsJson: unknown;
	headerParameters: Parameters<typeof rowTexts>[0];
	bodyParameters: Parameters<typeof rowTexts>[0];
}

/** The components of the request; absent if there are no values. */
function componentsOf({ componentsInput, componentsJson, headerParameters, bodyParameters }: ComponentValues): unknown[] | undefined {
	if (componentsInput === 'json') {
		const components = readJson(componentsJson, 'Components (JSON)');
		return components === undefined || Array.isArray(components) ? components : [components];
	}
	const filled = [
		{ type: 'header', parameters: rowTexts(headerParameters) },
		{ type: 'body', parameters: rowTexts(bodyParameters) },
	].filter(({ parameters }) => parameters.length > 0);
	return filled.length > 0 ? filled : undefined;
}
