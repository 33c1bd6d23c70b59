import { endpoints } from '../../api/endpoints';
import { recipientField, sendOnceField } from '../fields';
import { operation, sentMessage } from '../operation';
import { defaultCountryOption, readPhoneValue } from '../phone';
import { recipientOf } from './recipient';
import { lookUpTemplates, reviewTemplate } from './review';
import { readSendOnce } from './sendOnce';
import { templateFields, templateRequest } from './template';

/** Sends a template message. Source: specification, POST /v1/messages/template and "Template message components". */
export const sendTemplate = operation({
	resource: 'message',
	name: 'Send Template',
	value: 'sendTemplate',
	action: 'Send a template message',
	description: 'Send a message from a template that the channel operator has approved',
	endpoint: endpoints.sendTemplate,
	fields: [recipientField, ...templateFields, sendOnceField],
	options: [defaultCountryOption],
	request: (values, settings) => {
		const { phone, hints } = readPhoneValue(values.to, recipientField, values.options, settings);
		const { body, variables } = templateRequest(values);
		const sendOnce = readSendOnce(values.sendOnce);
		return { body: { to: phone, ...body }, variables, hints, sendOnce };
	},
	prepare: lookUpTemplates,
	review: reviewTemplate,
	recipientOf,
	output: sentMessage,
});
