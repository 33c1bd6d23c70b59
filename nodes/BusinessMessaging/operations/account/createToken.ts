import { endpoints } from '../../api/endpoints';
import { textField } from '../fields';
import { operation } from '../operation';

/** Creates an API token. Source: specification, POST /v1/auth/token; request and response are not shown there. */
export const createToken = operation({
	resource: 'account',
	name: 'Create API Key',
	value: 'createToken',
	action: 'Create API key',
	description: 'Create an API key (token) and return it in the output',
	endpoint: endpoints.createToken,
	fields: [
		textField({
			displayName: 'Name',
			name: 'name',
			placeholder: 'e.g. n8n in production',
			description: 'What the API key is for, to recognize it later',
		}),
		{
			displayName: 'The output contains the API key. Copy it, then delete the execution.',
			name: 'secretNotice',
			type: 'notice',
			default: '',
		},
	],
	request: ({ name }) => ({ body: { name: name.trim() || undefined } }),
});
