/** Send Once and Frequency Cap, if processes stand still, are killed, or calls to n8n's table fail. More schedules: npm run test:simulation */
import { range } from 'lodash';

import { simulate } from './campaignLog';
import { simulateLateRow } from './lateRow';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const schedules = 500;

test(`nobody gets a message twice, and everybody is accounted for, with no more messages under way than allowed, in ${schedules} schedules (TEST_SEED=${seed})`, async () => {
	for (const one of range(seed, seed + schedules))
		expect([one, ...(await simulate(one)).failures]).toEqual([one]);
}, 120_000);

test.each([1_000, 9_000, 15_000, 45_000, 110_000])(
	'a row that becomes visible only after %i ms, behind later ones, does not make a message go out twice',
	async (lateMs) => {
		for (const afterMs of range(10, 2_000, 100))
			expect([afterMs, await simulateLateRow(lateMs, afterMs)]).toEqual([afterMs, 1]);
	},
);
