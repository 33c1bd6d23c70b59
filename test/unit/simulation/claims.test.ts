/** Send Once and Frequency Cap under processes that stand still and are killed, in virtual time. More schedules: npm run test:simulation */
import fc from 'fast-check';

import { timing } from '../../../nodes/BusinessMessaging/execution/claims';
import { simulate } from './claims';
import { schedules } from './claimSchedules';

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
