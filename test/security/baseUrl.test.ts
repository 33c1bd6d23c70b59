/** Only the host in the credential gets the API key, whatever the Base URL contains and however the host responds. */
import { locator, sendText, useOtherHost, useService } from '../support/service';

const service = useService();
const other = useOtherHost((_, response) =>
	response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}'),
);
const port = () => new URL(other.url).port;

const runWith = async (values: Record<string, string>) => {
	const parameters = { resource: 'account', operation: 'getCurrent' };
	return await service.run({ parameters, credentials: service.credentials(values) });
};
const testOf = async (values: Record<string, string> = {}) =>
	await service.engine.testCredential(service.credentials(values));

test.each([301, 302, 303, 307, 308])(
	'a redirect with %s to another host gets neither the key nor the message',
	async (status) => {
		const headers = { location: `${other.url}/v1/messages/send` };
		await service.fault({ status, headers, count: 9 });
		const words = 'The service redirects to another address';
		expect((await service.errorOf(sendText))?.message).toContain(words);
		expect((await testOf()).message).toContain(words);
		expect(other.seen).toEqual([]);
	},
);

test.each([
	'http://user@127.0.0.1:PORT',
	'http://user:word@127.0.0.1:PORT',
	'http://127.0.0.1:1@127.0.0.1:PORT',
	'http://localhost:80@127.0.0.1:PORT',
	'http://127.0.0.1:PORT?x=/v1',
	'http://127.0.0.1:PORT/#/v1',
	'http://[::ffff:127.0.0.1]:PORT',
	'http://localhost.:PORT',
	'http://127.0.0.1.example.com:PORT',
	'http://example.com',
	'ftp://127.0.0.1:PORT',
	'file:///etc/passwd',
	'javascript:1',
	'//127.0.0.1:PORT',
	'',
	' ',
])(
	"the address %j gets nothing, neither from the node nor from the credential's test",
	async (trick) => {
		const baseUrl = trick.replace('PORT', port());
		const words = "'Base URL' of the credential";
		expect((await runWith({ baseUrl })).error?.message).toContain(words);
		expect((await testOf({ baseUrl })).message).toContain(words);
		expect(other.seen).toEqual([]);
	},
);

test.each(['http://127.0.0.1', 'http://127.1', 'http://2130706433', 'HTTP://LOCALHOST'])(
	'%s is this machine, and keeps its port and path',
	async (host) => {
		await runWith({ baseUrl: `${host}:${port()}/api` });
		expect(other.seen.map(({ url }) => url)).toEqual(['/api/v1/auth/me']);
		expect(new URL(`http://${other.seen[0].headers.host}`).port).toBe(port());
	},
);

test.each([
	['../../admin', '..%2F..%2Fadmin'],
	['%2e%2e/x', '%252e%252e%2Fx'],
	['..;/x', '..%3B%2Fx'],
	['a?b=c#d', 'a%3Fb%3Dc%23d'],
	['\\..\\x', '%5C..%5Cx'],
	['//evil.example', '%2F%2Fevil.example'],
	['a\r\nX-Evil: 1', 'a%0D%0AX-Evil%3A%201'],
	['\u0000', '%00'],
	['@evil.example', '%40evil.example'],
	['.', undefined],
	[' .. ', undefined],
	['\ud800', undefined],
])('the identifier %j stays one part of the path, or is refused', async (value, part) => {
	const { error } = await service.run({
		parameters: { resource: 'webhook', operation: 'delete', webhookId: locator(value) },
		credentials: service.credentials({ baseUrl: other.url }),
	});
	const seen = other.seen.map(({ method, url, headers }) => [method, url, headers['x-evil']]);
	expect(seen).toEqual(part ? [['DELETE', `/v1/webhooks/${part}`, undefined]] : []);
	if (!part) expect(error?.message).toMatch(/record ID is empty or invalid/);
});

test("n8n's Allowed Domains of the credential hold for the node, its test, pickers and the trigger", async () => {
	const domains = { allowedHttpRequestDomains: 'domains', allowedDomains: 'example.com' };
	const credentials = service.credentials(domains);
	const words = 'The credential may not be used for 127.0.0.1';
	expect((await runWith(domains)).error?.message).toBe(`${words} [item 0]`);
	expect((await testOf(domains)).message).toContain(words);
	const editor = service.engine.editor({ credentials });
	await expect(editor.listSearch('searchContacts')).rejects.toThrow(words);
	const trigger = await service.engine.trigger({ credentials });
	await expect(trigger.activate()).rejects.toThrow(words);
	expect(service.requests()).toEqual([]);
	expect((await runWith({ ...domains, allowedDomains: '127.0.0.1' })).error).toBeUndefined();
});
