/** Waits that a service asks for, when several requests were under way. */
import { Throttle } from '../../../nodes/BusinessMessaging/transport/throttle';

const rate = 100_000;
const throttle = () => new Throttle(60_000, () => 0);

test.each([
	[5_000, 1_000],
	[1_000, 5_000],
])('of the waits %d and %d ms for requests of the same time, the longer one counts', (...waits) => {
	const it = throttle();
	const permits = waits.map(() => it.take());
	for (const [index, waitMs] of waits.entries()) it.end(0, permits[index], { waitMs });
	expect(it.waitMs(0, rate)).toBe(5_000);
	expect(it.waitMs(4_999, rate)).toBe(1);
	expect(it.waitMs(5_000, rate)).toBe(0);
	expect(it.askedMs(1_000)).toBe(4_000);
});

test.each([
	[59_999, 59_999],
	[60_000, 60_000],
	[60_001, 0],
])('a wait of %d ms for one number makes other numbers wait %d ms', (waitMs, others) => {
	const it = throttle();
	it.end(0, it.take('+15550001000'), { waitMs });
	expect([it.waitMs(0, rate), it.subjectWaitMs(0, '+15550001000')]).toEqual([
		others,
		others === 0 ? waitMs : 0,
	]);
});

test.each([
	['without a wait', {}, 1],
	['after a wait', { waitMs: 1_000 }, undefined],
] as const)(
	'a refusal %s: the number of simultaneous requests that is known is %j',
	(_, refusal, known) => {
		const it = throttle();
		const permits = [it.take(), it.take()];
		it.end(0, permits[0], refusal);
		it.end(0, permits[1], refusal);
		const next = it.take();
		it.end(2_000, next, 'accepted');
		expect(it.knownConcurrency).toBe(known);
	},
);

test('requests that did not reach the service change nothing', () => {
	const it = throttle();
	const permits = [it.take(), it.take()];
	for (const permit of permits) it.end(0, permit, 'unsent');
	it.take();
	expect(it.waitMs(0, rate)).toBe(0);
	expect(it.askedMs(0)).toBe(0);
	expect(it.knownConcurrency).toBeUndefined();
});

test('within a time, as many requests are free as the rate leaves when it is over; none after a refusal', () => {
	const it = throttle();
	const free = (ms: number, now: number) => it.freeWithin(ms, now, 4);
	const permits = [it.take(), it.take(), it.take()];
	expect(free(0, 0)).toBe(1);
	it.end(1_000, permits[0], 'accepted');
	it.end(2_000, permits[1], 'accepted');
	expect([free(0, 60_999), free(1, 60_999), free(0, 61_000), free(1_000, 61_000)]).toEqual([
		1, 2, 2, 3,
	]);
	it.end(70_000, permits[2], { waitMs: 5_000 });
	expect([free(4_999, 70_000), free(5_000, 70_000)]).toEqual([0, 4]);
	it.take(); // the request that tests whether the service accepts requests again
	expect(free(5_000, 75_000)).toBe(0);
});
