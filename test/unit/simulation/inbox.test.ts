/** Send and Wait in virtual time: random schedules of processes, triggers, deliveries and faults around the real protocol. */
import * as fc from 'fast-check';

import { leaseMs } from '../../../nodes/BusinessMessaging/inbox/core';
import { ask, publish, setting, write } from './inbox/actions';
import { invariants } from './inbox/invariants';
import { carryOut, simulate } from './inbox/schedules';
import type { Action, Schedule } from './inbox/parts';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`no schedule breaks an invariant, except where the documentation says so (TEST_SEED=${seed})`, async () => {
	const { shortest, ...result } = await simulate(2_000, seed);
	expect(shortest).toBeUndefined();
	const none = Object.fromEntries(Object.keys(invariants).map((name) => [name, 0]));
	expect(result).toMatchObject({ failures: 0, invariants: none });
	// The exceptions are no excuse for everything.
	expect(result.exceptions.killedAfterOlderCopy.broken).toBeLessThan(2_000 * 0.065);
	expect(result.replies).toBeGreaterThan(1_000);
}, 240_000);

/** What was seen to go wrong: a schedule, and what becomes of the messages now: what runs get, and what starts late. */
const seen: Array<[what: string, schedule: Partial<Schedule>, got: string[][], late: string[]]> = [
	[
		'a workflow that is published again while questions are open loses no reply',
		{
			actions: [
				ask(0, [0, 1, 2]),
				publish(5, 0, 2, 2),
				...[5.5, 8, 20].map((at, person) => write(at, person)),
			],
		},
		[['m0', 'm1', 'm2']],
		[],
	],
	[
		'replies just before the limit reach their run, with two processes',
		{
			setting: { ...setting, processes: 2, triggers: 2 },
			actions: [ask(0, [0, 1, 2], { limit: 20 }), ...[11, 18, 19.5].map((at, n) => write(at, n))],
		},
		[['m0', 'm1', 'm2']],
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
		{
			actions: [ask(0, [0, 1, 2, 3], { failing: [1], pace: 1 }), write(3, 1), write(9, 0)],
		},
		[['m1']],
		['m0'],
	],
	[
		'a trigger that could not be called learns of a run although its owner cannot be called',
		{
			setting: { ...setting, triggers: 2 },
			actions: [
				ask(0, [0, 1, 2, 3, 4, 5], { pace: 15 }),
				{ is: 'cutOff', at: 5, run: 0, lasts: 95, from: 'others' },
				{ is: 'cutOff', at: 105, run: 0, lasts: 53, from: 'owner' },
				write(165, 2),
			],
		},
		[['m0']],
		[],
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
		'what a slow publication has overwritten is stored again before a process is killed',
		{
			setting: { ...setting, triggers: 2, keepsExecutions: false, trouble: 20 },
			seed: 1352379671,
			actions: [
				ask(0, [0, 1, 2]),
				publish(30, 0, 1.6, 3.3),
				write(32.2, 0),
				{ is: 'kill', at: 84.7, process: 2, down: 5.9 },
				write(115, 2),
			],
		},
		[['m0', 'm1']],
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
		'if two messages reach two triggers at the same moment, none is dropped',
		{
			setting: { ...setting, processes: 2, triggers: 2 },
			actions: [ask(0, [0, 1]), write(5, 0), write(5, 0), write(6, 1)],
		},
		[['m0', 'm2']],
		[],
	],
	[
		'replies are not lost if nothing happens between a restart and the limit',
		{
			actions: [
				ask(0, [0, 1], { limit: 5 }),
				write(2, 0),
				{ is: 'kill', at: 3, process: 0, down: 2 },
				write(100, 4),
			],
		},
		[[]],
		['m0'],
	],
	[
		'a trigger is published while the owner of open questions is not: both own questions, and the next run finds one owner',
		{
			setting: { ...setting, triggers: 2 },
			actions: [
				...[0, 13, 16.5].map((at, person) => ask(at, [person])),
				publish(10, 0, 5, 1),
				publish(10.5, 1, 0, 1, { isNew: true }),
				...[write(18, 2), write(25, 0), write(26, 1)],
			],
		},
		[['m1'], ['m2'], ['m0']],
		[],
	],
	[
		'two triggers own questions: a third one forwards replies to the owner whom the run has chosen at last',
		{
			setting: { ...setting, triggers: 3 },
			actions: [
				...[0, 13, 16.5].map((at, person) => ask(at, [person])),
				publish(10, 0, 5, 1),
				publish(10.5, 1, 0, 1, { isNew: true }),
				publish(10.5, 2, 0, 1, { isNew: true }),
				...[write(200, 2), write(210, 0), write(220, 1)],
			],
		},
		[['m1'], ['m2'], ['m0']],
		[],
	],
	[
		'a run of which the owner has heard nothing for two minutes asks nobody else, and fails',
		{
			actions: [
				ask(0, [0, 1, 2, 3], { pace: 70 }),
				{ is: 'cutOff', at: 5, run: 0, lasts: 130, from: 'owner' },
				...[10, 130, 300].map((at, person) => write(at, person)),
			],
		},
		[[]],
		['m0'],
	],
	[
		'a run fails because its owner does not respond: if another trigger gets a copy of a reply after that, the copy starts no workflow',
		{
			setting: { ...setting, triggers: 3, keepsExecutions: false, trouble: 20 },
			seed: 409100860,
			actions: [
				ask(0, [0, 1, 2, 3, 4], { pace: 15 }),
				{ is: 'cutOff', at: 5, run: 0, lasts: 100, from: 'owner' },
				...[write(85.3, 0), write(102.5, 3)],
			],
		},
		[[]],
		['m0'],
	],
	[
		'a message shows that its run has ended, and then the process is killed: all triggers decide on the message in the same way',
		{
			setting: { ...setting, processes: 2, triggers: 2, keepsExecutions: false, trouble: 20 },
			seed: 408,
			actions: [
				...[ask(32.2, [3, 0]), ask(44, [3], { limit: 20 })],
				...[write(81.1, 3), write(57.3, 1), write(96.1, 0), write(48.3, 0), write(65.6, 3)],
				...[write(68.8, 0), write(68.8, 0), write(11.7, 1), write(11.7, 1)],
				{ is: 'kill', at: 83.1, process: 2, down: 15 },
				...[80.6, 3.7].map((at, n): Action => ({ is: 'stop', at, run: 2 * n })),
			],
		},
		[[], ['m4']],
		['m2'],
	],
	...[26, 27, 28].map((at): (typeof seen)[0] => [
		`a run tells its owner when the time is up, however long it has to wait for another trigger from second ${at} on`,
		{
			setting: { ...setting, triggers: 3 },
			actions: [
				ask(0, [0, 1], { pace: 14.5 }),
				{ is: 'cutOff', at, run: 0, lasts: 75, from: 'others' },
				write(200, 0),
			],
		},
		[['m0']],
		[],
	]),
	[
		'the process of the owner dies before it knows of the run: the other trigger does not wait for that owner',
		{
			setting: { ...setting, processes: 2, triggers: 2 },
			actions: [
				ask(0, [0]),
				{ is: 'kill', at: 0.1, process: 0, down: 9_000 },
				...[write(400, 0), write(4_000, 3)],
			],
		},
		[[]],
		[],
	],
	[
		'the owner of the first question was unpublished when the same person was asked again: the later question gets the first reply',
		{
			setting: { ...setting, triggers: 2 },
			actions: [
				...[ask(0, [0]), ask(15, [0])],
				publish(10, 0, 100, 1),
				...[write(300, 0), write(310, 0)],
			],
		},
		[['m1'], ['m0']],
		[],
	],
	[
		'a new trigger owns the second question to a person: the later question gets the first reply',
		{
			setting: { ...setting, triggers: 2 },
			actions: [
				...[ask(0, [0]), ask(13, [0])],
				publish(10, 0, 5, 1),
				publish(10.5, 1, 0, 1, { isNew: true }),
				write(100, 0),
			],
		},
		[[], ['m0']],
		[],
	],
	[
		'a worker is killed before n8n stores the wait, and n8n deletes the execution: the replies start the workflow',
		{
			setting: { ...setting, keepsExecutions: false },
			actions: [ask(0, [0], { dies: true }), write(5, 0), write(500, 1)],
		},
		[[]],
		['m0'],
	],
	[
		'a worker is killed before n8n stores the wait: a message two minutes later shows that the run has ended',
		{
			actions: [ask(0, [0, 1], { dies: true }), write(5, 0), write(150, 1)],
		},
		[[]],
		['m0'],
	],
	[
		"a run of which the owner knows a newer trigger asks nobody before that trigger has heard of them, even if the owner's responses are lost for long",
		{
			setting: { ...setting, triggers: 3, keepsExecutions: false, trouble: 20 },
			seed: 24,
			actions: [
				ask(0, [0, 1, 2, 3, 4], { pace: 15 }),
				publish(10, 1, 1.2, 0, { isNew: true }),
				write(60.5, 3),
			],
		},
		[[]],
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
	expect(world.triggers.flatMap((trigger) => trigger.late.map(({ id }) => id))).toEqual(late);
});

test.each([0, 1])(
	'a trigger that stops responding at second %d delays the run by one minute in all, and is told when it responds again',
	async (at) => {
		const actions: Action[] = [
			ask(0, [0, 1, 2, 3, 4], { pace: 15 }),
			{ is: 'cutOff', at, run: 0, lasts: 100, from: 'others' },
			...[200, 210, 220, 230, 240].map((at, person) => write(at, person)),
		];
		const three = { ...setting, triggers: 3 };
		const { world, faults } = await carryOut({ setting: three, seed: 1, actions });
		expect(faults).toEqual([]);
		const [{ startedAt, waitsAt, output }] = world.executions;
		expect(output).toHaveLength(5);
		expect(waitsAt - startedAt).toBeLessThan((5 * 15 + 70) * 1_000);
	},
);

test('the owner hears from a run twice a minute, even if a trigger that was just published does not respond', async () => {
	const actions: Action[] = [
		ask(0, [0, 1, 2, 3], { pace: 70 }),
		publish(20, 1, 0, 1, { isNew: true }),
		{ is: 'cutOff', at: 25, run: 0, lasts: 200, from: 'others' },
	];
	const { world } = await carryOut({ setting: { ...setting, triggers: 2 }, seed: 1, actions });
	const [{ calledOwnerAt, waitsAt }] = world.executions;
	const gaps = calledOwnerAt.slice(1).map((at, index) => at - calledOwnerAt[index]);
	expect(waitsAt).toBeLessThan(Infinity);
	expect(Math.max(...gaps)).toBeLessThan(leaseMs / 2);
});

test('a run waits for an owner that does not respond for one minute in all', async () => {
	const actions: Action[] = [
		...[ask(0, [0]), ask(20, [1])],
		{ is: 'kill', at: 10, process: 0, down: 140 },
		write(200, 0),
	];
	const two = { ...setting, processes: 2, triggers: 2 };
	const { world, faults } = await carryOut({ setting: two, seed: 1, actions });
	expect(faults).toEqual([]);
	const { startedAt, waitsAt } = world.executions[1];
	expect(world.executions[0].output).toEqual(['m0']);
	expect(waitsAt - startedAt).toBeLessThan(70_000);
});

/** Deliveries that began before the first question and end after the reply to it; then the process is killed. */
const overtaken = fc.record({
	seed: fc.nat(),
	triggers: fc.integer({ min: 1, max: 3 }),
	before: fc.array(fc.integer({ min: 0, max: 19 }), { minLength: 4, maxLength: 8 }),
	reply: fc.integer({ min: 30, max: 70 }),
	kill: fc.integer({ min: 5, max: 90 }),
	down: fc.nat(10),
});

test(`a delivery does not write back what it had read before the first question (TEST_SEED=${seed})`, async () => {
	const property = fc.asyncProperty(
		overtaken,
		async ({ triggers, before, reply, kill, ...rest }) => {
			const actions: Action[] = [
				...before.map((at) => write(at / 10, 4)),
				ask(2, [0, 1, 2]),
				write(reply / 10, 0),
				{ is: 'kill', at: (reply + kill) / 10, process: 0, down: rest.down },
				write(70, 1),
			];
			const trouble = { ...setting, triggers, trouble: 20 };
			const { faults } = await carryOut({ setting: trouble, seed: rest.seed, actions });
			expect(faults.filter(({ excuse }) => excuse === undefined)).toEqual([]);
		},
	);
	await fc.assert(property, { numRuns: 400, seed });
}, 120_000);

test('two questions to one person: the later one gets the first reply', async () => {
	const actions = [ask(0, [0]), ask(5, [0]), write(10, 0), write(12, 0)];
	const { world, faults } = await carryOut({ setting, seed: 1, actions });
	expect(faults).toEqual([]);
	expect(world.executions.map(({ output }) => output)).toEqual([['m1'], ['m0']]);
});

test('the same schedule and seed always give the same course', async () => {
	const actions = [ask(0, [0, 1, 2]), ...[3, 4, 5].map((at, n) => write(at, n))];
	const schedule = { setting: { ...setting, trouble: 20, triggers: 3 }, seed: 7, actions };
	const [one, other] = [await carryOut(schedule, true), await carryOut(schedule, true)];
	expect(one.world.log).toEqual(other.world.log);
	expect(one.world.steps).toBe(other.world.steps);
});
