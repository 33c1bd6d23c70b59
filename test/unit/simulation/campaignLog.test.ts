/** Send Once, Frequency Cap and Record Events, if processes stand still, are killed, or calls to n8n's table fail. More schedules: npm run test:simulation */
import { range } from 'lodash';

import { simulate } from './campaignLog';
import { simulateLateRow } from './lateRow';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const schedules = 60;

test(`nobody gets a message twice, and everybody is accounted for, with no more messages under way than allowed, and what was recorded is what the service has delivered, in ${schedules} schedules (TEST_SEED=${seed})`, async () => {
	let [receipts, excused] = [0, 0];
	for (const one of range(seed, seed + schedules)) {
		const { failures, ...counts } = await simulate(one);
		expect([one, ...failures]).toEqual([one]);
		receipts += counts.receipts;
		excused += counts.excused;
	}
	// The exceptions are no excuse for everything.
	expect(receipts).toBeGreaterThan(schedules);
	expect(excused / receipts).toBeLessThan(0.25);
}, 240_000);

test.each([1_000, 9_000, 15_000, 45_000, 110_000])(
	'a row that becomes visible only after %i ms, behind later ones, does not make a message go out twice',
	async (lateMs) => {
		for (const afterMs of range(10, 2_000, 100))
			expect([afterMs, await simulateLateRow(lateMs, afterMs)]).toEqual([afterMs, 1]);
	},
);
