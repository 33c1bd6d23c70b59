/** Send Once and Frequency Cap under processes that stand still and are killed, in virtual time. More schedules: npm run test:simulation */
import fc from 'fast-check';
import { range } from 'lodash';

import { timing } from '../../../nodes/BusinessMessaging/execution/claims';
import { simulate } from './claims';
import { type Schedule, schedules } from './claimSchedules';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const check = (processes: number, numRuns: number) =>
	fc.check(
		fc.property(schedules(processes), (schedule) => simulate(schedule).failures.length === 0),
		{ numRuns, seed },
	);

test.each([
	[1, 200],
	[2, 800],
	[3, 1_000],
])(
	`%i processes: nobody gets a message twice, and everybody is accounted for, in %i schedules (TEST_SEED=${seed})`,
	(processes, numRuns) => {
		const { counterexample, failed } = check(processes, numRuns);
		const shown = counterexample && [
			JSON.stringify(counterexample),
			...simulate(...counterexample).failures,
		];
		expect([failed, shown]).toEqual([false, null]);
	},
);

/** What was seen to go wrong, in the form in which a failure prints it. */
const alone = { isCapped: false, width: 1, list: 1, at: 0, first: 0 };
const idle = { stalls: [], kills: [], cap: 1, isOlder: true, refused: 0 };
const seen: Array<[what: string, schedule: Schedule]> = [
	[
		'the entry that a look-up has added is removed twice, because another process may write it back',
		{
			...{ ...idle, latency: 150 },
			campaigns: [
				{ ...alone, process: 0, count: 2 },
				{ ...alone, process: 1, at: 1_551, first: 1, count: 1 },
			],
			stalls: [{ process: 1, call: 0, where: 'first', ms: 9_789 }],
		},
	],
	[
		'also a process that seems to be alone removes such an entry twice',
		{
			...{ ...idle, latency: 30 },
			campaigns: [
				{ ...alone, process: 2, at: 2_012, first: 1, count: 3, width: 2 },
				{ ...alone, process: 0, at: 17_264, first: 1, count: 3 },
				{ ...alone, process: 0, first: 3, count: 1 },
			],
			stalls: [{ process: 2, call: 1, where: 'between', ms: 923 }],
			kills: [{ process: 0, at: 6_011, lands: false }],
		},
	],
	[
		'a second run does not trust an entry at once that the first run doubts',
		{
			...{ ...idle, latency: 1 },
			campaigns: [
				{ ...alone, process: 2, first: 4, count: 1 },
				{ ...alone, process: 1, first: 2, count: 3, width: 3 },
				{ ...alone, process: 0, at: 2_011, first: 3, count: 2 },
				{ ...alone, process: 0, first: 4, count: 1 },
			],
			kills: [{ process: 1, at: 11, lands: true }],
		},
	],
	[
		'a process whose claim was overwritten watches it again for the full time',
		{
			...{ ...idle, latency: 1, isOlder: false },
			campaigns: [
				{ ...alone, process: 2, at: 14, count: 1 },
				{ ...alone, process: 1, first: 3, count: 1 },
				{ ...alone, process: 0, at: 14, first: 2, count: 1 },
				{ ...alone, process: 0, at: 5_984, count: 3 },
			],
			stalls: [
				{ process: 2, call: 5, where: 'between', ms: 9_000 },
				{ process: 1, call: 1, where: 'between', ms: 9_000 },
			],
		},
	],
];

test.each(seen)('%s', (_, schedule) => {
	expect(simulate(schedule).failures).toEqual([]);
});

test('whenever n8n is killed while it looks up a message that may not have been sent, no later run counts it as sent', () => {
	const runs = [0, 1_000, 30_000].map((at) => ({ ...alone, process: 0, at, count: 1 }));
	const killedAt = (at: number): Schedule => ({
		...{ ...idle, latency: 30, isOlder: false },
		campaigns: runs,
		kills: [150, at].map((one) => ({ process: 0, at: one, lands: true })),
	});
	const results = range(1_000, 3_000, 10).map((at) => simulate(killedAt(at)));
	expect(results.flatMap(({ failures }) => failures)).toEqual([]);
	expect(results.flatMap(({ askedInVain }) => askedInVain)).toEqual([]);
});

describe("without any of the protocol's times, the simulation finds an error", () => {
	const times = { ...timing };
	afterEach(() => void Object.assign(timing, times));

	test.each<Partial<typeof timing>>([{ maxCall: 0 }, { check: 60_000 }])('%j', (wrong) => {
		Object.assign(timing, wrong);
		const settings = { numRuns: 5_000, seed: 2, endOnFailure: true };
		const property = fc.property(
			schedules(3),
			(schedule) => simulate(schedule).failures.length === 0,
		);
		expect(fc.check(property, settings).failed).toBe(true);
	});
});
