/** Send and Wait in virtual time: random schedules of processes, triggers, deliveries and faults around the real protocol. More schedules: npm run test:simulation */
import { ask, list, publish, setting, write } from './inbox/actions';
import { invariants } from './inbox/invariants';
import { carryOut, simulate } from './inbox/schedules';
import type { Action, Schedule } from './inbox/parts';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`no schedule breaks an invariant, except where the documentation says so (TEST_SEED=${seed})`, async () => {
	const { shortest, ...result } = await simulate(60, seed);
	expect(shortest).toBeUndefined();
	const none = Object.fromEntries(Object.keys(invariants).map((name) => [name, 0]));
	expect(result).toMatchObject({ failures: 0, invariants: none });
	expect(result.replies).toBeGreaterThan(30);
}, 240_000);

/** What was seen to go wrong, in this design or in an earlier one: a schedule, and what becomes of the messages now. */
const seen: Array<[what: string, schedule: Partial<Schedule>, got: string[][], late: string[]]> = [
	[
		'one reply answers one question, although the inbox was unpublished between two questions (the design before gave it to both)',
		{
			setting: { ...setting, triggers: 2 },
			actions: [
				ask(0, [0], { kind: 'approval', limit: 900 }),
				publish(10, 0, 70, 1),
				ask(15, [0], { kind: 'approval', limit: 900 }),
				ask(130, [0], { kind: 'approval', limit: 900 }),
				...[270, 280, 290].map((at) => write(at, 0)),
			],
		},
		[['m1'], [], ['m0']],
		[],
	],
	[
		'messages to a run whose worker was killed start the workflow',
		{
			actions: [
				ask(0, [0, 1, 2, 3, 4]),
				{ is: 'killAsker', at: 0.3, run: 0 },
				write(3, 0),
				write(4, 4),
			],
		},
		[[]],
		['m0'],
	],
	[
		'messages from people whom a run could not ask start the workflow',
		{ actions: [ask(0, [0, 1, 2, 3], { failing: [1], pace: 1 }), write(3, 1), write(9, 0)] },
		[['m1']],
		['m0'],
	],
	[
		'while a question is repeated, it turns out that it was never sent: the message is the reply to an earlier question',
		{
			actions: [
				ask(0, [0]),
				ask(5, [0, 1], { kind: 'approval', failing: [0], pace: 1 }),
				write(7.26, 0, { text: 'maybe' }),
			],
		},
		[['m0'], []],
		[],
	],
	[
		'a reply that does not fit is taken if the service refuses to repeat the question',
		{
			setting: { ...setting, refusesRepetitions: true },
			actions: [ask(0, [0], { kind: 'approval' }), write(5, 0, { text: 'maybe' })],
		},
		[['m0']],
		[],
	],
	[
		'replies are not lost if nothing happens between a restart and the limit',
		{
			actions: [
				ask(0, [0, 1], { limit: 5 }),
				write(2, 0),
				{ is: 'kill', at: 3, process: 0, down: 1 },
			],
		},
		[['m0']],
		[],
	],
	[
		'a user stops a run while a proxy responds with pages: its reply so far starts the workflow',
		{
			actions: [
				ask(0, [0], { kind: 'grouped' }),
				write(88.2, 0),
				{ is: 'stop', at: 88.4, run: 0 },
				{ is: 'page', of: 'runs', at: 96, lasts: 40 },
			],
		},
		[[]],
		['m0'],
	],
	[
		'while a question is repeated, its run gets its replies: what the person wrote starts the workflow',
		{
			setting: { ...setting, triggers: 2, trouble: 20, showsClock: false },
			seed: 1151701579,
			actions: [
				ask(36.2, [0, 3, 4, 2], { kind: 'approval', limit: 60, dies: false }),
				ask(15, [2, 0], { kind: 'approval', limit: 400, dies: true }),
				write(61.7, 1),
				write(0, 5, { quotes: 0 }),
				write(14.9, 0, { text: 'maybe', isCertain: false }),
				write(90.5, 4, { text: 'maybe', isCertain: false }),
				write(89.1, 2, { text: 'maybe', isCertain: false }),
				{ is: 'olderCopy', at: 19.2, trigger: 1, after: 9 },
				{ is: 'olderCopy', at: 96.8, trigger: 1, after: 11.4 },
				{
					is: 'publish',
					at: 112.9,
					trigger: 0,
					gone: 17.8,
					takes: 2.2,
					isNew: false,
					isRemoved: true,
				},
			],
		},
		[[], ['m4']],
		['m3'],
	],
	[
		'the wait for somebody is ended: the run continues with the others and with what was not understood; later messages start the workflow, also after a crash',
		{
			actions: [
				ask(0, [0, 1], { kind: 'approval', limit: 900 }),
				write(5, 0, { text: 'maybe' }),
				{ is: 'endWait', at: 10, person: 0 },
				{ is: 'kill', at: 12, process: 0, down: 1 },
				write(60, 0),
				write(70, 1),
			],
		},
		[['m0', 'm2']],
		[],
	],
	[
		'replies that come in one delivery with ordinary messages are stored, although n8n starts a workflow with it',
		{
			seed: 6,
			actions: [
				ask(0, [0, 1, 2, 3]),
				...[0, 1, 2].map((person) => list(3 + person, [person, 5])),
				{ is: 'kill', at: 8, process: 0, down: 1 },
			],
		},
		[['m0', 'm2', 'm4']],
		[],
	],
	[
		'a message that comes again after a crash belongs to the run that has got it, although it quotes the question of another one, whose ID was not known when it came first',
		{
			actions: [
				ask(0, [0, 2], { kind: 'approval' }),
				ask(5, [0, 1], { kind: 'choice', pace: 8 }),
				write(14, 0, { quotes: 1 }),
				{ is: 'kill', at: 22, process: 0, down: 1 },
				{ is: 'edit', at: 30, message: 0 },
			],
		},
		[['m0'], []],
		[],
	],
	[
		'a user stops a run: its replies so far start the workflow',
		{ actions: [ask(0, [0, 1]), write(5, 0), { is: 'stop', at: 8, run: 0 }, write(20, 1)] },
		[[]],
		['m0'],
	],
];

test.each(seen)('%s', async (_, schedule, got, late) => {
	const { world, faults } = await carryOut({ setting, seed: 1, actions: [], ...schedule });
	expect(faults).toEqual([]);
	expect(world.executions.map(({ output }) => output.sort())).toEqual(got);
	expect(world.inbox.late.map(({ id }) => id)).toEqual(late);
});

test('two questions to one person: the later one gets the first reply', async () => {
	const actions: Action[] = [ask(0, [0]), ask(5, [0]), write(10, 0), write(12, 0)];
	const { world, faults } = await carryOut({ setting, seed: 1, actions });
	expect(faults).toEqual([]);
	expect(world.executions.map(({ output }) => output)).toEqual([['m1'], ['m0']]);
});

test('without the inbox, messages are ordinary after ten minutes, and the log says so once', async () => {
	const actions: Action[] = [
		ask(0, [0]),
		write(5, 3),
		publish(10, 0, 2_000, 1, { isRemoved: true }),
		...[20, 100, 700, 750].map((at) => write(at, 4)),
	];
	const { world } = await carryOut({ setting: { ...setting, triggers: 2 }, seed: 1, actions });
	const [, another] = world.triggers;
	expect([...another.started].sort()).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
	expect(world.warnings.filter((one) => one.includes('ten minutes'))).toHaveLength(1);
});
