/** What a user sees when the credential is saved, or when Retry is clicked. */
import { sendText, useOtherHost, useService } from '../../../harness/engine/service';

const service = useService();
let answer: { status: number; type: string; body: string };
const other = useOtherHost((_, response) => {
	response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
});

const press = async (values: Record<string, string> = {}) =>
	await service.engine.testCredential(service.credentials(values));

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

test.each([
	{ contacts: [{ phone: '+15550001000' }], tags: [{ id: 1 }] },
	{ contacts: [], tags: [{ id: 1 }] },
	{ response: { contacts: [{ id: 1 }], segments: [{ id: 1 }] } },
])('accepts every list of contacts that the nodes can read: %j', async (body) => {
	service.fault({ endpoint: 'listContacts', status: 200, body });
	expect(await press()).toEqual({ status: 'OK', message: 'Connection successful!' });
});

test.each([' ', '\n', '\r\n\t', '\u00a0', '\ufeff'])(
	'accepts a key that was pasted with white space around it: %j',
	async (space) => {
		const credentials = { apiKey: `${space}${service.sandbox.key}${space}` };
		expect((await press(credentials)).status).toBe('OK');
		const run = { parameters: sendText, credentials: service.credentials(credentials) };
		expect((await service.run(run)).error).toBeUndefined();
		expect(service.sent()).toHaveLength(1);
	},
);

test.each<[number, string]>([
	[403, 'OK'], // the key has no permission for contacts
	[422, 'OK'], // the service does not know "limit"
	[401, 'Error'],
	[500, 'Error'],
])('if the list of contacts gives %d, the result is %s', async (status, expected) => {
	const body = { message: 'Says why' };
	service.fault({ endpoint: 'listContacts', status, body, count: 20 });
	const result = await press(service.newKey());
	expect(result.status).toBe(expected);
	if (expected === 'Error') expect(result.message).toContain(`Says why (HTTP ${status})`);
});

test.each([
	'whsec_',
	' whsec_',
	'whsec_no base64',
	'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS',
	'!!!!',
	'\u6211\u7684\u79d8\u5bc6',
	'  ',
])('says that no service signs with the Webhook Secret %j', async (webhookSecret) => {
	const { status, message } = await press({ webhookSecret });
	expect(status).toBe('Error');
	expect(message).toMatch(/^'Webhook Secret' .* Copy it again from the service\.$/);
});

test.each([
	'',
	'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
	'correct horse battery staple',
	'p\u00e4ssword!',
	'mine: whsec_',
])('accepts the Webhook Secret %j', async (webhookSecret) => {
	expect((await press({ webhookSecret })).status).toBe('OK');
});

const page = { status: 200, type: 'text/html', body: '<!doctype html><title>Welcome</title>' };
const json = (status: number, body: object) => ({
	status,
	type: 'application/json',
	body: JSON.stringify(body),
});

test.each([
	['a web page', page],
	['JSON of another service', json(200, { id: 7, name: 'Pet shop' })],
	['nothing', { ...page, type: 'text/plain', body: '' }],
	['"not found"', json(404, { message: 'Not found' })],
	['"no such method"', json(405, { message: 'Method not allowed' })],
])('says that there is no messaging service at an address with %s', async (_, given) => {
	answer = given;
	const message = "There is no messaging service at this address. Check 'Base URL' and 'API Path'.";
	expect(await press({ baseUrl: other.url })).toEqual({ status: 'Error', message });
});

test('shows the same error as the nodes if nothing responds', async () => {
	const { host } = new URL(other.url);
	expect((await press({ baseUrl: 'http://127.0.0.1:9' })).message).toMatch(
		/^The service cannot be reached at 127\.0\.0\.1:9: the connection was refused\. Check 'Base URL' /,
	);
	expect((await press({ baseUrl: `https://${host}` })).message).toContain(
		`There is no HTTPS at ${host}. Check 'Base URL' in the credential.`,
	);
	expect(other.seen).toEqual([]);
});
