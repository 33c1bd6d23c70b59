/** What a user sees who saves the credential or clicks Retry, and what its fields say. */
import { useOtherHost, useService } from '../support/service';

const service = useService();
let answer: { status: number; type: string; body: string };
const other = useOtherHost((_, response) => {
	response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
});

const press = async (values: Record<string, unknown> = {}) =>
	await service.engine.testCredential(service.credentials(values as never));
const nothingHere =
	"There is no messaging service at this address. Check 'Base URL' and 'API Path'.";

test.each([
	['', 'automatic', ''],
	['/v1', '/v1', ''],
	['/api', 'automatic', '/api'],
	['/api/v1/', '/api/v1', '/api'],
])('finds the service under %j with the API path %s', async (path, apiPath, prefix) => {
	const result = await press({ baseUrl: ` ${service.url}${path} `, apiPath });
	expect(result).toEqual({ status: 'OK', message: 'Connection successful!' });
	expect(service.requests().map(({ url }) => url)).toEqual([
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

test('a key that may not list contacts is valid', async () => {
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

test('says the sentences of the nodes where nothing responds', async () => {
	const { host } = new URL(other.url);
	const results: Array<[string, RegExp]> = [
		[
			'http://127.0.0.1:9',
			/^The service cannot be reached at 127\.0\.0\.1:9: the connection was refused\. .* and the network of n8n, then run the node again\. \(ECONNREFUSED\)$/,
		],
		[
			`https://${host}`,
			new RegExp(`^There is no HTTPS at ${host}. Check 'Base URL' in the credential. \\(EPROTO\\)`),
		],
		['https://no-host.invalid', /^The service cannot be reached at no-host\.invalid: its name /],
	];
	const said = await Promise.all(
		results.map(async ([baseUrl]) => (await press({ baseUrl })).message),
	);
	expect(said).toEqual(results.map(([, message]) => expect.stringMatching(message)));
	expect(other.seen).toEqual([]);
});

test('words of the service that quote the key are shown without it', async () => {
	const body = { message: `Key ${service.sandbox.key} has expired` };
	await service.fault({ endpoint: 'getCurrentAccount', status: 403, body });
	const words = 'The API key is not allowed to do this: Key [API key] has expired (HTTP 403)';
	expect((await press()).message).toContain(words);
});
