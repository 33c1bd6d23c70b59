import { endpoints } from '../../api/endpoints';
import { textField } from '../fields';
import { operation } from '../operation';

/** Creates an API token. Source: specification, POST /v1/auth/token; request and response are not shown there. */
export const createToken = operation({
	resource: 'account',
	name: 'Create Token',
	value: 'createToken',
	action: 'Create token',
	description: 'Create an API token and return it in the output',
	endpoint: endpoints.createToken,
	fields: [
		textField({
			displayName: 'Name',
			name: 'name',
			placeholder: 'e.g. n8n in production',
			description: 'What the token is for, to recognize it later',
		}),
		{
			displayName:
				'The output contains the token: everybody who can see this execution can use it. Copy the token, then delete the execution.',
			name: 'secretNotice',
			type: 'notice',
			default: '',
		},
	],
	request: ({ name }) => ({ body: { name: name.trim() || undefined } }),
});
