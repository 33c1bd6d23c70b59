import { endpoints } from '../../api/endpoints';
import { keepInputField, recipientField } from '../fields';
import { operation } from '../operation';
import { defaultCountryField, readPhoneValue, recipientOf } from '../phone';
import { audienceField, readAudience } from './audience';
import { campaignFields, campaignOptions, readCampaign } from './campaign';
import { inMode, modeFields } from './mode';
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
	fields: [recipientField, ...templateFields, ...modeFields, ...campaignFields, audienceField],
	options: [...campaignOptions, checkField, defaultCountryField, keepInputField],
	request: (values, settings) => {
		const { phone, hints } = readPhoneValue(values.to, recipientField, values.options, settings);
		const { body, ...rest } = templateRequest(values);
		const audience = readAudience(values, settings);
		const campaign = readCampaign(values);
		const request = { body: { to: phone, ...body }, ...rest, hints, campaign, audience };
		return inMode(request, values, settings);
	},
	prepare: lookUpTemplates,
	review: reviewTemplate,
	recipientOf,
	run: sendTemplateMessage,
});
