import { endpoints } from '../../api/endpoints';
import { choiceField, jsonField, recordField, textField, textRowsField } from '../fieldBuilders';
import { recipientField, sendOnceField } from '../fields';
import { readJson, rowTexts } from '../json';
import { operation, sentMessage } from '../operation';
import { phoneNumber } from '../phone';
import { recipientOf } from './recipient';
import { readSendOnce } from './sendOnce';

/** Sends a template message. Source: specification, POST /v1/messages/template and "Template message components". */
export const sendTemplate = operation({
	resource: 'message',
	name: 'Send Template',
	value: 'sendTemplate',
	action: 'Send a template message',
	description: 'Send a message from a template that the channel operator has approved',
	endpoint: endpoints.sendTemplate,
	fields: [
		recipientField,
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
		sendOnceField,
	],
	request: (values) => ({
		body: {
			to: phoneNumber(values.to),
			template: values.template,
			language: values.language.trim(),
			components: componentsOf(values),
			headerDocumentUrl: values.headerDocumentUrl.trim() || undefined,
		},
		sendOnce: readSendOnce(values.sendOnce),
	}),
	lane: recipientOf,
	output: sentMessage,
});

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
