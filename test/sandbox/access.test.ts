import {
	endpoints,
	apiPaths,
	routeOf,
	type EndpointName,
} from '../../nodes/BusinessMessaging/api/endpoints';
import { RateLimiter } from '../../sandbox/auth';
import { clientOf, closeAll, openSandbox } from './support';

afterEach(closeAll);

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
