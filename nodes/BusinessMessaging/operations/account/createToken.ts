import { endpoints } from '../../api/endpoints';
import { operation } from '../operation';

/** Creates an API token. Source: specification, POST /v1/auth/token; request and answer are not shown there. */
export const createToken = operation({
	resource: 'account',
	name: 'Create Token',
	value: 'createToken',
	action: 'Create token',
	description: 'Create an API token. Its value is secret and is part of the output.',
	endpoint: endpoints.createToken,
	fields: [],
});
