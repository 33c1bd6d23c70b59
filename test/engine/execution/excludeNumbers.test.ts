/** Exclude Numbers with the rows of a node: a list that has lost its rows would exclude nobody. */
import { useService } from '../../../harness/engine/service';
import { anna, audienceRuns, berta } from './audienceRuns';

const { run, sentTo } = audienceRuns(useService());

const rows = [{ phone: anna }, { phone: berta }];
const column = (name: string) =>
	`={{ $('Start').all().map((row) => row.json.${name}).filter(Boolean) }}`;

test.each([
	column('fone'),
	"={{ $input.all().map((row) => row.json['Phone']).filter(Boolean).join() }}",
	"={{ $('Start').all().filter((row) => row.json.status === 'out').map((row) => row.json.phone) }}",
])(
	'Exclude Numbers stops the run if it is empty although there are rows: %s',
	async (excludeNumbers) => {
		const { error } = await run({ items: rows, rules: { excludeNumbers } });
		expect(error).toMatchObject({
			message: "'Exclude Numbers' is empty, although its expression uses 2 rows",
			description: expect.stringMatching(/has the fields phone\..*'Allow Empty List'/),
			context: { sendStatus: 'notSent' },
		});
		expect(sentTo()).toEqual([]);
		const allowed = await run({ items: rows, rules: { excludeNumbers, allowEmptyList: true } });
		expect(allowed.hints.map(({ message }) => message)).toEqual([
			'2 sent.',
			"'Exclude Numbers' has 0 numbers.",
		]);
	},
);

test('Exclude Numbers may be empty if there are no rows, as with Always Output Data, and a hint says how many numbers it has', async () => {
	const parameters = { to: anna, text: 'Hi' };
	const none = await run({
		items: [{}, {}],
		parameters,
		rules: { excludeNumbers: column('phone') },
	});
	expect([none.error, none.hints.at(-1)?.message]).toEqual([
		undefined,
		"'Exclude Numbers' has 0 numbers.",
	]);
	const some = await run({ items: rows, rules: { excludeNumbers: column('phone') } });
	expect(some.hints.map(({ message }) => message)).toEqual([
		'0 sent, 2 excluded.',
		"'Exclude Numbers' has 2 numbers.",
	]);
});

test.each(['item', 'first()', 'last()', 'itemMatching(0)'])(
	"Exclude Numbers stops the run if it takes one of several rows, as if a column was dragged: $('…').%s",
	async (access) => {
		const excludeNumbers = `={{ $('Start').${access}.json.phone }}`;
		const { error } = await run({ items: rows, rules: { excludeNumbers } });
		expect(error?.message).toBe(
			`'Exclude Numbers' has only one number, although the node "Start" has 2 rows`,
		);
		expect(error?.description).toContain("{{ $('Start').all().map(row => row.json.phone)");
		expect(sentTo()).toEqual([]);
	},
);

test('Exclude Numbers may use the only row of a node, and a row with a list of numbers', async () => {
	const one = await run({
		items: [{ phone: anna }],
		rules: { excludeNumbers: "={{ $('Start').item.json.phone }}" },
	});
	expect(one.error).toBeUndefined();
	const items = [{ phone: anna, numbers: [anna, berta] }, { phone: berta }];
	const list = await run({
		items,
		rules: { excludeNumbers: "={{ $('Start').first().json.numbers }}" },
	});
	expect(list.error).toBeUndefined();
	expect(sentTo()).toEqual([]);
});
