import { startSandbox } from '../../sandbox';
import { clientOf, closeAll, openSandbox } from './support';

afterEach(closeAll);

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

	it('answers late if told so, and frees its port when closed', async () => {
		const { sandbox, api } = await openSandbox({ latencyMs: 100 });
		const start = performance.now();
		expect((await api.get('/auth/me')).status).toBe(200);
		expect(performance.now() - start).toBeGreaterThanOrEqual(99);
		await sandbox.close();
		await openSandbox({ port: sandbox.port });
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
