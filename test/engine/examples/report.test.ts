/** The report of the example Campaign results: whether the difference between two variants is more than chance. */
import { range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { exampleField } from '../../../harness/engine/exampleFields';

/** The figures and the note for these rows of the campaign log. */
function reportOf(rows: IDataObject[]) {
	const report = exampleField(
		'campaign-results',
		'Count',
		'jsonOutput',
		{ rows },
		{
			"$('Get the campaign').all()": '$json.rows.map((json) => ({ json }))',
			"$('Settings').first()": "({ json: { campaign: 'spring' } })",
		},
	);
	return report as {
		note: string;
		people: number;
		notSent: object;
		figures: Array<{ label: string; counts: number[] }>;
	};
}

/** The note in the report about variants, each with the number of people who read the message and of people to whom it was sent. */
function noteOf(...variants: Array<[read: number, sent: number]>): string {
	const rows = variants.flatMap(([read, sent], variant) =>
		range(sent).map((person) => ({
			...{ campaign: 'spring', variant: 'ABC'[variant], status: 'sent' },
			...{ messageId: `${variant}-${person}`, phone: `${variant}-${person}`, sentAt: '2030-01-01' },
			...(person < read && { readAt: '2030-01-02', deliveredAt: '2030-01-02' }),
			...(person >= read && { deliveredAt: '2030-01-02' }),
		})),
	);
	return reportOf(rows).note;
}

/** The exact binomial coefficient. */
const choose = (n: number, k: number): bigint =>
	range(k).reduce((product, i) => (product * BigInt(n - i)) / BigInt(i + 1), 1n);

/**
 * Fisher's exact test in whole numbers: whether less than 1 in 100 of the ways to choose the readers gives a difference
 * at least as large.
 */
function isMoreThanChance([a, sentA]: number[], [b, sentB]: number[]): boolean {
	const readers = a + b;
	const ways = (k: number) =>
		k > sentA || readers - k > sentB ? 0n : choose(sentA, k) * choose(sentB, readers - k);
	const extreme = range(readers + 1).filter((k) => ways(k) <= ways(a));
	const count = extreme.reduce((sum, k) => sum + ways(k), 0n);
	return count * 100n < choose(sentA + sentB, readers);
}

const chance = 'The differences between A and B may be chance.';
const more = /^A and B differ by more than chance: Read\./;

test.each<[string, [number, number], [number, number]]>([
	['a published example with p = 0.0028', [1, 12], [9, 12]],
	['a campaign of thousands', [700, 2_000], [820, 2_000]],
])('%s is more than chance', (_, a, b) => {
	expect(noteOf(a, b)).toMatch(more);
});

test.each<[string, [number, number], [number, number]]>([
	['a published example with p = 0.035', [8, 9], [2, 7]],
	['a message that nobody has read', [0, 50], [0, 50]],
	['one message each', [1, 1], [0, 1]],
	['about a tenth of 200 people', [10, 98], [12, 98]],
])('%s may be chance', (_, a, b) => {
	expect(noteOf(a, b)).toBe(chance);
});

test('the note agrees with a count of all possibilities, for every small campaign', () => {
	for (const sentA of [3, 6, 9])
		for (const sentB of [4, 9])
			for (const a of range(sentA + 1))
				for (const b of range(sentB + 1)) {
					const isMore = isMoreThanChance([a, sentA], [b, sentB]);
					const note = noteOf([a, sentA], [b, sentB]);
					expect([a, sentA, b, sentB, more.test(note)]).toEqual([a, sentA, b, sentB, isMore]);
				}
});

test('one variant or three get no note', () => {
	expect([noteOf([1, 2]), noteOf([1, 2], [1, 2], [1, 2])]).toEqual(['', '']);
});

test('of a person who got a second attempt, only the last row counts', () => {
	const row = { campaign: 'spring', variant: 'A', phone: '+1', sentAt: '2030-01-01' };
	const failed = { ...row, status: 'notSent', messageId: 'msg_1', failedAt: '2030-01-02' };
	const countsOf = (rows: IDataObject[]) => {
		const { people, notSent, figures } = reportOf(rows);
		const counts = figures.map(({ label, counts }) => [label, counts[0]]);
		return { people, notSent, ...Object.fromEntries(counts) };
	};
	expect(countsOf([failed])).toMatchObject({ people: 1, Sent: 1, Delivered: 0, Failed: 1 });
	const again = { ...row, status: 'sent', messageId: 'msg_2', deliveredAt: '2030-01-03' };
	const first = { ...row, status: 'notSent', reason: 'Refused' };
	for (const rows of [
		[failed, again],
		[first, again],
	])
		expect(countsOf(rows)).toMatchObject({
			...{ people: 1, notSent: {}, Sent: 1, Delivered: 1, Failed: 0 },
		});
	expect(countsOf([first])).toMatchObject({ people: 1, notSent: { notSent: 1 }, Sent: 0 });
});
