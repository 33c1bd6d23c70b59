import { endpoints } from '../../api/endpoints';
import { recipientField } from '../fields';
import { operation } from '../operation';
import { defaultCountryOption, readPhoneValue, recipientOf } from '../phone';
import { campaignFields, campaignOptions, readCampaign } from './campaign';
import { lookUpTemplates, reviewTemplate, sendTemplateMessage } from './review';
import { checkField, templateFields, templateRequest } from './template';

/** Sends a template message. Source: specification, POST /v1/messages/template and "Template message components". */
export const sendTemplate = operation({
	resource: 'message',
	name: 'Send Template',
	value: 'sendTemplate',
	action: 'Send template message',
	description: 'Send a message from an approved template',
	endpoint: endpoints.sendTemplate,
	fields: [recipientField, ...templateFields, ...campaignFields],
	options: [...campaignOptions, checkField, defaultCountryOption],
	request: (values, settings) => {
		const { phone, hints } = readPhoneValue(values.to, recipientField, values.options, settings);
		const { body, ...rest } = templateRequest(values);
		return { body: { to: phone, ...body }, ...rest, hints, campaign: readCampaign(values) };
	},
	prepare: lookUpTemplates,
	review: reviewTemplate,
	recipientOf,
	run: sendTemplateMessage,
});
