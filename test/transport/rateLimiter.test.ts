/** Pace: the allowance is used in full and not exceeded, and several processes share a key without losing anything. */
import { countBy, range, uniq } from 'lodash';

import { useService } from '../support/service';

const allowance = { requests: 60, windowMs: 600 };
const service = useService({
	requestsPerWindow: allowance.requests,
	rateWindowMs: allowance.windowMs,
	latencyMs: 5,
});
const parameters = {
	resource: 'message',
	operation: 'sendText',
	to: '=+1555000{{ $json.n }}',
	text: 'Sale!',
};

async function campaign(first: number, count: number, credential = {}) {
	const rate = { requestsPerMinute: allowance.requests, rateWindowMs: allowance.windowMs };
	const credentials = service.credentials({ ...rate, ...credential });
	return await service.run({
		parameters,
		credentials,
		items: range(first, first + count).map((n) => ({ n })),
	});
}
const refused = () => service.sandbox.state.requests.counters.sendText.byStatus[429] ?? 0;
const doubled = () => Object.values(countBy(service.sent(), 'phone')).filter((count) => count > 1);

test('with the right setting the service never refuses, over several windows', async () => {
	const { error, outputs } = await campaign(1000, 200);
	expect(error).toBeUndefined();
	expect(outputs[0]).toHaveLength(200);
	expect(refused()).toBe(0);
});

test('with a setting far too high the sender learns from the refusals', async () => {
	const { error } = await campaign(1000, 300, {
		requestsPerMinute: 10_000,
		baseUrl: `${service.url}/`,
	});
	expect(error).toBeUndefined();
	expect(uniq(service.sent().map(({ phone }) => phone))).toHaveLength(300);
	expect(doubled()).toEqual([]);
	expect(refused()).toBeLessThan(300);
});

test('two processes that share a key lose and double nothing and get on with few refusals', async () => {
	const other = { baseUrl: service.url.replace('127.0.0.1', 'localhost') }; // paced on its own, like another process
	const runs = await Promise.all([campaign(1000, 150), campaign(2000, 150, other)]);
	expect(runs.map(({ error, outputs }) => [error, outputs[0].length])).toEqual([
		[undefined, 150],
		[undefined, 150],
	]);
	expect(service.sent()).toHaveLength(300);
	expect(doubled()).toEqual([]);
	expect(refused()).toBeLessThan(150);
});

test('a service that asks to wait longer than anyone would is reported for every item, with what to do', async () => {
	const apiKey = await newKey();
	await service.fault({ endpoint: 'sendText', status: 429, headers: { 'retry-after': '3600' } });
	const { error } = await campaign(1000, 50, { apiKey });
	expect(error).toMatchObject({
		message: expect.stringContaining('asks to wait another 60 minutes'),
		description: expect.stringContaining("lower 'Requests per Minute'"),
		context: { sendStatus: 'notSent' },
	});
	expect(service.sent().length).toBeLessThan(50);
});

test('says so when the rate made the user wait for long, and only then', async () => {
	const apiKey = await newKey();
	expect((await campaign(1000, 1, { apiKey })).hints).toEqual([]);
	await service.fault({ endpoint: 'sendText', status: 429, headers: { 'retry-after-ms': '2500' } });
	const { hints, error } = await campaign(1001, 1, { apiKey });
	expect(error).toBeUndefined();
	expect(hints).toEqual([
		expect.objectContaining({
			message: expect.stringContaining('wait up to 3 seconds'),
			location: 'outputPane',
		}),
	]);
});

/** A key of its own has a pace of its own. */
async function newKey(): Promise<string> {
	const { outputs } = await service.run({
		parameters: { resource: 'account', operation: 'createToken' },
	});
	return outputs[0][0].json.token as string;
}
