import { endpoints } from '../../api/endpoints';
import { includeOtherField, recipientField } from '../fields';
import { operation } from '../operation';
import { defaultCountryField, readPhoneValue, recipientOf } from '../phoneFields';
import { audienceField, readAudience } from '../sending/audienceRules';
import { campaignFields, campaignOptions, readCampaign } from '../sending/campaign';
import { applyMode, modeFields } from '../sending/mode';
import { lookUpTemplates, reviewTemplate, sendTemplateMessage } from '../sending/templateReview';
import { templateFields, templateRequest } from '../sending/templateFields';

/** Sends a template message. Source: specification, POST /v1/messages/template and "Template message components". */
export const sendTemplate = operation({
	resource: 'message',
	name: 'Send Template',
	value: 'sendTemplate',
	action: 'Send template message',
	description: 'Send a message from an approved template',
	endpoint: endpoints.sendTemplate,
	fields: [recipientField, ...templateFields, ...modeFields, ...campaignFields, audienceField],
	options: [...campaignOptions, defaultCountryField, includeOtherField],
	request: (values, settings) => {
		const { phone, hints } = readPhoneValue(values.to, recipientField, values.options, settings);
		const { body, rules } = templateRequest(values, settings);
		const audience = readAudience(values, settings);
		const campaign = readCampaign(values);
		const request = {
			body: { to: phone, ...body },
			rules: { ...rules, campaign, audience },
			hints,
		};
		return applyMode(request, values, settings);
	},
	prepare: lookUpTemplates,
	review: reviewTemplate,
	recipientOf,
	run: sendTemplateMessage,
});
