/** Which figure in the pages of a list is its total. */
import { Totals } from '../../../nodes/BusinessMessaging/reading/totals';

type Page = Record<string, number>;

/** The totals after some pages. */
function totalsOf(...pages: Page[]): Totals {
	const totals = new Totals();
	for (const page of pages) totals.add(new Map(Object.entries(page)));
	return totals;
}

test.each<[string, Page[], number, number, { latest: number; greatest: number } | undefined]>([
	['no figure', [{}], 10, 10, undefined],
	['a figure beyond the first page', [{ total: 25 }], 10, 10, { latest: 25, greatest: 25 }],
	['a figure of all records', [{ total: 25 }], 25, 10, { latest: 25, greatest: 25 }],
	['a figure below the records', [{ total: 25 }], 26, 10, undefined],
	['the size of the first page', [{ count: 10 }], 10, 10, undefined],
	['the size of a shorter page', [{ count: 10 }, { count: 5 }], 15, 10, undefined],
	[
		'the smallest of the greater figures',
		[{ everything: 40, total: 25, contacts: 30 }],
		20,
		10,
		{ latest: 25, greatest: 25 },
	],
	[
		'the figure that agrees before a greater one',
		[{ everything: 40, total: 25 }],
		25,
		10,
		{ latest: 25, greatest: 25 },
	],
	[
		'of a list that got longer',
		[{ total: 25 }, { total: 27 }],
		20,
		10,
		{ latest: 27, greatest: 27 },
	],
	[
		'of a list that got shorter',
		[{ total: 25 }, { total: 23 }],
		24,
		10,
		{ latest: 23, greatest: 25 },
	],
	[
		'the figure that was on an earlier page',
		[{ total: 25 }, {}],
		20,
		10,
		{ latest: 25, greatest: 25 },
	],
	[
		'the first of the figures that agree',
		[
			{ total: 25, left: 25 },
			{ total: 25, left: 15 },
		],
		25,
		10,
		{ latest: 25, greatest: 25 },
	],
])('%s: after the pages %j and %i records, %i of them first, it is %j', (_, pages, ...rest) => {
	const [count, firstPage, figure] = rest;
	expect(totalsOf(...pages).of(count, firstPage)).toEqual(figure);
});

test.each<[Page[], number, boolean]>([
	[[{ total: 25, pages: 3 }], 25, true],
	[[{ total: 25, pages: 3 }], 3, true],
	[[{ total: 25 }], 24, false],
	[[{ total: 25 }], 26, false],
	[[{ total: 25 }, { total: 24 }], 24, true],
	[[{ total: 25 }, { total: 24 }], 25, false],
	[[{}], 0, false],
])('a figure on the newest of the pages %j agrees with %i records: %s', (pages, count, agrees) => {
	expect(totalsOf(...pages).has(count)).toBe(agrees);
});

test.each<[Page[], number]>([
	[[], 0],
	[[{}], 0],
	[[{ total: 25, count: 10 }], 25],
	[[{ count: 10, total: 25 }], 25],
	[[{ total: 25 }, { total: 40 }], 25],
])('the pages %j announce %i records', (pages, announced) => {
	expect(totalsOf(...pages).announced).toBe(announced);
});

test('of a list that gets shorter while it is read, the figures from before are known', () => {
	const totals = new Totals();
	totals.add(new Map([['total', 50]]));
	totals.add(new Map([['total', 49]]));
	expect([48, 49, 50, 51].map((count) => totals.hasSaid(count))).toEqual([
		false,
		true,
		true,
		false,
	]);
});
