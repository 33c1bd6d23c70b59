/** Where the API key must not appear: in items, errors, the data that n8n stores of an execution, hints, and logs. */
import { stringify } from 'flatted';
import type { INode } from 'n8n-workflow';
import type { FaultOrder } from '../../../sandbox/faults';
import type { RunResult } from '../../../harness/engine/execution';
import {
	campaign,
	people,
	sendText as send,
	useLog,
	useService,
	locator,
	sendText,
	useOtherHost,
} from '../../../harness/engine/service';

describe('the API key', () => {
	const service = useService();
	const logged = useLog(service, 'businessMessaging', 'execute');

	/** Searches everything that n8n stores, shows or logs of a run. */
	function expectNoKey({ error, run, outputs, hints, context }: RunResult): void {
		const parts = [run, outputs, hints, context, { ...error }].map((part) => stringify(part));
		const text = [...parts, error?.message, error?.stack, ...logged].join('\n');
		expect(text.length).toBeGreaterThan(100);
		const { key } = service.sandbox;
		const base64 = Buffer.from(key).toString('base64');
		for (const form of [key, encodeURIComponent(key), base64, key.slice(0, 12)])
			expect(text).not.toContain(form);
	}

	const words = () => `The key ${service.sandbox.key} is not known`;
	const bearer = () => `Bearer ${service.sandbox.key}`;
	const escaped = () => JSON.stringify({ message: words() }).replaceAll('-', '\\u002d');
	const json = { 'content-type': 'application/json' };
	const errors = () => [{ field: 'authorization', message: bearer() }];
	const redirect = () => ({ location: `https://example.com/?key=${service.sandbox.key}` });

	const late = 'in a response that comes too late';
	/** Responses that quote the request, in all the ways that a service could. */
	const quotes: Record<string, () => FaultOrder> = {
		'as JSON': () => ({ status: 403, body: { message: words(), errors: errors() } }),
		'as text': () => ({ status: 400, body: words() }),
		'cut off': () => ({ status: 400, body: { message: `${'x'.repeat(485)}${words()}` } }),
		'in JSON with escapes': () => ({ status: 400, headers: json, body: escaped() }),
		'in a successful response': () => ({ status: 200, body: { id: 'msg_1', request: bearer() } }),
		'in the address of a redirect': () => ({ status: 302, headers: redirect(), body: words() }),
		"on a proxy's page": () => ({ status: 502, body: `<html>${words()}</html>` }),
		[late]: () => ({ delayMs: 2_000 }),
		'and the connection breaks': () => ({ reset: 'afterRead' }),
		'in incomplete JSON': () => ({ brokenJson: true }),
	};
	const modes: Array<INode['onError']> = [
		'stopWorkflow',
		'continueRegularOutput',
		'continueErrorOutput',
	];

	test.each(Object.keys(quotes))('is removed if the service quotes it %s', async (quote) => {
		const options = quote === late ? { timeout: 1 } : {};
		for (const onError of modes) {
			service.fault({ ...quotes[quote](), endpoint: 'sendText' });
			expectNoKey(await service.run({ parameters: { ...send, options }, onError }));
		}
		expect(service.calls('sendText')).toBe(3);
	});

	test('is removed if the service quotes it and asks for an hour without requests', async () => {
		const headers = { 'retry-after': '3600' };
		service.fault({ endpoint: 'sendText', status: 429, headers, body: { message: words() } });
		// The wait concerns only this person.
		const run = await service.run({ parameters: { ...send, to: '+15551000429' } });
		expect(run.error?.message).toContain('The key [API key] is not known');
		expectNoKey(run);
	});

	test('is neither in the results and hints of a campaign nor in the data that is stored for a retry', async () => {
		const refusal = { status: 422, body: { message: words() } };
		service.fault({ endpoint: 'sendText', skip: 1, ...refusal });
		const parameters = { ...campaign, options: { concurrency: 1 } };
		const run = await service.run({ parameters, items: people(3) });
		expect(JSON.stringify(run.context)).toContain('sent');
		expectNoKey(run);
		expectNoKey(await service.retry(run));
	});

	test('is only in the header of requests', async () => {
		await service.run({ parameters: { resource: 'contact', operation: 'getAll', limit: 1 } });
		await service.run({ parameters: send });
		const requests = service.requests().map(({ url, body }) => [url, body]);
		expect(requests).toHaveLength(2);
		expect(JSON.stringify(requests)).not.toContain(service.sandbox.key);
	});
});

describe('the Base URL', () => {
	const service = useService();
	const other = useOtherHost((_, response) =>
		response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}'),
	);

	const runWith = async (values: Record<string, string>) => {
		const parameters = { resource: 'account', operation: 'getCurrent' };
		return await service.run({ parameters, credentials: service.credentials(values) });
	};
	const testOf = async (values: Record<string, string> = {}) =>
		await service.engine.testCredential(service.credentials(values));

	test.each([301, 302, 303, 307, 308])(
		'with a redirect by %s, another host gets neither the key nor the message',
		async (status) => {
			const headers = { location: `${other.url}/v1/messages/send` };
			service.fault({ status, headers, count: 9 });
			const words = 'The service redirects to another address';
			expect((await service.errorOf(sendText))?.message).toContain(words);
			expect((await testOf()).message).toContain(words);
			expect(other.seen).toEqual([]);
		},
	);

	test.each(['http://localhost:80@HOST', 'http://HOST?x=/v1', 'http://localhost.:1', 'ftp://HOST'])(
		"the address %s gets nothing, neither from the node nor from the credential's test",
		async (trick) => {
			const baseUrl = trick.replace('HOST', new URL(other.url).host);
			const words = "'Base URL' of the credential";
			expect((await runWith({ baseUrl })).error?.message).toContain(words);
			expect((await testOf({ baseUrl })).message).toContain(words);
			expect(other.seen).toEqual([]);
		},
	);

	test.each([
		['../../admin', '..%2F..%2Fadmin'],
		['%2e%2e/x', '%252e%252e%2Fx'],
		['..;/x', '..%3B%2Fx'],
		['a?b=c#d', 'a%3Fb%3Dc%23d'],
		['//evil.example', '%2F%2Fevil.example'],
		['a\r\nX-Evil: 1', 'a%0D%0AX-Evil%3A%201'],
		['\u0000', '%00'],
		['.', undefined],
		[' .. ', undefined],
		['\ud800', undefined],
	])('the ID %j stays a single part of the path, or is refused', async (value, part) => {
		const { error } = await service.run({
			parameters: { resource: 'webhook', operation: 'delete', webhookId: locator(value) },
			credentials: service.credentials({ baseUrl: other.url }),
		});
		const seen = other.seen.map(({ method, url, headers }) => [method, url, headers['x-evil']]);
		expect(seen).toEqual(part ? [['DELETE', `/v1/webhooks/${part}`, undefined]] : []);
		if (!part) expect(error?.message).toMatch(/^'Webhook' is empty or not an ID/);
	});

	test("n8n's Allowed Domains of the credential apply to the node, the credential test, pickers and the trigger", async () => {
		const domains = { allowedHttpRequestDomains: 'domains', allowedDomains: 'example.com' };
		const credentials = service.credentials(domains);
		const words = 'The credential is not allowed for 127.0.0.1';
		expect((await runWith(domains)).error?.message).toBe(`${words} [item 0]`);
		expect((await testOf(domains)).message).toContain(words);
		const editor = service.engine.editor({ credentials });
		await expect(editor.listSearch('searchContacts')).rejects.toThrow(words);
		const trigger = await service.engine.trigger({ credentials });
		await expect(trigger.activate()).rejects.toThrow(words);
		expect(service.requests()).toEqual([]);
		expect((await runWith({ ...domains, allowedDomains: '127.0.0.1' })).error).toBeUndefined();
	});
});
