/** Whether nightly benchmarks notice that something has become slow. */
import { compareRatios } from '../../../bench/ratios';

beforeEach(() => void jest.spyOn(console, 'table').mockReturnValue());
beforeEach(() => void jest.spyOn(console, 'log').mockReturnValue());

const rows = (ratio: number, shareOfPlan: number) => ({
	rows: [{ what: 'sender', seconds: 9, ratio }, { ratio: 1 }],
	grid: [{ latencyMs: 20, shareOfPlan }],
});

test.each<[string, unknown, string[]]>([
	['equal figures are accepted', rows(1.1, 0.99), []],
	['figures that are a little worse or better are accepted', rows(1.3, 0.8), []],
	[
		'a ratio that has grown is reported',
		rows(2.2, 0.99),
		['/rows/0/ratio is 2.00 times as bad as earlier.'],
	],
	[
		'a share that has shrunk is reported',
		rows(1.1, 0.33),
		['/grid/0/shareOfPlan is 3.00 times as bad as earlier.'],
	],
	[
		'a figure that is no longer measured is reported',
		{ rows: rows(1.1, 1).rows },
		['/grid/0/shareOfPlan was measured earlier, and is missing now.'],
	],
])('%s', (_, now, faults) => {
	expect(compareRatios(rows(1.1, 0.99), now)).toEqual(faults);
});
