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
	const repeated = Object.entries(endpoints).filter(([, { idempotent }]) => idempotent);
	const writes = repeated.filter(([, { methods }]) => !Object.values(methods).includes('GET'));
	expect(writes.map(([name]) => name).sort()).toEqual([
		'deleteWebhook',
		'updateContact',
		'updateTemplate',
	]);
	const others = Object.entries(endpoints).filter(([, { idempotent }]) => !idempotent);
	const methods = others.flatMap(([, endpoint]) => Object.values(endpoint.methods));
	expect(new Set(methods)).toEqual(new Set(['POST']));
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
