import { startSandbox } from '../../sandbox';
import {
	endpoints,
	apiPaths,
	routeOf,
	type EndpointName,
} from '../../nodes/BusinessMessaging/api/endpoints';
import { RateLimiter } from '../../sandbox/auth';
import { clientOf, closeAll, openSandbox } from './support';

afterEach(closeAll);

const phone = '+15552000001';
const json = { headers: { 'content-type': 'application/json' } };

describe('requests', () => {
	it('with a wrong field get 422 and the name of the field', async () => {
		const { api } = await openSandbox();
		const login = { to: phone, template: 'login_code', language: 'en_US' };
		const template = { name: 'x', language: 'en_US' };
		const parameters = [{ type: 'text' }];
		const wrong: Array<[string, object, string]> = [
			['/messages/send', { to: '0171 123456', text: 'Hi' }, 'to'],
			['/messages/send', { to: phone }, 'text'],
			['/messages/send', { to: phone, text: 'x'.repeat(4_097) }, 'text'],
			['/messages/template', { ...login, language: undefined }, 'language'],
			['/messages/template', { ...login, components: [{}] }, 'components.0.type'],
			[
				'/messages/template',
				{ ...login, components: [{ type: 'body', parameters }] },
				'components.0.parameters.0',
			],
			['/contacts', { name: 'Nobody' }, 'phone'],
			['/contacts', { phone, segments: [7] }, 'segments'],
			['/templates', { ...template, language: 'english' }, 'language'],
			['/templates', { ...template, components: [{ type: 'FOOTER' }] }, 'components'],
			['/webhooks', { url: 'ftp://example.com' }, 'url'],
			['/webhooks', { url: 'http://example.com', events: [] }, 'events'],
		];
		for (const [path, body, field] of wrong) {
			const { status, data } = await api.post(path, body);
			expect([path, status, data.error.field]).toEqual([path, 422, field]);
		}
		expect((await api.get('/contacts?limit=none')).data.error.field).toBe('limit');
	});

	it('get JSON also for what is no request at all', async () => {
		const { sandbox, api } = await openSandbox();
		const answers = [
			await api.post('/messages/send', '{"to":', {
				...json,
				transformRequest: (text: string) => text,
			}),
			await api.post('/messages/send', { to: phone, text: 'x'.repeat(1_048_576) }),
			await api.post('/messages/send', 'to=1', { headers: { 'content-type': 'text/csv' } }),
			await api.get('/nothing'),
		];
		expect(answers.map(({ status, data }) => [status, data.error.code])).toEqual([
			[400, 'bad_request'],
			[413, 'too_large'],
			[415, 'unsupported_media_type'],
			[404, 'not_found'],
		]);
		expect(sandbox.state.messages.all).toEqual([]);
	});

	it('may announce JSON and have no body', async () => {
		const { sandbox, api } = await openSandbox();
		const { id } = sandbox.state.webhooks.create({ url: 'http://127.0.0.1:9/' });
		expect((await api.delete(`/webhooks/${id}`, json)).status).toBe(204);
		expect((await api.delete(`/webhooks/${id}`, json)).status).toBe(404);
	});

	it('that break the contract on our side are a 500, not a quiet mistake', async () => {
		const { sandbox, api } = await openSandbox();
		const noise = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
		Object.assign(sandbox.state.contacts.all[0] ?? {}, { name: 7 });
		const { status, data } = await api.get('/contacts');
		noise.mockRestore();
		expect([status, data.error.message]).toEqual([
			500,
			expect.stringContaining('listContacts breaks the contract'),
		]);
	});
});

describe('startSandbox', () => {
	it('says in a sentence that a port is taken', async () => {
		const { sandbox } = await openSandbox();
		await expect(startSandbox({ port: sandbox.port })).rejects.toThrow(
			`Port ${sandbox.port} is taken`,
		);
	});

	it('refuses options that it does not know or understand', async () => {
		await expect(startSandbox({ port: -1 })).rejects.toThrow('port');
		await expect(startSandbox({ speed: 1 } as object)).rejects.toThrow('speed');
	});

	it('serves the OpenAPI document with its own address', async () => {
		const { sandbox } = await openSandbox();
		const { data } = await clientOf(sandbox.url).get('/openapi.json');
		expect(data.servers.map(({ url }: { url: string }) => url)).toEqual([
			sandbox.url,
			`${sandbox.url}/api`,
		]);
	});
});

const names = Object.keys(endpoints) as EndpointName[];

test('each API path lists just its endpoints, and says which methods it takes instead of another', async () => {
	const { sandbox, url } = await openSandbox();
	const client = clientOf(url, sandbox.key);
	for (const [apiPath, name] of apiPaths.flatMap((one) =>
		names.map((name) => [one, name] as const),
	)) {
		const { method, path, listed } = routeOf(endpoints[name], apiPath);
		const { status } = await client.request({ method, url: path.replace(':id', 'unknown') });
		const unknown = path.includes(':id') ? [404] : [];
		const expected = listed ? [200, 201, 422, ...unknown] : [404, 405];
		expect([apiPath, name, expected.includes(status)]).toEqual([apiPath, name, true]);
	}
	const { status, headers } = await client.patch('/v1/contacts/unknown', {});
	expect([status, String(headers.allow).split(', ')]).toEqual([
		405,
		expect.arrayContaining(['PUT']),
	]);
	expect(headers.allow).not.toContain('PATCH');
});

describe('keys', () => {
	it('are demanded by every endpoint', async () => {
		const { sandbox, url } = await openSandbox();
		for (const name of names) {
			const { method, path } = routeOf(endpoints[name], '/v1');
			for (const key of [undefined, 'wrong', `${sandbox.key}x`]) {
				const answer = await clientOf(url, key).request({ method, url: path });
				expect([name, answer.status, answer.data.error.code]).toEqual([name, 401, 'unauthorized']);
			}
		}
	});
});

describe('rate limit', () => {
	it('lets through the allowed number within any window, and says when to come again', () => {
		const limiter = new RateLimiter({ requestsPerWindow: 3, rateWindowMs: 10_000 });
		const take = (now: number) => {
			try {
				limiter.take('key', now);
				return 'ok';
			} catch (error) {
				return (error as { headers: Record<string, string> }).headers['retry-after'];
			}
		};
		expect([0, 4000, 9000, 9500, 9999].map(take)).toEqual(['ok', 'ok', 'ok', '1', '1']);
		// One leaves the window at 10,000, the next only at 14,000.
		expect([10_000, 10_001, 13_999, 14_000].map(take)).toEqual(['ok', '4', '1', 'ok']);
	});
});

describe('the page of the phone', () => {
	it('is served with its files and libraries, under a policy that allows nothing from elsewhere', async () => {
		const { sandbox } = await openSandbox();
		const client = clientOf(sandbox.url);
		const { data: html, headers } = await client.get('/');
		expect(headers['content-security-policy']).toContain("default-src 'none'");
		const addresses = [...html.matchAll(/"(\/phone\/[^"]+)"/g)].map((match) => match[1]);
		expect(addresses).toContain('/phone/main.js');
		for (const address of addresses)
			expect([address, (await client.get(address)).status]).toEqual([address, 200]);
		expect((await client.get('/phone/../index.ts')).status).toBe(404);
		expect((await client.get('/phone/%2e%2e/index.ts')).status).not.toBe(200);
		expect(html).not.toContain(sandbox.key);
	});

	it('and the controls answer nobody who came by another name', async () => {
		const { sandbox } = await openSandbox();
		const stranger = clientOf(sandbox.url);
		const { port } = sandbox;
		for (const path of ['/', '/phone/main.js', '/_sandbox/chats', '/_sandbox/events']) {
			expect([
				path,
				(await stranger.get(path, { headers: { host: `evil.example:${port}` } })).status,
			]).toEqual([path, 403]);
		}
		expect(
			(await stranger.get('/_sandbox/chats', { headers: { host: `localhost:${port}` } })).status,
		).toBe(200);
	});
});
