/** Recording in the moment in which a result takes the place of its claim. The simulation has all other moments. */
import type { IDataObject } from 'n8n-workflow';

import type { CampaignEvent } from '../../../nodes/BusinessMessaging/campaign/events';
import { Recorder, type RecorderRun } from '../../../nodes/BusinessMessaging/campaign/recorder';

const person = '+15550001000';
const claim = {
	id: 1,
	phone: person,
	campaign: 'sale',
	idempotencyKey: 'k',
	status: 'sending',
};
const result = { ...claim, id: 2, status: 'sent', messageId: 'm1' };
const event = { kind: 'delivered', messageId: 'm1', person, words: '' } as CampaignEvent;

/** A table in which something happens this long after the event was recorded in the claim, ms; and its rows in the end. */
async function recordBeside(happens: (rows: IDataObject[]) => IDataObject[], afterMs: number) {
	let rows: IDataObject[] = [{ ...claim, createdAt: new Date(0).toISOString() }];
	let [now, recordedAt] = [1_000, Infinity];
	const read = async function* () {
		yield await Promise.resolve(rows);
	};
	const table = {
		readAll: read,
		readNewest: read,
		last: async () => await Promise.resolve(rows.at(-1)),
		rowsWith: async (ids: number[]) =>
			await Promise.resolve(rows.filter(({ id }) => ids.includes(Number(id)))),
		update: async (ids: number[], values: IDataObject) => {
			for (const row of rows) if (ids.includes(Number(row.id))) Object.assign(row, values);
			recordedAt = Math.min(recordedAt, now);
			await Promise.resolve();
		},
	};
	const run = {
		...{
			table,
			isOwn: () => true,
			isOther: () => false,
			now: () => now,
			elapsed: () => now,
			sendsAgain: false,
		},
		yieldNow: async () => await Promise.resolve(),
		pause: async (ms: number) => {
			const isDue = now < recordedAt + afterMs && now + ms >= recordedAt + afterMs;
			now += ms;
			if (isDue) rows = happens(rows);
			await Promise.resolve();
		},
	} as unknown as RecorderRun;
	const [recorded] = await new Recorder().record(run, [event]);
	return { recorded, rows, ms: now - recordedAt };
}

test.each([500, 2_500, 4_500])(
	'an event is in the row of its result, although it was recorded in the claim %i ms before',
	async (afterMs) => {
		const replace = () => [{ ...result, createdAt: new Date(0).toISOString() }];
		const { recorded, rows } = await recordBeside(replace, afterMs);
		expect(rows).toEqual([expect.objectContaining({ id: 2, deliveredAt: expect.any(String) })]);
		expect(recorded).toMatchObject({ isNew: true, message: { id: 2 } });
	},
);

test('if no result comes, the claim is settled, and the event ends soon after', async () => {
	const { recorded, rows, ms } = await recordBeside((same) => same, 500);
	expect(rows).toEqual([expect.objectContaining({ id: 1, status: 'sent', messageId: 'm1' })]);
	expect(recorded).toMatchObject({ isNew: true, message: { id: 1 } });
	expect(ms).toBeLessThan(7_000);
});
