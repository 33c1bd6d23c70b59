/** One row of the campaign log that other processes see late. */
import { range } from 'lodash';

import { Schedule, account } from './campaignLog';
import { Process } from './machine';

/**
 * Two runs send to the same person, without troubles but one: the row of the first run becomes visible late. The second
 * run has already looked at later rows, and claims the person afterwards.
 *
 * @param lateMs how late the row of the first run becomes visible
 * @param afterMs how much later the second run claims the person
 * @returns how many messages the person got
 */
export async function simulateLateRow(lateMs: number, afterMs: number): Promise<number> {
	const schedule = new Schedule(lateMs + afterMs);
	schedule.calm();
	schedule.storage.lateMs = lateMs;
	schedule.recording.isSilent = true;
	const [person, ...others] = range(4).map((n) => ({
		phone: `+1555000000${n}`,
		...{ account, campaign: 'spring' },
	}));
	const times = [1_000, lateMs / 2, lateMs - 1, lateMs + afterMs];
	const { clock } = schedule;
	clock.after(0, () => void schedule.run(new Process(), 'run0', [person, others[0]], (n) => 3 * n));
	clock.after(0, () => {
		void schedule.run(new Process(), 'run1', [...others, person], (index) => times[index]);
	});
	await clock.runAll();
	return schedule.sent.filter(({ phone }) => phone === person.phone).length;
}
