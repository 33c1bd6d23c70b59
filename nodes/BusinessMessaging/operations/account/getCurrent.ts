import { endpoints } from '../../api/endpoints';
import { operation } from '../operation';

/** Identifies the caller of the key. Source: specification, GET /v1/auth/me. */
export const getCurrentAccount = operation({
	resource: 'account',
	name: 'Get Current',
	value: 'getCurrent',
	action: 'Get current account',
	description: 'Get the account that the API key belongs to',
	endpoint: endpoints.getCurrentAccount,
	fields: [],
});
