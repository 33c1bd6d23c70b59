/** The pace of one key, step by step on a clock of its own: no step here takes as long as it says. */
import { setMaxListeners } from 'node:events';

import {
	RateLimiter,
	type Slot,
	backoffMs,
	limiterFor,
} from '../../nodes/BusinessMessaging/transport/rateLimiter';

const windowMs = 10_000;
let now = 1_000_000;
let over: AbortController;

beforeEach(() => {
	over = new AbortController();
	setMaxListeners(0, over.signal);
	jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(() => {
	over.abort(); // whoever still waits would have the limiter wake up again and again
	jest.restoreAllMocks();
});
afterAll(async () => await new Promise((resolve) => setTimeout(resolve, 1_100))); // the last nap of a limiter

/** Senders that wait for their turn, and what they got. */
class Line {
	readonly limiter: RateLimiter;
	readonly given: Slot[] = [];
	readonly ends: string[] = [];

	constructor(requests: number) {
		this.limiter = new RateLimiter({ requests, windowMs });
	}

	/** Lets so many more wait. @returns how many requests are out in all */
	async join(count: number, stop?: AbortSignal): Promise<number> {
		const signal = stop ? AbortSignal.any([stop, over.signal]) : over.signal;
		for (let n = 0; n < count; n++) {
			void this.limiter
				.acquire(signal)
				.then((slot) => (typeof slot === 'string' ? this.ends.push(slot) : this.given.push(slot)));
		}
		return await this.out();
	}

	async out(): Promise<number> {
		await new Promise(setImmediate);
		return this.given.length;
	}

	/** The service takes so many of those that are out, oldest first. */
	async take(count: number): Promise<number> {
		for (const slot of this.given.splice(0, count)) slot.done();
		return await this.out();
	}

	async refuse(waitMs?: number): Promise<number> {
		this.given.shift()?.limited(waitMs);
		return await this.out();
	}
}

test('never more in any window than the rate, counted from the answer', async () => {
	const line = new Line(3);
	expect(await line.join(5)).toBe(3);
	now += 100;
	expect(await line.take(3)).toBe(0);
	now += windowMs - 1;
	expect(await line.join(1)).toBe(0);
	now += 1;
	expect(await line.join(1)).toBe(3);
	expect(line.limiter.waitMs).toBe(0);
});

test('another rate holds from the next turn on, the same one changes nothing', async () => {
	const line = new Line(2);
	expect(await line.join(9)).toBe(2);
	line.limiter.setRate({ requests: 2, windowMs });
	expect(await line.join(0)).toBe(2);
	line.limiter.setRate({ requests: 4, windowMs });
	expect(await line.join(1)).toBe(4);
	line.limiter.setRate({ requests: 4, windowMs: 1 });
	await line.take(4);
	now += 1;
	expect(await line.join(1)).toBe(4);
});

test('a refusal holds all back as long as the service says; then one finds out, and the quota opens with its success', async () => {
	const line = new Line(100);
	expect(await line.join(200)).toBe(100);
	expect(await line.take(50)).toBe(50);
	expect(await line.refuse(5_000)).toBe(49); // the quota is 80 % of the 50 that were taken
	expect(line.limiter.waitMs).toBe(5_000);
	now += 4_999;
	expect(await line.join(1)).toBe(49);
	now += 1;
	expect(await line.join(1)).toBe(50);
	expect(await line.join(1)).toBe(50); // a single one finds out
	for (const slot of line.given.splice(0, 49)) void slot; // of these nothing is heard any more
	now += windowMs;
	expect(await line.take(1)).toBe(3); // with 49 under way the quota is used up, and some feel their way
});

test('beyond the quota some feel their way, more the longer it goes well, and what is taken raises the quota', async () => {
	const line = new Line(1_000);
	await line.join(3_000);
	await line.take(100);
	await line.refuse(100); // quota 80
	await line.take(line.given.length);
	now += windowMs + 100;
	expect(await line.join(0)).toBe(0);
	expect(await line.join(1)).toBe(82); // the quota and two probes
	await line.take(80);
	expect(line.given.length).toBe(2);
	for (let taken = 0; taken < 64; taken++) await line.take(1);
	expect(await line.out()).toBe(4); // two more for 64 that went well
	await line.refuse(1);
	now += windowMs + 1;
	await line.take(3);
	now += windowMs + 1;
	await line.join(1);
	expect(await line.out()).toBeGreaterThan(82); // 80 % of more than before
});

test('without a word it waits longer with each refusal, and the answers of one moment count once', async () => {
	const line = new Line(10);
	await line.join(30);
	await line.refuse();
	const first = line.limiter.waitMs;
	expect(first).toBeGreaterThanOrEqual(500);
	expect(first).toBeLessThanOrEqual(1_000);
	while (line.given.length > 0) await line.refuse();
	expect(line.limiter.waitMs).toBeLessThanOrEqual(1_000);
	now += 1_000;
	expect(await line.join(1)).toBe(1); // a single one finds out
	await line.refuse();
	expect(line.limiter.waitMs).toBeGreaterThanOrEqual(1_000);
	expect(line.limiter.waitMs).toBeLessThanOrEqual(2_000);
	now += 2_000;
	expect(await line.join(1)).toBe(1);
	expect(await line.take(1)).toBe(1 + 2); // the quota is 1 by now, two more feel their way
});

test('nobody waits for longer than ten minutes, at once or in sum', async () => {
	const line = new Line(10);
	await line.join(1);
	await line.refuse(10 * 60_000);
	await line.join(1);
	expect(line.ends).toEqual([]);
	now += 10 * 60_000;
	await line.join(0);
	const long = new Line(10);
	await long.join(2);
	await long.refuse(10 * 60_000 + 1);
	await long.join(2);
	expect(long.ends).toEqual(['blocked', 'blocked']);
	const starved = new Line(1);
	await starved.join(1);
	for (let minute = 0; minute <= 10; minute++) {
		await starved.refuse(60_000);
		now += 60_000;
		await starved.join(1);
	}
	expect(starved.ends).toEqual([]);
	await starved.refuse(60_000);
	await starved.join(1);
	expect(starved.ends).toEqual(['blocked']);
});

test('who is stopped leaves the line, and the others move up', async () => {
	const line = new Line(1);
	const stop = new AbortController();
	await line.join(1);
	await line.join(2, stop.signal);
	await line.join(1);
	stop.abort();
	await line.out();
	expect(line.ends).toEqual(['stopped', 'stopped']);
	await line.join(1, stop.signal);
	expect(line.ends).toHaveLength(3);
	await line.take(1);
	now += windowMs;
	expect(await line.join(0)).toBe(0);
	expect(await line.join(1)).toBe(1);
});

test('backoff doubles from half a second to a minute, with as much chance as certainty', () => {
	const random = jest.spyOn(Math, 'random');
	const range = (attempt: number) =>
		[0, 1].map((chance) => (random.mockReturnValue(chance), backoffMs(attempt)));
	expect([0, 1, 2, 6, 7, 20].map(range)).toEqual([
		[250, 500],
		[500, 1_000],
		[1_000, 2_000],
		[16_000, 32_000],
		[30_000, 60_000],
		[30_000, 60_000],
	]);
});

test('one key has one pace, whoever asks for it', () => {
	const rate = { requests: 5, windowMs };
	expect(limiterFor('a', rate)).toBe(limiterFor('a', { requests: 7, windowMs }));
	expect(limiterFor('a', rate)).not.toBe(limiterFor('b', rate));
});
