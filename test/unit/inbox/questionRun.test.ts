/** A run of the node that asks: which questions it has, whom it asks, and what it puts out for the others. */
import { range } from 'lodash';

import type { Item, Outcome } from '../../../nodes/BusinessMessaging/execution/item';
import { QuestionRun } from '../../../nodes/BusinessMessaging/inbox/questionRun';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';
import { InputError, ServiceError } from '../../../nodes/BusinessMessaging/transport/errors';

const question = { ...defaultAnswer(), limitMs: 60_000 };
const sent = (record: object = {}): Outcome => ({ records: [record as never] });
const leftOut: Outcome = { records: [{ skipped: true }], isLeftOut: true };
const failed: Outcome = { failure: new InputError('No number') };
const uncertain: Outcome = { failure: new ServiceError('Lost', { kind: 'uncertain' }) };

/** An item that asks. */
const ask = (index: number, body: object, outcome?: Outcome, more: object = {}): Item => ({
	...{ index, input: {}, outcome },
	request: { body: { to: `+1555000100${index}`, ...body }, rules: { question }, ...more },
});
/** n8n, which waits when it is told to. */
const n8n = {
	waitsUntil: undefined as Date | undefined,
	workflow: 'Ask' as string | undefined,
	context: {
		getNode: () => ({ name: 'Node', type: 'test', parameters: {} }),
		getExecutionId: () => '1',
		getWorkflow: () => ({ name: n8n.workflow }),
		putExecutionToWait: async (until: Date) => void (n8n.waitsUntil = until),
	},
};
const runOf = (...items: Item[]) => new QuestionRun(n8n.context as never, {} as never, items);

test.each([
	[{ text: 'Tuesday?' }, {}, 'Tuesday?'],
	[{ text: 'x'.repeat(40) }, {}, 'x'.repeat(40)],
	[{ text: 'x'.repeat(41) }, {}, `${'x'.repeat(39)}…`],
	[{}, { template: { name: 'welcome' } }, 'welcome'],
	[{ text: 'Tuesday?' }, { template: { name: 'welcome' } }, 'Tuesday?'],
	[{}, {}, ''],
])('a late reply to the message %j with the rules %j shows %j', (body, rules, asked) => {
	const run = runOf(ask(0, body, undefined, { rules: { question, ...rules } }));
	expect(run.questions).toEqual([{ ...defaultAnswer(), asked }]);
});

test('questions that differ only in their time limits are the same question', () => {
	const [longer, other] = [
		{ ...question, limitMs: 90_000 },
		{ ...question, repeats: 1 },
	];
	const run = runOf(
		ask(0, { text: 'A' }, sent()),
		ask(1, { text: 'B' }, sent()),
		ask(2, { text: 'A' }, sent(), { rules: { question: longer } }),
		ask(3, { text: 'A' }, sent(), { rules: { question: other } }),
	);
	expect(run.questions.map(({ asked, repeats }) => [asked, repeats])).toEqual([
		...[
			['A', 2],
			['B', 2],
			['A', 1],
		],
	]);
	expect(run.questions[0]).not.toHaveProperty('limitMs');
	expect(run.people.map((person) => person.question)).toEqual([0, 1, 0, 2]);
	expect(run.limitMs).toBe(90_000);
});

test.each([
	[50, 50],
	[51, 1],
])('if a run has %d different texts, it keeps %d', (texts, kept) => {
	const run = runOf(...range(texts).map((n) => ask(n, { text: `Question ${n}` }, sent())));
	expect(run.questions).toHaveLength(kept);
	expect(run.questions.at(-1)?.asked).toBe(kept === 1 ? '' : 'Question 49');
	expect(run.people.map((person) => person.question)).toEqual(
		range(texts).map((n) => (kept === 1 ? 0 : n)),
	);
});

test.each([
	[100_000, true],
	[100_001, false],
])(
	'if the different questions of a run have %d characters, the inbox keeps their texts: %s',
	(length, isKept) => {
		const texts = ['x'.repeat(100), 'y'.repeat(length - 100)];
		const items = [...texts, texts[0]].map((questionText, index) =>
			ask(index, {}, sent(), { rules: { question: { ...question, questionText } } }),
		);
		const kept = runOf(...items).questions.map(({ questionText }) => questionText);
		expect(kept).toEqual(isKept ? texts : ['']);
	},
);

const invalid: Item = { index: 4, input: {}, outcome: failed };
const items = [
	ask(0, {}, sent({ messageId: 'msg_1', timestamp: '2030-01-01T00:00:00Z' })),
	ask(1, {}, leftOut),
	ask(2, {}, uncertain),
	ask(3, {}),
	invalid,
];

test('only the people whose message was sent were asked; the time of the message is that of the service', () => {
	const run = runOf(...items);
	expect(run.asked.map(({ index }) => index)).toEqual([0, 3]);
	const rest = { question: 0, toldAt: expect.any(Number), messages: [], misfits: [] };
	const asked = {
		...{ item: 0, to: '+15550001000', askedMessageId: 'msg_1', ...rest },
		...{ since: Date.UTC(2030, 0, 1) },
	};
	expect(run.people).toEqual([asked]);
	expect(run.toPerson(run.asked[1])).toEqual({
		...{ item: 3, to: '+15550001003', askedMessageId: null, since: 0, ...rest },
	});
	expect(run.toPerson(items[2] as never)).toMatchObject({ since: 0, askedMessageId: null });
	expect(run.toPerson(ask(1, {}, { records: [] }) as never)).toMatchObject({ since: 0 });
});

test('the items that asked nobody are put out, each with its item', () => {
	expect(runOf(...items).notAsked).toEqual([
		{ json: { skipped: true }, pairedItem: { item: 1 } },
		{
			json: expect.objectContaining({
				to: '+15550001002',
				error: 'Lost',
				sendStatus: 'mayHaveBeenSent',
			}),
			pairedItem: { item: 2 },
		},
		{
			json: expect.objectContaining({ error: 'No number', sendStatus: 'notSent' }),
			pairedItem: { item: 4 },
		},
	]);
});

test('n8n ends the wait a minute after the time limit', async () => {
	expect(await runOf(...items).wait(1_900_000_000_000)).toBe(true);
	expect(n8n.waitsUntil).toEqual(new Date(1_900_000_060_000));
});

test('each run has another name, which fits into a URL', () => {
	const names = range(10).map(() => runOf(...items).id);
	expect(new Set(names).size).toBe(10);
	for (const name of names) expect(name).toMatch(/^[\w-]{11}$/);
});

test.each([
	['Ask', 'Ask'],
	['W'.repeat(41), 'W'.repeat(40)],
	[undefined, ''],
])('of the name %j of the workflow, the inbox keeps %j', (name, kept) => {
	n8n.workflow = name;
	expect(runOf().workflow).toBe(kept);
});
