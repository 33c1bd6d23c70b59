import type { FaultOrder } from '../../sandbox/faults';
import { closeAll, openSandbox } from './support';

afterEach(closeAll);

const to = '+15552000001';

/** Orders a fault, sends a text, and tells the status or the error's code, the body, and how many messages are stored. */
async function sendUnder(order: FaultOrder, timeout = 10_000) {
	const { sandbox, api, controls } = await openSandbox();
	expect((await controls.post('/faults', order)).status).toBe(201);
	const send = async () =>
		await api.post('/messages/send', { to, text: 'Hi' }, { timeout, responseType: 'text' });
	const outcome = await send().catch(({ code, message }: { code: string; message: string }) => ({
		status: code,
		headers: {},
		data: message,
	}));
	const { status, data, headers } = outcome;
	const after = await send();
	expect(after.status).toBe(201); // a fault hits just as many calls as it was ordered for
	return {
		status,
		data: String(data),
		headers,
		stored: sandbox.state.messages.all.length - 1,
		sandbox,
		api,
		controls,
	};
}

describe('faults', () => {
	it('of a status are not processed, unless told so', async () => {
		expect(await sendUnder({ endpoint: 'sendText', status: 503 })).toMatchObject({
			status: 503,
			stored: 0,
		});
		expect(await sendUnder({ endpoint: 'sendText', status: 503, processed: true })).toMatchObject({
			status: 503,
			stored: 1,
		});
	});

	it('reset the connection before or after the call had its effect', async () => {
		// A connection that is merely closed would be a "socket hang up".
		const reset = { status: 'ECONNRESET', data: 'read ECONNRESET' };
		expect(await sendUnder({ reset: 'beforeRead' })).toMatchObject({ ...reset, stored: 0 });
		const after = await sendUnder({ reset: 'afterRead' });
		expect(after).toMatchObject({ ...reset, stored: 1 });
		const { data } = await after.controls.get('/requests');
		expect(data.endpoints.sendText.byStatus).toEqual({ none: 1, 201: 1 });
	});

	it('hit the calls that match, after those that shall pass', async () => {
		const { api, shared, controls } = await openSandbox();
		const order = { endpoint: 'sendText', match: 'third', status: 500 };
		await controls.post('/faults', order);
		await controls.post('/faults', { endpoint: 'listContacts', skip: 1, count: 2, status: 500 });
		await controls.post('/faults', { method: 'get', path: '/api/v1/templates', status: 418 });
		const texts = ['first', 'third', 'third'];
		const sends = [];
		for (const text of texts) sends.push((await api.post('/messages/send', { to, text })).status);
		expect(sends).toEqual([201, 500, 201]);
		const lists = [];
		for (const client of [api, shared, api, shared])
			lists.push((await client.get('/contacts')).status);
		expect(lists).toEqual([200, 500, 500, 200]);
		expect([(await api.get('/templates')).status, (await shared.get('/templates')).status]).toEqual(
			[200, 418],
		);
		const { data } = await controls.get('/faults');
		expect(data.data.map(({ hits }: { hits: number }) => hits)).toEqual([1, 2, 1]);
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
