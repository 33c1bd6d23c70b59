/** What the phone's page is made of and fed with. The page itself is looked at in a browser: test/e2e/phone.test.ts. */
import { until } from '../../tools/until';
import { clientOf, closeAll, openSandbox } from './support';

afterEach(closeAll);

const ada = '+15552000001';
const bob = '+15552000002';

describe('chats', () => {
	it('come newest first, then contacts nobody has written with, and are found by name or phone', async () => {
		const { sandbox, api, controls } = await openSandbox({ sampleContacts: 2 });
		await controls.post('/inbound', { from: ada, text: 'first', name: 'Ada' });
		await controls.post('/inbound', { from: bob, text: 'second' });
		await api.post('/messages/send', { to: ada, text: 'third' });
		const [grace, alan] = sandbox.state.contacts.all;
		const phones = async (query: string) => {
			const { data } = await controls.get(`/chats?${query}`);
			return [data.data.map(({ phone }: { phone: string }) => phone), data.total];
		};
		expect(await phones('')).toEqual([[ada, bob, grace.phone, alan.phone], 4]);
		expect(await phones('limit=1')).toEqual([[ada], 4]);
		expect(await phones('search=aDA')).toEqual([[ada, grace.phone], 2]);
		expect(await phones('search=555-200-0002')).toEqual([[bob], 1]);
		expect(await phones('search=nobody')).toEqual([[], 0]);
		const { data } = await controls.get('/chats');
		expect(data.data[0]).toMatchObject({
			name: 'Ada',
			lastMessage: { text: 'third', direction: 'outbound' },
		});
		expect(data.data[2]).toEqual({
			phone: grace.phone,
			name: grace.name,
			lastMessage: null,
		});
	});

	it('give their newest messages, oldest first, and why one has failed', async () => {
		const { sandbox, controls, api } = await openSandbox({ failingNumbers: [bob] });
		for (const text of ['one', 'two', 'three'])
			await controls.post('/inbound', { from: ada, text });
		const { data } = await controls.get(`/chats/${encodeURIComponent(ada)}?limit=2`);
		expect([data.data.map(({ text }: { text: string }) => text), data.total]).toEqual([
			['two', 'three'],
			3,
		]);

		const failureOf = async (phone: string) =>
			(await controls.get(`/chats/${encodeURIComponent(phone)}`)).data.data.at(-1).failure;
		await api.post('/messages/send', { to: bob, text: 'Hi' });
		await until('it has failed', () => failureOf(bob));
		const { data: sent } = await api.post('/messages/send', { to: ada, text: 'Hi' });
		sandbox.state.traffic.setStatus(
			sandbox.state.messages.get(sent.id)!,
			'failed',
			'No such account.',
		);
		expect(await failureOf(ada)).toBe('No such account.');
		expect((await controls.get('/chats/ada')).status).toBe(422);
	});
});

describe('the page', () => {
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
