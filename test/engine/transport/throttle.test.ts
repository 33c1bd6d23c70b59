/** The rate of one key with random services, on a clock that only the simulation moves. */
import fc from 'fast-check';

import { Throttle } from '../../../nodes/BusinessMessaging/transport/throttle';
import { simulate, type VirtualService } from './virtualService';

const steady: VirtualService = {
	capacity: 1_000,
	perWindow: 100_000,
	windowMs: 60_000,
	latencyMs: 50,
	jitterMs: 0,
	networkMs: 0,
	refusesLate: false,
};
const noRate = 100_000;
const seed = fc.integer();
const capacity = fc.integer({ min: 1, max: 60 });
const messages = fc.integer({ min: 200, max: 1_500 });
const times = fc
	.record({
		latencyMs: fc.integer({ min: 1, max: 2_000 }),
		network: fc.double({ min: 0, max: 0.3, noNaN: true }),
		jitter: fc.double({ min: 0, max: 1, noNaN: true }),
		refusesLate: fc.boolean(),
	})
	.map(({ latencyMs, network, jitter, refusesLate }) => ({
		...{ latencyMs, refusesLate, networkMs: network * latencyMs, jitterMs: jitter * latencyMs },
	}));

/** The number of refusals that the search for the capacity needs: the search begins with four requests, and its steps double. */
const searchOf = (capacity: number) => Math.max(4, capacity);

test('a service that accepts few requests at once refuses at most 5 % after the search for the number, and is well used', () => {
	const run = (capacity: number, given: typeof steady, messages: number, seed: number) => {
		const service = { ...steady, ...given, capacity };
		const seen = simulate(service, { messages, senders: 100, rate: noRate, seed });
		expect(seen.accepted).toBe(messages);
		expect(seen.refused).toBeLessThanOrEqual(searchOf(capacity) + 0.05 * messages);
		const eachMs = service.latencyMs + service.jitterMs / 2 + service.networkMs;
		// The time for the search, some waits, and after that most of the best speed.
		const bestMs = (messages / capacity) * eachMs;
		expect(seen.endMs).toBeLessThanOrEqual(1.5 * bestMs + 20 * eachMs + 5_000);
	};
	const property = fc.property(capacity, times, messages, seed, (...[capacity, given, ...rest]) =>
		run(capacity, { ...steady, ...given }, ...rest),
	);
	fc.assert(property, { numRuns: 500 });
});

test('if it also asks to wait a second, it still refuses few', () => {
	const property = fc.property(
		capacity,
		times,
		messages,
		seed,
		(capacity, given, messages, seed) => {
			const service = { ...steady, ...given, capacity, retryAfter: 1 };
			const seen = simulate(service, { messages, senders: 100, rate: noRate, seed });
			expect(seen.accepted).toBe(messages);
			expect(seen.refused).toBeLessThanOrEqual(4 * searchOf(capacity) + 0.05 * messages);
		},
	);
	// Here, requests overtake each other, so the number is not found exactly.
	const overtaking = { latencyMs: 3, networkMs: 0.5827490475727245, jitterMs: 2.2766806602012366 };
	const seen: Parameters<typeof property.run>[0] = [
		34,
		{ ...overtaking, refusesLate: false },
		689,
		375,
	];
	fc.assert(property, { numRuns: 300, examples: [seen] });
});

test('a service whose rate is observed refuses nothing, and gets as many requests as it allows', () => {
	const rate = fc.integer({ min: 50, max: 500 });
	const property = fc.property(rate, times, seed, (rate, given, seed) => {
		const service = { ...steady, ...given, perWindow: rate };
		const messages = Math.ceil(2.5 * rate);
		const seen = simulate(service, { messages, senders: 100, rate, seed });
		expect([seen.accepted, seen.refused]).toEqual([messages, 0]);
		const slowestMs = service.latencyMs + service.jitterMs + 2 * service.networkMs;
		const windowMs = service.windowMs + slowestMs;
		expect(seen.endMs).toBeLessThanOrEqual(2 * windowMs + 20 * slowestMs);
	});
	fc.assert(property, { numRuns: 100 });
});

test('with a far too high setting, few requests are refused and no message is lost', () => {
	const rate = fc.integer({ min: 200, max: 1_000 });
	const property = fc.property(rate, times, fc.boolean(), seed, (...given) => {
		const [perWindow, rest, namesWait, seed] = given;
		const service = { ...steady, ...rest, perWindow, namesWait };
		const messages = 3 * perWindow;
		const seen = simulate(service, { messages, senders: 100, rate: noRate, seed });
		expect(seen.accepted).toBe(messages);
		expect(seen.refused).toBeLessThanOrEqual(0.3 * messages + 100);
	});
	fc.assert(property, { numRuns: 100 });
});

test('people who are refused for an hour do not stop the others', () => {
	const some = fc.integer({ min: 0, max: 5 });
	const property = fc.property(
		some,
		times,
		messages,
		seed,
		(limitedPeople, given, messages, seed) => {
			const service = { ...steady, ...given, limitedPeople };
			const seen = simulate(service, { messages, senders: 100, rate: noRate, seed });
			expect(seen).toMatchObject({ blocked: limitedPeople, refused: limitedPeople });
			expect(seen.accepted).toBe(messages - limitedPeople);
		},
	);
	fc.assert(property, { numRuns: 100 });
});

test('a wait of up to ten minutes is waited for, whatever the service has asked for before a long silence', () => {
	const minute = 60_000;
	const refusal = fc.record({
		afterMs: fc.integer({ min: 0, max: 12 * minute }),
		waitMs: fc.oneof(fc.integer({ min: 0, max: minute }), fc.integer({ min: 0, max: 10 * minute })),
		subject: fc.constantFrom('Anna', 'Ben', undefined),
	});
	const refusals = fc.array(refusal, { minLength: 1, maxLength: 6 });
	const property = fc.property(refusals, refusal, (earlier, last) => {
		const throttle = new Throttle(minute, () => 0);
		let now = 0;
		const refuse = ({ waitMs, subject }: typeof last) =>
			throttle.end(now, throttle.take(subject), { waitMs });
		for (const one of earlier) {
			now += one.afterMs;
			refuse(one);
		}
		now += 11 * minute + 1; // every wait has been over for more than a minute
		refuse(last);
		expect(throttle.isBlocked(now, last.subject)).toBe(false);
	});
	const once = { afterMs: 0, subject: undefined };
	fc.assert(property, { examples: [[[{ ...once, waitMs: 30_000 }], { ...once, waitMs: 5_000 }]] });
});
