/** The credential's Test button, as n8n presses it. */
import { NodeHelpers } from 'n8n-workflow';

import { useService } from '../support/service';

const service = useService();

test.each([
	['a dedicated host', '', 'automatic'],
	['a slash at the end', '/', 'automatic'],
	['the version in the address', '/v1', '/v1'],
	['a shared host', '/api', 'automatic'],
	['a shared host with version and slash', '/api/v1/', '/api/v1'],
	['a shared host without /api in the address', '', '/api/v1'],
])('passes with %s', async (_name, path, apiPath) => {
	const result = await service.engine.testCredential(
		service.credentials({ baseUrl: `${service.url}${path}`, apiPath }),
	);
	expect(result.status).toBe('OK');
	expect(service.sandbox.state.requests.last().at(-1)?.url).toBe(
		path.startsWith('/api') || apiPath === '/api/v1' ? '/api/v1/auth/me' : '/v1/auth/me',
	);
});

test('says that the key is wrong, without showing it', async () => {
	const result = await service.engine.testCredential(
		service.credentials({ apiKey: 'not-the-right-key' }),
	);
	expect(result).toEqual({
		status: 'Error',
		message:
			'The service does not accept the API key. Check it in the account settings of the service.',
	});
});

test.each([
	'http://example.com',
	'http://127.0.0.1.example.com',
	' http://localhost.example.com/api',
	'ftp://example.com',
])('sends nothing to %s', async (baseUrl) => {
	const { status, message } = await service.engine.testCredential(service.credentials({ baseUrl }));
	expect([status, message]).toEqual(['Error', 'ERR_BAD_REQUEST']); // what axios says of a protocol that is none
});

test.each([
	['http://example.com', true],
	['http://api.example.com/api', true],
	['https://example.com', false],
	['http://localhost:4010/api', false],
	['http://[::1]:4010', false],
])('tells while one types that %s is not HTTPS: %s', (baseUrl, isShown) => {
	const { properties } = service.engine.loaded.credential('businessMessagingApi');
	const notice = properties.find(({ type }) => type === 'notice');
	expect(NodeHelpers.displayParameter({ baseUrl }, notice!, null, null)).toBe(isShown);
});

test.each([
	['http://example.com', 'The Base URL of the credential does not start with https://'],
	['https://user:word@example.com', 'The Base URL of the credential holds more than an address'],
	['example.com', 'The Base URL of the credential is not a web address'],
])('the node refuses %s before it sends anything', async (baseUrl, message) => {
	const { error } = await service.run({
		parameters: { resource: 'account', operation: 'getCurrent' },
		credentials: service.credentials({ baseUrl }),
	});
	expect(error?.message).toBe(`${message} [item 0]`);
});

test('words of the service that quote the key are shown without it', async () => {
	const { sandbox } = service;
	await service.fault({
		endpoint: 'getCurrentAccount',
		status: 403,
		body: { message: `Key ${sandbox.key} has expired` },
	});
	const { error } = await service.run({
		parameters: { resource: 'account', operation: 'getCurrent' },
	});
	expect(error?.message).toBe(
		'The API key is not allowed to do this: Key [API key] has expired (HTTP 403) [item 0]',
	);
	expect(JSON.stringify(error)).not.toContain(sandbox.key);
});
