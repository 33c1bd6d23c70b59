/** The rate of one key, with a service that counts by itself, and a clock that only the test moves. */
import {
	RateLimiter,
	RequestQueue,
	type Slot,
} from '../../../nodes/BusinessMessaging/transport/rateLimiter';
import { backoffMs } from '../../../nodes/BusinessMessaging/transport/throttle';
import { campaign, oneEach, people, useService } from '../../../harness/engine/service';

describe('by the clock of the test', () => {
	const windowMs = 10_000;
	const minute = 60_000;

	beforeEach(() => void jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	/** Requests that wait for their turn, and the results that they got. */
	class Line {
		readonly out: Slot[] = [];
		readonly ends: string[] = [];
		readonly limiter = new RateLimiter(windowMs);

		private readonly sender: RequestQueue;

		constructor(private readonly requests: number) {
			this.sender = new RequestQueue(requests);
		}

		/** Adds this number of requests to the queue. @returns how many requests are under way */
		async join(
			count: number,
			{ subject, signal }: { subject?: string; signal?: AbortSignal } = {},
		): Promise<number> {
			const sender = signal ? new RequestQueue(this.requests, undefined, signal) : this.sender;
			for (let n = 0; n < count; n++) {
				void this.limiter
					.acquire(sender, subject)
					.then((slot) => (typeof slot === 'string' ? this.ends.push(slot) : this.out.push(slot)));
			}
			return await this.after(0);
		}

		async after(ms: number): Promise<number> {
			await jest.advanceTimersByTimeAsync(ms);
			return this.out.length;
		}

		/** The service accepts this number of the requests under way, oldest first. */
		async accept(count = 1): Promise<number> {
			for (const slot of this.out.splice(0, count)) slot.accepted();
			return await this.after(0);
		}

		/** Raises the limit, so that afterwards as many requests are sent at once as the rate allows. */
		async warmUp(): Promise<void> {
			for (let round = 0; round < 8; round++) {
				await this.join(this.requests);
				while (this.out.length > 0) await this.accept(this.out.length);
				await this.after(windowMs + 1);
			}
		}

		async refuse(waitMs?: number): Promise<number> {
			this.out.shift()?.limited(waitMs);
			return await this.after(0);
		}
	}

	test('no window has more requests than the rate allows, counted from the response', async () => {
		const line = new Line(3);
		expect(await line.join(5)).toBe(3);
		await line.after(100);
		expect(await line.accept(3)).toBe(0);
		expect(await line.after(windowMs - 1)).toBe(0);
		expect(await line.after(2)).toBe(2);
	});

	test('after a refusal, all requests wait as long as the service asks; then one tests the service, and its success releases the others', async () => {
		const line = new Line(100);
		await line.warmUp();
		expect(await line.join(300)).toBe(100);
		expect(await line.accept(50)).toBe(50);
		expect(await line.refuse(5_000)).toBe(49);
		line.out.splice(0).forEach((slot) => slot.accepted());
		expect(await line.after(4_999)).toBe(0);
		expect(await line.after(2)).toBe(1);
		expect(await line.after(windowMs)).toBe(1); // one request tests the service
		expect(await line.accept()).toBe(50); // half as many as were under way at the refusal
	});

	test('after a wait that is too long, one request tries the service again after ten minutes', async () => {
		const line = new Line(10);
		await line.join(1);
		await line.refuse(60_000 * 1_000); // X-RateLimit-Reset: 60000, by which the service means ms
		await line.join(3);
		expect(line.ends).toEqual(['blocked', 'blocked', 'blocked']);
		expect(Math.round(line.limiter.waitMs() / minute)).toBe(1_000);
		await line.after(10 * minute);
		expect(await line.join(5)).toBe(1);
		expect(await line.accept()).toBeGreaterThan(1);
		expect(line.ends).toHaveLength(3);
		await line.refuse(1_000); // a short wait is accepted, even after a too long one
		await line.join(1);
		expect(line.ends).toHaveLength(3);
	});

	test('requests are given up after the service has refused everything for more than ten minutes', async () => {
		const line = new Line(1);
		await line.join(30);
		for (let passed = 0; passed < 9; passed++) {
			expect([passed, line.out.length, line.ends.length]).toEqual([passed, 1, 0]);
			await line.refuse(minute);
			await line.after(minute + 1);
		}
		await line.refuse(minute + 1_000);
		await line.after(minute);
		expect(line.ends).toEqual(Array(30 - 10).fill('blocked'));
	});

	test('if the service does not say how long to wait, the wait grows with each refusal, and simultaneous refusals count once', async () => {
		const line = new Line(10);
		await line.join(30);
		while (line.out.length > 1) await line.refuse();
		expect(line.limiter.waitMs()).toBe(0); // sending fewer at once may be enough, so one request tests this
		for (const seconds of [1, 2, 4]) {
			await line.refuse();
			expect(line.limiter.waitMs()).toBeGreaterThanOrEqual(seconds * 1_000);
			expect(line.limiter.waitMs()).toBeLessThanOrEqual(seconds * 2_000);
			expect(await line.after(seconds * 2_000)).toBe(1);
		}
	});

	test('a long wait stops one recipient; after three refused recipients in a row, it stops the key', async () => {
		const line = new Line(100);
		const refuse = async (subject: string) => {
			await line.join(1, { subject });
			await line.refuse(60 * minute);
		};
		await refuse('Anna');
		await line.join(1, { subject: 'Anna' });
		expect(line.ends).toEqual(['blocked']);
		expect(await line.join(2, { subject: 'Ben' })).toBe(1); // one request tests the service
		expect(await line.accept()).toBe(1);
		await line.accept();
		for (const subject of ['Cleo', 'Dora', 'Emil']) {
			expect(line.limiter.waitMs('Ben')).toBe(0);
			await refuse(subject);
		}
		expect(line.limiter.waitMs('Ben')).toBe(60 * minute);
		await line.join(1, { subject: 'Ben' });
		expect(line.ends).toEqual(['blocked', 'blocked']);
	});

	test('a wait of some minutes for one recipient does not delay the others', async () => {
		const line = new Line(100);
		await line.join(1, { subject: 'Anna' });
		await line.refuse(5 * minute);
		expect(await line.join(1, { subject: 'Anna' })).toBe(0);
		expect(await line.join(1, { subject: 'Ben' })).toBe(1);
		await line.accept();
		expect(await line.after(5 * minute - 2)).toBe(0);
		expect(await line.after(1_000)).toBe(1);
		// A recipient who is refused again and again is also given up.
		for (let n = 0; n < 2; n++) {
			await line.refuse(5 * minute);
			await line.join(1, { subject: 'Anna' });
			await line.after(5 * minute + 1_000);
		}
		expect([line.ends, line.out]).toEqual([['blocked'], []]);
	});

	test('no timer is running when the last request has ended', async () => {
		const line = new Line(3);
		await line.join(9);
		while (line.out.length > 0) {
			await line.accept();
			await line.after(windowMs + 1_000);
		}
		const stop = new AbortController();
		await line.join(5, { signal: stop.signal });
		stop.abort();
		await line.accept(3);
		expect(line.ends).toEqual(['stopped', 'stopped']);
		expect(jest.getTimerCount()).toBe(0);
	});

	test('a stopped sender leaves the queue, and the others move up', async () => {
		const line = new Line(1);
		const stop = new AbortController();
		await line.join(1);
		await line.join(2, { signal: stop.signal });
		await line.join(1);
		stop.abort();
		await line.after(0);
		expect(line.ends).toEqual(['stopped', 'stopped']);
		await line.accept();
		expect(await line.after(windowMs + 1)).toBe(1);
	});

	test('backoff doubles from half a second to a minute, half of it random', () => {
		const random = jest.spyOn(Math, 'random');
		const waits = (chance: number) => {
			random.mockReturnValue(chance);
			return [0, 1, 6, 7, 20].map((attempt) => backoffMs(attempt));
		};
		expect(waits(0)).toEqual([250, 500, 16_000, 30_000, 30_000]);
		expect(waits(1)).toEqual([500, 1_000, 32_000, 60_000, 60_000]);
		random.mockRestore();
	});
});

describe('against the sandbox', () => {
	const requests = 60;
	const rateWindowMs = 600;
	const service = useService({ requestsPerWindow: requests, rateWindowMs, latencyMs: 5 });
	const refused = () => service.sandbox.state.requests.counters.sendText.byStatus[429] ?? 0;

	async function send(first: number, count: number, credential: object = {}) {
		const rate = { requestsPerMinute: requests, rateWindowMs };
		const credentials = service.credentials({ ...rate, ...credential });
		return await service.run({ parameters: campaign, credentials, items: people(count, first) });
	}

	test('with the right setting, the service never refuses a request, over several windows', async () => {
		expect((await send(1000, 200)).error).toBeUndefined();
		expect([refused(), service.received()]).toEqual([0, oneEach(200)]);
	});

	test('a wait of an hour for one person does not stop the others', async () => {
		const headers = { 'retry-after': '3600' };
		service.fault({ match: '+15550001007', status: 429, headers, count: 99 });
		const credentials = service.credentials(service.newKey());
		const parameters = { ...campaign, options: { concurrency: 3 } };
		const run = { parameters, credentials, onError: 'continueRegularOutput' } as const;
		const [output] = (await service.run({ ...run, items: people(30) })).outputs;
		const waiting = output.filter(({ json }) => json.error !== undefined);
		expect(waiting.map(({ json }) => json.to)).toEqual(['+15550001007']);
		expect(Object.keys(service.received())).toHaveLength(29);
		expect(service.calls('sendText')).toBe(30);
	});

	test('a wait of an hour for everybody costs three requests', async () => {
		service.fault({ status: 429, headers: { 'retry-after': '3600' }, count: 99 });
		const credentials = service.credentials(service.newKey());
		const parameters = { ...campaign, options: { concurrency: 1 } };
		const run = { parameters, credentials, onError: 'continueRegularOutput' } as const;
		const [output] = (await service.run({ ...run, items: people(30) })).outputs;
		expect(output.map(({ json }) => json.sendStatus)).toEqual(Array(30).fill('notSent'));
		expect(service.calls('sendText')).toBe(3);
	});

	const inTwoHours = () => Date.now() + 2 * 3_600_000;
	const wrongClock = {
		date: 'Tue, 01 Jan 2030 10:00:00 GMT',
		'retry-after': 'Tue, 01 Jan 2030 11:00:00 GMT',
	};

	test.each<[string, () => Record<string, string>, string]>([
		['seconds', () => ({ 'retry-after': '3600' }), '60 minutes'],
		['a date', () => ({ 'retry-after': new Date(inTwoHours()).toUTCString() }), '2 hours'],
		['a date by a clock that is wrong', () => wrongClock, '60 minutes'],
		['milliseconds', () => ({ 'retry-after-ms': '1800000', 'retry-after': '7200' }), '30 minutes'],
		[
			'a Unix time',
			() => ({ 'x-ratelimit-reset': `${Math.round(inTwoHours() / 1000)}` }),
			'2 hours',
		],
		['a Unix time in ms', () => ({ 'x-rate-limit-reset': String(inTwoHours()) }), '2 hours'],
		['seconds until the reset', () => ({ 'ratelimit-reset': ' 2400 ' }), '40 minutes'],
		['more than ten minutes in ms', () => ({ 'x-ratelimit-reset': '32400000' }), '9 hours'],
		['115 days', () => ({ 'retry-after': '9999999' }), '116 days'],
	])('a wait that is too long, given as %s, is reported at once', async (_, headers, time) => {
		const body = { message: 'The quota of this number is used up.' };
		service.fault({ endpoint: 'sendText', status: 429, headers: headers(), body });
		const { error } = await send(1000, 1, service.newKey());
		expect(error).toMatchObject({
			message: `The limit of the service is reached: The quota of this number is used up. Try again in ${time} [item 0]`,
			description: expect.not.stringMatching(/again/i),
			context: { sendStatus: 'notSent' },
		});
		expect(service.calls('sendText')).toBe(1);
	});

	test('a wait without an end is reported at once, without a time', async () => {
		const headers = { 'retry-after': 'Infinity' };
		service.fault({
			endpoint: 'sendText',
			status: 429,
			headers,
			body: { message: 'Closed.' },
		});
		const { error } = await send(1000, 1, service.newKey());
		expect(error?.message).toBe(
			'The limit of the service is reached: Closed. It does not recover by itself [item 0]',
		);
	});

	test('a reset that is given in ms is waited for', async () => {
		const headers = { 'x-ratelimit-reset': '3700' };
		service.fault({ endpoint: 'sendText', status: 429, headers });
		const begin = performance.now();
		const { error } = await send(1000, 1, service.newKey());
		expect([error, service.received()]).toEqual([undefined, oneEach(1)]);
		expect(performance.now() - begin).toBeGreaterThanOrEqual(3_700);
	});
});

describe('against a service with a long window, which a slow machine exceeds as well', () => {
	const rateWindowMs = 5_000;
	const service = useService({ requestsPerWindow: 60, rateWindowMs, latencyMs: 5 });

	test('with a far too high setting and a second process, each message is sent once', async () => {
		const fast = { ...service.newKey(), requestsPerMinute: 10_000, rateWindowMs };
		const other = { ...fast, baseUrl: service.url.replace('127.0.0.1', 'localhost') }; // a host name with a separate rate
		const runs = await Promise.all(
			[fast, other].map(async (credential, index) => {
				const items = people(50, 1000 + 50 * index);
				return await service.run({
					parameters: campaign,
					credentials: service.credentials(credential),
					items,
				});
			}),
		);
		expect(runs.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(service.received()).toEqual(oneEach(100));
		expect(service.sandbox.state.requests.counters.sendText.byStatus[429]).toBeGreaterThan(0);
	});
});

describe('against a service that accepts five requests at once', () => {
	const service = useService({ simultaneousRequests: 5, latencyMs: 100 });
	const counter = () => service.sandbox.state.requests.counters.sendText;

	test('the service refuses at most 5 %, nothing is lost, and a hint names the option', async () => {
		const credentials = service.credentials(service.newKey());
		const run = { parameters: campaign, credentials, items: people(200) };
		const { error, hints } = await service.run(run);
		expect([error, service.received()]).toEqual([undefined, oneEach(200)]);
		const { calls, byStatus } = counter();
		expect(byStatus[429] / calls).toBeLessThanOrEqual(0.05);
		const option = /set 'Simultaneous Requests' under 'Options' to [456]\./;
		const warnings = hints.filter(({ type }) => type === 'warning');
		expect(warnings).toEqual([{ ...warnings[0], message: expect.stringMatching(option) }]);
	});

	test('with the option set to five, the service refuses none', async () => {
		const credentials = service.credentials(service.newKey());
		const parameters = { ...campaign, options: { concurrency: 5 } };
		const { hints } = await service.run({ parameters, credentials, items: people(50) });
		const warnings = hints.filter(({ type }) => type === 'warning');
		expect([counter().byStatus[429], warnings]).toEqual([undefined, []]);
	});
});

describe('simultaneous requests', () => {
	const service = useService({ latencyMs: 200 });
	const sendOnce = { sendOnce: true, campaign: 'at once' };

	// How many the others need: client.test.ts. More than 100 would need a service that responds more slowly.
	test('are at most 24 with Send Once', async () => {
		const { counters } = service.sandbox.state.requests;
		let greatest = 0;
		const count = () => void (greatest = Math.max(greatest, counters.sendText.open));
		service.sandbox.changes.on('message', count);
		const credentials = service.credentials({ ...service.newKey(), requestsPerMinute: 600 });
		await service.run({
			parameters: { ...campaign, ...sendOnce },
			credentials,
			items: people(300),
		});
		service.sandbox.changes.off('message', count);
		expect(service.received()).toEqual(oneEach(300));
		expect(greatest).toBeGreaterThan(4); // the search for the number begins with four
		expect(greatest).toBeLessThanOrEqual(24);
	});
});
