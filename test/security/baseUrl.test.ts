/** Who gets the API key: the address in the credential and nobody else, whatever stands there and whatever it answers. */
import { useService } from '../support/service';
import { useOtherHost } from './otherHost';

const service = useService();
const other = useOtherHost((_, response) =>
	response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}'),
);

const send = { resource: 'message', operation: 'sendText', to: '+15550001000', text: 'Hi' };
const getCurrent = { resource: 'account', operation: 'getCurrent' };
const run = async (values: Record<string, string>) =>
	await service.run({ parameters: getCurrent, credentials: service.credentials(values) });

test.each([301, 302, 303, 307, 308])(
	'a redirect with %s to another host gets neither the key nor the message',
	async (status) => {
		await service.fault({
			status,
			headers: { location: `${other.url}/v1/messages/send` },
			count: 9,
		});
		const { error } = await service.run({ parameters: send });
		expect(error?.message).toContain('The service redirects to another address');
		expect(await service.engine.testCredential(service.credentials())).toEqual({
			status: 'Error',
			message: expect.stringContaining('The service redirects to another address'),
		});
		expect(other.seen).toEqual([]);
	},
);

const tricks = (port: string) => [
	`http://user@127.0.0.1:${port}`,
	`http://user:word@127.0.0.1:${port}`,
	`http://127.0.0.1:1@127.0.0.1:${port}`,
	`http://localhost:80@127.0.0.1:${port}`,
	`http://127.0.0.1:${port}?x=/v1`,
	`http://127.0.0.1:${port}/#/v1`,
	`http://[::ffff:127.0.0.1]:${port}`,
	`http://localhost.:${port}`,
	`http://127.0.0.1.example.com:${port}`,
	`ftp://127.0.0.1:${port}`,
	'file:///etc/passwd',
	'javascript:1',
	`//127.0.0.1:${port}`,
	'',
	' ',
];

test("addresses that say one thing and mean another get nothing, neither from the node nor from the credential's test", async () => {
	for (const baseUrl of tricks(new URL(other.url).port)) {
		expect([baseUrl, (await run({ baseUrl })).error?.message]).toEqual([
			baseUrl,
			expect.stringContaining("'Base URL' of the credential"),
		]);
		expect([
			baseUrl,
			(await service.engine.testCredential(service.credentials({ baseUrl }))).status,
		]).toEqual([baseUrl, 'Error']);
	}
	expect(other.seen).toEqual([]);
});

test.each(['http://127.1', 'http://2130706433', 'HTTP://LOCALHOST'])(
	'%s is this machine, in another way of writing',
	async (host) => {
		const { status } = await run({ baseUrl: `${host}:${new URL(other.url).port}` });
		expect([status, other.seen.length]).toEqual(['success', 1]);
	},
);

test('the port of the address is kept', async () => {
	await run({ baseUrl: `${other.url}/api` });
	expect(other.seen.map(({ url, headers }) => [url, headers.host])).toEqual([
		['/api/v1/auth/me', new URL(other.url).host],
	]);
});

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
])('the identifier %j stays one part of the path', async (id, part) => {
	await service.run({
		parameters: {
			resource: 'webhook',
			operation: 'delete',
			webhookId: { __rl: true, mode: 'id', value: id },
		},
		credentials: service.credentials({ baseUrl: other.url }),
	});
	expect(other.seen.map(({ method, url, headers }) => [method, url, headers['x-evil']])).toEqual([
		['DELETE', `/v1/webhooks/${part}`, undefined],
	]);
});

test.each(['.', '..', ' .. ', '\ud800'])('the identifier %j is refused', async (id) => {
	const { error } = await service.run({
		parameters: {
			resource: 'webhook',
			operation: 'delete',
			webhookId: { __rl: true, mode: 'id', value: id },
		},
	});
	expect(error?.message).toMatch(/record ID is empty or invalid/);
	expect(service.sandbox.state.requests.last()).toEqual([]);
});

describe("n8n's Allowed Domains of the credential", () => {
	const restricted = (allowedDomains: string, mode = 'domains') => ({
		allowedHttpRequestDomains: mode,
		allowedDomains,
	});

	test.each(['example.com', '*.example.com, api.example.org', '', '1', '*.0.0.1.example.com', '*'])(
		'"%s" keeps the key from an address that is not among them',
		async (domains) => {
			const { error } = await run(restricted(domains));
			expect(error).toMatchObject({
				message: 'The credential may not be used for 127.0.0.1 [item 0]',
				description: expect.stringContaining('Allowed Domains'),
			});
			expect(service.sandbox.state.requests.last()).toEqual([]);
		},
	);

	test.each([
		restricted('127.0.0.1'),
		restricted('example.com, 127.0.0.1.'),
		restricted('*.0.0.1'),
		restricted('example.com', 'all'),
		restricted('example.com', 'none'), // that is about the HTTP Request node
	])('%j lets the node reach the address of the credential', async (values) => {
		expect((await run(values)).error).toBeUndefined();
	});

	test('hold for pickers and the trigger too', async () => {
		const credentials = service.credentials(restricted('example.com'));
		await expect(
			service.engine.editor({ credentials }).listSearch('searchContacts'),
		).rejects.toThrow('may not be used for');
		const trigger = await service.engine.trigger({ credentials });
		await expect(trigger.activate()).rejects.toThrow('may not be used for');
		expect(service.sandbox.state.requests.last()).toEqual([]);
	});
});
