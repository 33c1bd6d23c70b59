import { startSandbox } from '../../sandbox';
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
