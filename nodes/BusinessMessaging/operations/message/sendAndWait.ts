import { endpoints } from '../../api/endpoints';
import { choiceField, recipientField, showFor, textField } from '../fields';
import { operation } from '../operation';
import { defaultCountryField, readPhoneValue, recipientOf } from '../phoneFields';
import { audienceField, readAudience } from '../sending/audienceRules';
import { questionModeField } from '../sending/mode';
import { answerFields, readSettings } from '../sending/questionFields';
import { lookUpTemplates, reviewTemplate, sendTemplateMessage } from '../sending/templateReview';
import { withAdvice } from '../sending/fallback';
import { sendMessage } from '../sending/sendMessage';
import { templateFields, templateRequest } from '../sending/templateFields';

/**
 * Asks and waits for the reply. n8n recognizes a human review step by `value` and the name of the field for the text.
 * Source: specification, POST /v1/messages/send and /v1/messages/template, webhooks and the event message.received.
 */
export const sendAndWait = operation({
	resource: 'message',
	name: 'Send and Wait for Response',
	value: 'sendAndWait',
	action: 'Send message and wait for response',
	description: 'Ask somebody in the chat and continue with the reply',
	endpoint: endpoints.sendText,
	fields: [
		recipientField,
		choiceField({
			displayName: 'Message Type',
			name: 'messageType',
			options: [
				{ name: 'Template', value: 'template', description: 'An approved template' },
				{ name: 'Text', value: 'text', description: 'A text of your own' },
			],
			default: 'text',
			description: 'How the question is sent',
			hint: 'Buttons need a template. With a text, people type their reply.',
		}),
		textField({
			displayName: 'Message',
			name: 'message',
			required: true,
			typeOptions: { rows: 4 },
			displayOptions: { show: { messageType: ['text'] } },
			placeholder: 'e.g. Would Tuesday at 10 suit you?',
			description: 'Text of the question',
		}),
		...templateFields.map((field) => showFor(field, { messageType: ['template'] })),
		...answerFields,
		questionModeField,
		audienceField,
	],
	options: [defaultCountryField],
	request: (values, settings) => {
		const rules = {
			question: readSettings(
				values,
				settings.timeZone,
				values.messageType === 'text' ? values.message : '',
			),
			audience: readAudience(values, settings),
			isPreview: values.mode === 'preview',
		};
		const { phone: to, hints } = readPhoneValue(
			values.to,
			recipientField,
			values.options,
			settings,
		);
		if (values.messageType === 'text') return { body: { to, text: values.message }, rules, hints };
		const { body, rules: ofTemplate } = templateRequest(values, settings);
		return {
			endpoint: endpoints.sendTemplate,
			body: { to, ...body },
			rules: { ...rules, ...ofTemplate },
			hints,
		};
	},
	prepare: lookUpTemplates,
	review: reviewTemplate,
	recipientOf,
	run: async (client, request) =>
		request.endpoint === endpoints.sendTemplate
			? await sendTemplateMessage(client, request)
			: await sendMessage(client, endpoints.sendText, request).catch((error: unknown) => {
					throw withAdvice(error, "choose 'Template' under 'Message Type'");
				}),
	waits: true,
});
