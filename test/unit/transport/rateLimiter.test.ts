/** How executions share the rate of a key, with random ones, on a clock that only the test moves. */
import fc from 'fast-check';
import { countBy, map, range } from 'lodash';

import {
	RateLimiter,
	RequestQueue,
	type Slot,
} from '../../../nodes/BusinessMessaging/transport/rateLimiter';
import { SlidingWindow } from '../../../nodes/BusinessMessaging/transport/slidingWindow';

const windowMs = 10_000;

/** An execution: the limit of its credential, perhaps one for its messages, when it begins, and what it sends. */
interface Run {
	limit: number;
	messages?: number;
	startMs: number;
	count: number;
	atOnce: number;
}

/** A request of a run. `joined` and `turn` are its places in the order of all that happened; times in ms. */
interface Seen {
	run: Run;
	index: number;
	joined: number;
	turn: number;
	joinedMs: number;
	turnMs: number;
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Sends all requests of the runs to a service that accepts each after this time. */
async function simulate(runs: Run[], latencyMs: number): Promise<Seen[]> {
	const limiter = new RateLimiter(windowMs);
	const start = performance.now();
	const now = () => performance.now() - start;
	const seen: Seen[] = [];
	let order = 0;
	let underWay = 0;
	const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
	const send = async (run: Run, sender: RequestQueue, index: number) => {
		const joinedMs = now();
		const asked = limiter.acquire(sender, undefined, true);
		for (let n = 0; n < 9; n++) await Promise.resolve(); // turns that were given before are now seen
		const joined = order++;
		const slot = (await asked) as Slot;
		seen.push({ run, index, joined, turn: order++, joinedMs, turnMs: now() });
		await pause(latencyMs);
		slot.accepted();
	};
	const carryOut = async (run: Run) => {
		const { limit, messages, startMs, count, atOnce } = run;
		const own = messages ? { window: new SlidingWindow(windowMs), most: messages } : undefined;
		const sender = new RequestQueue(limit, own);
		await pause(startMs);
		let next = 0;
		const work = async () => {
			while (next < count) await send(run, sender, next++);
		};
		await Promise.all(range(atOnce).map(work));
	};
	for (const run of runs) {
		underWay++;
		void carryOut(run).then(() => underWay--);
	}
	while (underWay > 0) await jest.advanceTimersByTimeAsync(1_000);
	return seen;
}

/** The greatest number of turns in any window. */
const mostIn = (turns: Seen[]) =>
	Math.max(
		...turns.map(
			({ turnMs }) =>
				turns.filter((one) => one.turnMs >= turnMs && one.turnMs < turnMs + windowMs).length,
		),
	);

const times = { startMs: fc.integer({ min: 0, max: 2 * windowMs }) };
const campaigns = fc.array(
	fc.record({
		...times,
		limit: fc.constantFrom(20, 40),
		messages: fc.option(fc.integer({ min: 2, max: 10 }), { nil: undefined, freq: 2 }),
		count: fc.integer({ min: 2, max: 80 }),
		atOnce: fc.constantFrom(1, 5, 100),
	}),
	{ maxLength: 4 },
);
const singles = fc.array(
	fc.record({
		...times,
		limit: fc.constantFrom(20, 40),
		count: fc.constant(1),
		atOnce: fc.constant(1),
	}),
	{ maxLength: 4 },
);
const latency = fc.integer({ min: 1, max: 300 });

test('of random executions, none exceeds a limit, overtakes itself, goes on while another one waits, or makes a single request wait longer than the window demands', async () => {
	const property = fc.asyncProperty(campaigns, singles, latency, async (many, few, latencyMs) => {
		const runs = [...many, ...few];
		const seen = await simulate(runs, latencyMs);
		const of = (run: Run) => seen.filter((one) => one.run === run);
		expect(runs.map((run) => map(of(run), 'index'))).toEqual(runs.map(({ count }) => range(count)));

		const greatest = Math.max(0, ...map(runs, 'limit'));
		expect(mostIn(seen)).toBeLessThanOrEqual(greatest);
		for (const limit of [20, 40])
			expect(mostIn(seen.filter(({ run }) => run.limit === limit))).toBeLessThanOrEqual(limit);
		for (const run of many) expect(mostIn(of(run))).toBeLessThanOrEqual(run.messages ?? greatest);

		// A credential with a lower limit waits for its own window, and then perhaps for that of all.
		for (const run of few) {
			const [{ joinedMs, turnMs }] = of(run);
			const windows = run.limit === greatest ? 1 : 2;
			const slackMs = (2 * runs.length + 2) * latencyMs + 1_000;
			expect(turnMs - joinedMs).toBeLessThanOrEqual(windows * windowMs + slackMs);
		}

		// A first turn may come before those who wait.
		const unlimited = many.filter(({ messages }) => !messages);
		for (const waiting of unlimited)
			for (const run of unlimited.filter((one) => one !== waiting && one.limit === waiting.limit))
				expect(turnsOf(of(run).slice(1), of(waiting))).toBeLessThanOrEqual(1);
	});
	await fc.assert(property, { numRuns: 40 });
}, 120_000);

/** The greatest number of turns of a run while a request of another one, but the first, was the next of its run and waited. */
function turnsOf(run: Seen[], others: Seen[]): number {
	const counts = others.slice(1).map((one, index) => {
		const since = Math.max(one.joined, others[index].turn);
		return run.filter(({ turn }) => turn > since && turn < one.turn).length;
	});
	return Math.max(0, ...counts);
}

/** Asks for turns. @returns the names of those that had one, in their order; each ends at once */
function line(limiter: RateLimiter) {
	const names: string[] = [];
	const slots: Slot[] = [];
	return {
		names,
		join: (name: string, sender: RequestQueue, count = 1) => {
			for (let n = 0; n < count; n++)
				void limiter.acquire(sender, undefined, true).then((slot) => {
					names.push(name);
					slots.push(slot as Slot);
				});
		},
		accept: async (ms: number) => {
			for (const slot of slots.splice(0)) slot.accepted();
			await jest.advanceTimersByTimeAsync(ms);
		},
	};
}

test('what begins is next, but executions that begin one after the other do not hold up the others', async () => {
	const { names, join, accept } = line(new RateLimiter(windowMs));
	join('campaign', new RequestQueue(1), 9);
	await accept(0);
	while (names.length < 7) {
		join('reply', new RequestQueue(1));
		await accept(1_000);
	}
	const alternating = range(7).map((turn) => (turn % 2 === 0 ? 'campaign' : 'reply'));
	expect(names).toEqual(alternating);
});

test('a credential with a low limit does not hold up one with a higher limit and the same key', async () => {
	const { names, join, accept } = line(new RateLimiter(windowMs));
	join('low', new RequestQueue(1), 3);
	join('high', new RequestQueue(4), 5);
	await accept(0);
	await accept(0);
	expect(names).toEqual(['low', 'high', 'high', 'high']);
	await accept(windowMs + 1);
	await accept(0);
	expect(countBy(names.slice(4))).toEqual({ low: 1, high: 2 });
});

test('what a sender may send within a time is what the others leave that wait now, and at most its own limit', async () => {
	const limiter = new RateLimiter(windowMs);
	const { join, accept } = line(limiter);
	const campaign = new RequestQueue(12);
	const own = { window: new SlidingWindow(windowMs), most: 5 };
	const free = (ms: number, sender = campaign) => limiter.freeWithin(ms, sender);
	expect([free(0), free(0, new RequestQueue(12, own)), free(0, new RequestQueue(3))]).toEqual([
		12, 5, 3,
	]);
	join('campaign', campaign, 20);
	for (let n = 0; n < 5; n++) await accept(0);
	expect([free(windowMs - 1), free(windowMs)]).toEqual([0, 12]);
	join('reply', new RequestQueue(12));
	await accept(0);
	expect(free(windowMs)).toBe(11);
	join('another campaign', new RequestQueue(12), 20);
	await accept(0);
	expect(free(windowMs)).toBe(7); // of three senders, one wants only one turn, and the others share what is left
	join('low', new RequestQueue(2), 20);
	await accept(0);
	expect(free(windowMs)).toBe(6);
});
