/** The list of open questions: the inbox gives it in several responses if it is long. */
import { range } from 'lodash';

import { openQuestions, type Place } from '../../../nodes/BusinessMessaging/inbox/openQuestions';
import { Runs } from '../../../nodes/BusinessMessaging/inbox/runs';
import { byItem, personOf, runOf } from './parts';

const idOf = (run: number) => `run-${String(run).padStart(7, '0')}`;

/** The IDs of the messages that ask: those of each run, in the order of its items. */
const askedBy = (run: number, count: number) => range(count).map((item) => `${run} ${item}`);

/** Runs that ask so many people each. The last run and the last item come first. */
function runsOf(sizes: number[]): Runs {
	const runs = new Runs();
	for (const run of range(sizes.length).reverse()) {
		const items = range(sizes[run]).reverse();
		const people = items.map((item) => personOf(item, { askedMessageId: `${run} ${item}` }));
		runs.set(runOf({ id: idOf(run), people: byItem(people) }));
	}
	return runs;
}

/** Reads the list. @param between is called after each response */
function readAll(runs: Runs, between: () => void = () => undefined): Array<Array<string | null>> {
	const responses: Array<Array<string | null>> = [];
	let after: Place | undefined;
	do {
		const { open, next } = openQuestions(runs, after);
		responses.push(open.map(({ askedMessageId }) => askedMessageId));
		after = next;
		between();
	} while (after);
	return responses;
}

test.each<[what: string, sizes: number[], lengths: number[]]>([
	['no run', [], [0]],
	['a run that fills one response', [2_000], [2_000]],
	['a run with one person more', [2_001], [2_000, 1]],
	['a run that begins with the second response', [2_000, 2], [2_000, 2]],
	['a run that ends with the first response', [1_999, 1, 3], [2_000, 3]],
	['runs in the middle of which a response ends', [1_500, 700, 2_500], [2_000, 2_000, 700]],
	['many runs with one person each', range(4_001).map(() => 1), [2_000, 2_000, 1]],
])('the questions of %s are listed once and in order', (_, sizes, lengths) => {
	const responses = readAll(runsOf(sizes));
	expect(responses.flat()).toEqual(sizes.flatMap((size, run) => askedBy(run, size)));
	expect(responses.map(({ length }) => length)).toEqual(lengths);
});

test('a run that ends while the list is read takes no question of another run with it', () => {
	const runs = runsOf([1_500, 700, 300]);
	const listed = readAll(runs, () => [0, 1].forEach((run) => runs.delete(idOf(run))));
	const first = [...askedBy(0, 1_500), ...askedBy(1, 500)];
	expect(listed).toEqual([first, askedBy(2, 300)]);
});
