import { endpoints } from '../../api/endpoints';
import { recipientField, sendOnceField } from '../fields';
import { operation, sentMessage } from '../operation';
import { phoneNumber } from '../phone';
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
	request: (values) => {
		const to = phoneNumber(values.to);
		const { body, variables } = templateRequest(values);
		return { body: { to, ...body }, variables, sendOnce: readSendOnce(values.sendOnce) };
	},
	prepare: lookUpTemplates,
	review: reviewTemplate,
	recipientOf,
	output: sentMessage,
});
