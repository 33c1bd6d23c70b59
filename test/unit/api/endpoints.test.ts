/** What an endpoint is called under each API path, and what its records are called in messages to the user. */
import { endpoints, recordName, routeOf } from '../../../nodes/BusinessMessaging/api/endpoints';

const { sendText, updateContact, deleteWebhook, createTemplate, listConversations } = endpoints;

test('a record has the name that people use for it', () => {
	const names = [sendText, updateContact, deleteWebhook, createTemplate, listConversations];
	expect([...names, endpoints.getCurrentAccount, endpoints.sendTemplate].map(recordName)).toEqual(
		'message contact webhook template conversation account message'.split(' '),
	);
	const { getMessageStatistics } = endpoints;
	expect(recordName({ ...getMessageStatistics, path: '/v1/messages/statistics' })).toBe(
		'statistic',
	);
});

test('only what reads, replaces or removes may be repeated when its result is not known', () => {
	for (const [name, { methods, idempotent }] of Object.entries(endpoints)) {
		const safe = ['GET', 'PUT', 'DELETE'];
		// A PATCH of a contact sets fields to given values. Another one might count something up.
		if (name === 'updateContact') safe.push('PATCH');
		const isSafe = Object.values(methods).every((method) => safe.includes(method));
		expect([name, idempotent]).toEqual([name, isSafe]);
	}
});

test.each([
	['both API paths', listConversations, ['GET', true], ['GET', true]],
	['both, with different methods', updateContact, ['PUT', true], ['PATCH', true]],
	['/v1 alone', deleteWebhook, ['DELETE', true], ['DELETE', false]],
	['neither', { ...sendText, methods: {} }, ['GET', false], ['GET', false]],
] as const)('an endpoint of %s', (_, endpoint, own, shared) => {
	for (const [apiPath, [method, listed]] of [
		['/v1', own],
		['/api/v1', shared],
	] as const) {
		const path = apiPath === '/v1' ? endpoint.path : `/api${endpoint.path}`;
		expect(routeOf(endpoint, apiPath)).toEqual({ method, path, listed });
	}
});
