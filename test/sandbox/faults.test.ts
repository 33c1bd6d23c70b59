import { closeAll, openSandbox } from './support';

afterEach(closeAll);

const to = '+15552000001';

describe('faults', () => {
	it('hit the calls that match, after those that should pass', async () => {
		const { api, shared, controls } = await openSandbox();
		const order = { endpoint: 'sendText', match: 'third', status: 500 };
		await controls.post('/faults', order);
		await controls.post('/faults', { endpoint: 'listContacts', skip: 1, count: 2, status: 500 });
		const texts = ['first', 'third', 'third'];
		const sends = [];
		for (const text of texts) sends.push((await api.post('/messages/send', { to, text })).status);
		expect(sends).toEqual([201, 500, 201]);
		const lists = [];
		for (const client of [api, shared, api, shared])
			lists.push((await client.get('/contacts')).status);
		expect(lists).toEqual([200, 500, 500, 200]);
		const { data } = await controls.get('/faults');
		expect(data.data.map(({ hits }: { hits: number }) => hits)).toEqual([1, 2]);
	});

	it('can be taken back, and must make sense', async () => {
		const { api, controls } = await openSandbox();
		await controls.post('/faults', { status: 500 });
		await controls.delete('/faults');
		expect((await api.get('/auth/me')).status).toBe(200);
		expect((await controls.post('/faults', { endpoint: 'nothing' })).data.error.field).toBe(
			'endpoint',
		);
		expect(
			(await controls.post('/faults', { reset: 'beforeRead', processed: true })).data.error.field,
		).toBe('processed');
	});
});
