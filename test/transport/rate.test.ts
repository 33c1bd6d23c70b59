/** The rate over HTTP: used in full and not exceeded, learned from refusals, and never at the cost of a message. */
import { campaign, oneEach, people, useService } from '../support/service';

const requests = 60;
const rateWindowMs = 600;
const service = useService({ requestsPerWindow: requests, rateWindowMs, latencyMs: 5 });
const refused = () => service.sandbox.state.requests.counters.sendText.byStatus[429] ?? 0;

async function send(first: number, count: number, credential: object = {}) {
	return await service.run({
		parameters: campaign,
		credentials: service.credentials({
			requestsPerMinute: requests,
			rateWindowMs,
			...credential,
		}),
		items: people(count, first),
	});
}

test('with the right setting the service never refuses, over several windows', async () => {
	expect((await send(1000, 200)).error).toBeUndefined();
	expect([refused(), service.received()]).toEqual([0, oneEach(200)]);
});

test('with a setting far too high, and with another process beside it, each message goes out once', async () => {
	const fast = { ...service.newKey(), requestsPerMinute: 10_000 };
	const other = { ...fast, baseUrl: service.url.replace('127.0.0.1', 'localhost') }; // has a separate rate
	const runs = await Promise.all([send(1000, 150, fast), send(1150, 150, other)]);
	expect(runs.map(({ error }) => error)).toEqual([undefined, undefined]);
	expect(service.received()).toEqual(oneEach(300));
	expect(refused()).toBeGreaterThan(0);
});

const inTwoHours = () => Date.now() + 2 * 3_600_000;
const wrongClock = {
	date: 'Tue, 01 Jan 2030 10:00:00 GMT',
	'retry-after': 'Tue, 01 Jan 2030 11:00:00 GMT',
};

test.each<[string, () => Record<string, string>, number]>([
	['seconds', () => ({ 'retry-after': '3600' }), 60],
	['a date', () => ({ 'retry-after': new Date(inTwoHours()).toUTCString() }), 120],
	['a date by a clock that is wrong', () => wrongClock, 60],
	['milliseconds', () => ({ 'retry-after-ms': '1800000', 'retry-after': '7200' }), 30],
	['milliseconds that say nothing', () => ({ 'retry-after-ms': 'x', 'retry-after': '7200' }), 120],
	['a Unix time', () => ({ 'x-ratelimit-reset': String(Math.round(inTwoHours() / 1000)) }), 120],
	['a Unix time in ms', () => ({ 'x-rate-limit-reset': String(inTwoHours()) }), 120],
	['seconds until the reset', () => ({ 'ratelimit-reset': ' 1800 ' }), 30],
	['seconds after', () => ({ 'x-ratelimit-reset-after': '1800' }), 30],
])('a wait that is too long, given as %s, is reported at once', async (_, headers, minutes) => {
	await service.fault({ endpoint: 'sendText', status: 429, headers: headers() });
	const { error } = await send(1000, 1, service.newKey());
	expect(error).toMatchObject({
		message: `The service limits the rate and asks to wait another ${minutes} min [item 0]`,
		description: expect.stringContaining('Run the node again after that time.'),
		context: { sendStatus: 'notSent' },
	});
	expect(service.calls('sendText')).toBe(1);
});
