/** What a template consists of. Category `utility` is specified; the other values and the components are assumptions. */
import { compact } from 'lodash';

import { type ValuesOf, choiceField, jsonField, rowsField, showFor, textField } from './fields';

/** Name, language and category of a template. */
export const identityFields = [
	textField({
		displayName: 'Name',
		name: 'name',
		required: true,
		placeholder: 'e.g. order_update',
		description: 'Name of the template',
	}),
	textField({
		displayName: 'Language',
		name: 'language',
		required: true,
		placeholder: 'e.g. en_US',
		description: 'Language code of the template, e.g. en_US or de_DE',
	}),
	choiceField({
		displayName: 'Category',
		name: 'category',
		options: [
			{ name: 'Authentication', value: 'AUTHENTICATION', description: 'One-time passwords' },
			{ name: 'Marketing', value: 'MARKETING', description: 'Offers, news, invitations' },
			{ name: 'Utility', value: 'UTILITY', description: 'Orders, appointments, invoices' },
		],
		default: 'UTILITY',
		description: 'What the template is for',
	}),
] as const;

/** The parts of a template as JSON. */
export const componentsField = jsonField({
	displayName: 'Components (JSON)',
	name: 'componentsJson',
	placeholder: 'e.g. [{ "type": "BODY", "text": "Hello {{1}}" }]',
	description:
		'The parts of the template, in the format that the documentation of the service describes',
});

const buttonsField = rowsField(
	{
		displayName: 'Buttons',
		name: 'buttons',
		description: 'The buttons below the message',
	},
	'Button',
	[
		choiceField({
			displayName: 'Type',
			name: 'type',
			options: [
				{ name: 'Open Web Page', value: 'URL' },
				{ name: 'Quick Reply', value: 'QUICK_REPLY', description: 'Sends its text as a reply' },
			],
			default: 'QUICK_REPLY',
			description: 'What a tap on the button does',
		}),
		textField({
			displayName: 'Text',
			name: 'text',
			placeholder: 'e.g. Confirm',
			description: 'The label of the button',
		}),
		textField({
			displayName: 'URL',
			name: 'url',
			noDataExpression: true,
			displayOptions: { show: { type: ['URL'] } },
			placeholder: 'e.g. https://example.com/orders/{{1}}',
			description: 'The web page to open. {{1}} at the end is a variable.',
		}),
	],
);

const inForm = { specifyContent: ['fields'] };

/** The parts of a template as a form or as JSON. The fields allow no expressions where n8n would evaluate {{1}}. */
export const contentFields = [
	choiceField({
		displayName: 'Specify Content',
		name: 'specifyContent',
		options: [
			{
				name: 'Using Fields Below',
				value: 'fields',
				description: 'One field for each part of the template',
			},
			{
				name: 'Using JSON',
				value: 'json',
				description: 'For experts: the components in the format of the service, sent unchanged',
			},
		],
		default: 'fields',
		description: 'How to enter the parts of the template',
	}),
	showFor(
		choiceField({
			displayName: 'Header',
			name: 'header',
			options: [
				{ name: 'Document', value: 'DOCUMENT', description: 'A PDF' },
				{ name: 'Image', value: 'IMAGE' },
				{ name: 'None', value: 'NONE' },
				{ name: 'Text', value: 'TEXT', description: 'A line in bold' },
			],
			default: 'NONE',
			description: 'What to show above the body',
		}),
		inForm,
	),
	textField({
		displayName: 'Header Text',
		name: 'headerText',
		required: true,
		noDataExpression: true,
		displayOptions: { show: { ...inForm, header: ['TEXT'] } },
		placeholder: 'e.g. Order {{1}}',
		description: 'The line above the body. {{1}} is a variable.',
	}),
	showFor(
		textField({
			displayName: 'Body',
			name: 'body',
			required: true,
			noDataExpression: true,
			typeOptions: { rows: 4 },
			placeholder: 'e.g. Hello {{1}}, your order arrives on {{2}}.',
			description: 'The text of the message',
			hint: 'Write {{1}}, {{2}} and so on for what differs from message to message',
		}),
		inForm,
	),
	showFor(
		textField({
			displayName: 'Footer',
			name: 'footer',
			placeholder: 'e.g. Reply STOP to unsubscribe',
			description: 'A small line below the body',
		}),
		inForm,
	),
	showFor(buttonsField, inForm),
	showFor(componentsField, { specifyContent: ['json'] }),
] as const;

/** The components of a template as its fields say. */
export function componentsOf(values: ValuesOf<typeof contentFields>): unknown {
	const { specifyContent, componentsJson, header, headerText, body, footer } = values;
	if (specifyContent === 'json') return componentsJson;
	const buttons = values.buttons.button ?? [];
	return compact([
		header === 'TEXT' && { type: 'HEADER', format: header, text: headerText },
		['DOCUMENT', 'IMAGE'].includes(header) && { type: 'HEADER', format: header },
		{ type: 'BODY', text: body },
		footer.trim() !== '' && { type: 'FOOTER', text: footer },
		buttons.length > 0 && { type: 'BUTTONS', buttons },
	]);
}
