/** What a user sees who saves the credential or clicks Retry, and what its fields say. */
import { type AddressInfo, createServer } from 'node:net';

import { useOtherHost } from '../support/otherHost';
import { useService } from '../support/service';

const service = useService();
let answer: { status: number; type: string; body: string; location?: string };
const other = useOtherHost((_, response) => {
	const { status, type, body, location } = answer;
	response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body);
});

const press = async (values: Record<string, unknown> = {}) =>
	await service.engine.testCredential(service.credentials(values as never));
const nothingHere =
	"There is no messaging service at this address. Check 'Base URL' and 'API Path'.";

test.each([
	['/v1 of a host', '', 'automatic'],
	['a slash at the end', '/', 'automatic'],
	['the version in the address', '/v1', '/v1'],
	['/api/v1 by the address', '/api', 'automatic'],
	['/api/v1 with version and slash', '/api/v1/', '/api/v1'],
	['/api/v1 without /api in the address', '', '/api/v1'],
])('finds the service under %s', async (_name, path, apiPath) => {
	const result = await press({ baseUrl: ` ${service.url}${path} `, apiPath });
	expect(result).toEqual({ status: 'OK', message: 'Connection successful!' });
	const prefix = path.startsWith('/api') || apiPath === '/api/v1' ? '/api' : '';
	expect(service.sandbox.state.requests.last().map(({ url }) => url)).toEqual([
		`${prefix}/v1/auth/me`,
		`${prefix}/v1/contacts?limit=1`,
	]);
});

test('says that the key is wrong, without showing it', async () => {
	const { status, message } = await press({ apiKey: 'not-the-right-key' });
	expect(status).toBe('Error');
	expect(message).toMatch(
		/^The service does not accept the API key: .* Check 'API Key' in the credential\.$/,
	);
	expect(message).not.toContain('not-the-right-key');
});

test('a key that may not list contacts is a good key', async () => {
	await service.fault({ endpoint: 'listContacts', status: 403 });
	expect((await press()).status).toBe('OK');
});

const page = { status: 200, type: 'text/html', body: '<!doctype html><title>Welcome</title>' };
const json = (body: unknown, status = 200) => ({
	status,
	type: 'application/json',
	body: JSON.stringify(body),
});

test.each([
	['a web page', page],
	['a page that calls itself JSON', { ...page, type: 'application/json' }],
	['JSON of another service', json({ status: 'ok', version: '2.1' })],
	['JSON of another service with an identifier', json({ id: 7, name: 'Pet shop' })],
	['a text', { ...page, type: 'text/plain', body: 'OK' }],
	['nothing', { ...page, type: 'text/plain', body: '' }],
	['"not found"', json({ message: 'Not found' }, 404)],
	['"no such method"', json({ message: 'Method not allowed' }, 405)],
])('says that there is no messaging service where there is %s', async (_, given) => {
	answer = given;
	expect(await press({ baseUrl: other.url })).toEqual({ status: 'Error', message: nothingHere });
});

test('does not follow a redirect, and says so', async () => {
	answer = { ...page, status: 302, location: `${other.url}/elsewhere` };
	expect((await press({ baseUrl: other.url })).message).toMatch(
		/^The service redirects to another address.*Set 'Base URL' in the credential to the address it redirects to/,
	);
	expect(other.seen.map(({ url }) => url)).toEqual(['/v1/auth/me']);
});

test('says the sentences of the nodes where nothing responds', async () => {
	const port = await freePort();
	const results = [
		await press({ baseUrl: `http://127.0.0.1:${port}` }),
		await press({ baseUrl: other.url.replace('http:', 'https:') }),
		await press({ baseUrl: 'https://no-such-host.invalid' }),
	];
	expect(results).toEqual([
		{
			status: 'Error',
			message: `The service cannot be reached at 127.0.0.1:${port}: the connection was refused. Check 'Base URL' in the credential and the network of n8n, then run it again. (ECONNREFUSED)`,
		},
		{
			status: 'Error',
			message: `There is no HTTPS at ${new URL(other.url).host}. Check 'Base URL' in the credential. (EPROTO)`,
		},
		{
			status: 'Error',
			message: expect.stringMatching(
				/^The service cannot be reached at no-such-host\.invalid: its name (is unknown|cannot be looked up)/,
			),
		},
	]);
	expect(other.seen).toEqual([]);
});

async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}

test.each([
	['http://example.com', 'does not start with https://'],
	['http://127.0.0.1.example.com', 'does not start with https://'],
	[' http://localhost.example.com/api', 'does not start with https://'],
	['ftp://example.com', 'is not a web address'],
	['https://user:word@example.com', 'holds more than an address'],
	['example.com', 'is not a web address'],
])('sends nothing to %s, neither the test nor the node', async (baseUrl, words) => {
	const { status, message } = await press({ baseUrl });
	expect([status, message]).toEqual(['Error', expect.stringContaining(words)]);
	const { error } = await service.run({
		parameters: { resource: 'account', operation: 'getCurrent' },
		credentials: service.credentials({ baseUrl }),
	});
	expect(error?.message).toBe(`'Base URL' of the credential ${words} [item 0]`);
});

test('words of the service that quote the key are shown without it', async () => {
	const { sandbox } = service;
	await service.fault({
		endpoint: 'getCurrentAccount',
		status: 403,
		body: { message: `Key ${sandbox.key} has expired` },
		count: 2,
	});
	const { error } = await service.run({
		parameters: { resource: 'account', operation: 'getCurrent' },
	});
	const words = 'The API key is not allowed to do this: Key [API key] has expired (HTTP 403)';
	expect(error?.message).toBe(`${words} [item 0]`);
	expect(JSON.stringify(error)).not.toContain(sandbox.key);
	expect((await press()).message).toContain(words);
});
