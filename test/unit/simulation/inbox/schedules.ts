/** Random schedules, and the shortest one that still fails. */
import * as fc from 'fast-check';
import { uniqBy } from 'lodash';

import { type Fault, exceptions, faultsOf, invariants } from './invariants';
import type { Action, Schedule } from './parts';
import { World } from './world';

const people = 5;
const second = (most: number) =>
	fc.integer({ min: 0, max: most * 10 }).map((tenths) => tenths / 10);

const ask = fc.record({
	is: fc.constant('ask' as const),
	at: second(60),
	people: fc.uniqueArray(fc.nat(people - 1), { minLength: 1, maxLength: people }),
	failing: fc.oneof(
		fc.constant<number[]>([]),
		fc.constant<number[]>([]),
		fc.uniqueArray(fc.nat(people - 1), { maxLength: 3 }),
	),
	kind: fc.constantFrom(
		'freeText' as const,
		'approval' as const,
		'choice' as const,
		'grouped' as const,
	),
	limit: fc.constantFrom(20, 60, 400),
	pace: fc.constantFrom(0, 0, 0, 0, 0, 8, 150),
	dies: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
});
const words = fc.record({
	person: fc.nat(people),
	text: fc.constantFrom('yes', 'yes', 'Blue', 'maybe', 'STOP'),
	/** Most messages have neither an ID nor a time. */
	isCertain: fc.nat(4).map((dice) => dice === 0),
	quotes: fc.oneof(fc.constant(undefined), fc.constant(undefined), fc.nat(2)),
});
const write = fc
	.tuple(second(120), words)
	.map(([at, own]): Action => ({ is: 'write', at, ...own }));
const list = fc.record({
	is: fc.constant('list' as const),
	at: second(120),
	messages: fc.array(words, { minLength: 2, maxLength: 4 }),
});
const kill = fc.record({
	is: fc.constant('kill' as const),
	at: second(120),
	process: fc.nat(2),
	down: second(20),
});
const killAsker = fc.record({
	is: fc.constant('killAsker' as const),
	at: second(70),
	run: fc.nat(2),
});
const edit = fc.record({ is: fc.constant('edit' as const), at: second(120), message: fc.nat(9) });
const putBack = fc.record({
	is: fc.constant('putBack' as const),
	at: second(120),
	by: fc.constantFrom(5, 60, 600),
});
const changeKey = fc.record({ is: fc.constant('changeKey' as const), at: second(120) });
const stop = fc.record({ is: fc.constant('stop' as const), at: second(120), run: fc.nat(2) });
const endWait = fc.record({
	is: fc.constant('endWait' as const),
	at: second(120),
	person: fc.nat(people - 1),
});
const page = fc.record({
	is: fc.constant('page' as const),
	at: second(120),
	of: fc.constantFrom('runs' as const, 'triggers' as const),
	lasts: second(40),
});
const olderCopy = fc.record({
	is: fc.constant('olderCopy' as const),
	at: second(120),
	trigger: fc.nat(2),
	after: second(15),
});
const publish = fc.record({
	is: fc.constant('publish' as const),
	at: second(120),
	trigger: fc.nat(2),
	gone: fc.oneof(second(5), second(100)),
	takes: second(5),
	isNew: fc.nat(3).map((dice) => dice === 0),
	isRemoved: fc.nat(3).map((dice) => dice > 0),
});
const setting = fc.record({
	processes: fc.constantFrom(1, 1, 2, 2, 3),
	triggers: fc.integer({ min: 1, max: 3 }),
	sharesWorkflow: fc.nat(2).map((dice) => dice === 0),
	manual: fc.constantFrom(null, null, 1, 2),
	refusesRepetitions: fc.boolean(),
	keepsExecutions: fc.boolean(),
	trouble: fc.constantFrom(0, 0, 5, 20),
	skew: fc.constantFrom(0, 0, 30, -30, 600, -600),
	showsClock: fc.boolean(),
});
const times = (action: fc.Arbitrary<Action>, minLength: number, maxLength: number) =>
	fc.array(action, { minLength, maxLength });
/** Two in three schedules have each fault at most. */
const rarely = (action: fc.Arbitrary<Action>) =>
	fc.oneof(
		{ arbitrary: fc.constant([]), weight: 2 },
		{ arbitrary: times(action, 1, 2), weight: 1 },
	);

/** Somebody who writes twice in the same moment. */
const atOnce = (one: Action) => [one, one];

/** Everything, in any order. */
const mixed = fc
	.tuple(
		times(ask, 1, 3),
		times(write, 1, 10),
		rarely(list),
		times(write, 0, 2).map((writes) => writes.flatMap(atOnce)),
		rarely(kill),
		rarely(killAsker),
		rarely(stop),
		rarely(olderCopy),
		rarely(publish),
		rarely(page),
		fc
			.tuple(rarely(edit), rarely(putBack), rarely(changeKey), rarely(endWait))
			.map((lists) => lists.flat()),
	)
	.map((lists) => (lists as Action[][]).flat());

/** Nothing goes wrong, so that the rules say exactly what becomes of each message. */
const plain = fc
	.tuple(times(ask, 1, 3), times(write, 1, 8))
	.map((lists) => (lists as Action[][]).flat());
const plainSchedule = fc.record({
	setting: setting.map((one) => ({ ...one, trouble: 0 })),
	seed: fc.nat(),
	actions: plain.map((all) => all.map((one) => (one.is === 'ask' ? { ...one, dies: false } : one))),
});

/** Any schedule. */
const anySchedule = fc.oneof(
	{ arbitrary: fc.record({ setting, seed: fc.nat(), actions: mixed }), weight: 4 },
	{ arbitrary: plainSchedule, weight: 1 },
);

/** How long to look for a shorter schedule, ms. */
const maxShrinkMs = 15_000;

/** What came of many schedules. */
export interface Result {
	schedules: number;
	seed: number;
	steps: number;
	/** Schedules that broke an invariant without an excuse. */
	failures: number;
	/** In how many schedules each invariant was broken without an excuse. */
	invariants: Record<string, number>;
	/** How many messages each exception excuses. */
	exceptions: Record<string, number>;
	messages: number;
	replies: number;
	seconds: number;
	/** The shortest schedule that fails, and its course. */
	shortest?: string;
}

/** Carries out one schedule. */
export async function carryOut(schedule: Schedule, traces = false) {
	const world = new World(schedule, traces);
	const broken: Fault[] = [];
	try {
		await world.run();
	} catch (error) {
		broken.push({ invariant: 'broken', subject: String(error) });
	}
	return { world, faults: [...broken, ...faultsOf(world)] };
}

/**
 * Carries out random schedules until one fails, and then looks for the shortest one.
 *
 * @param path the first schedule, as a failure has printed it
 */
export async function simulate(schedules: number, seed: number, path = ''): Promise<Result> {
	const start = performance.now();
	const result: Result = {
		...{ schedules, seed, steps: 0, failures: 0 },
		invariants: Object.fromEntries(Object.keys(invariants).map((name) => [name, 0])),
		exceptions: Object.fromEntries(Object.keys(exceptions).map((name) => [name, 0])),
		...{ messages: 0, replies: 0, seconds: 0 },
	};
	let isCounting = true;
	/** When to stop looking for a shorter schedule. */
	let deadline = Infinity;
	const property = fc.asyncProperty(anySchedule, async (schedule) => {
		if (performance.now() > deadline) return true;
		const { world, faults } = await carryOut(schedule);
		const excused = uniqBy(
			faults.filter(({ excuse }) => excuse),
			'subject',
		);
		const unexcused = faults.filter(({ excuse }) => !excuse);
		if (isCounting) {
			result.steps += world.steps;
			result.messages += world.written.length;
			result.replies += world.executions.reduce((sum, { output }) => sum + output.length, 0);
			for (const { excuse = '' } of excused) result.exceptions[excuse]++;
			for (const name of new Set(unexcused.map(({ invariant }) => invariant)))
				result.invariants[name]++;
		}
		if (unexcused.length === 0) return true;
		if (isCounting) deadline = performance.now() + maxShrinkMs;
		isCounting = false;
		return false;
	});
	const details = await fc.check(property, { numRuns: schedules, seed, path });
	if (details.failed) {
		result.failures = 1;
		const [schedule] = details.counterexample ?? [];
		if (schedule)
			result.shortest = `Path: ${details.counterexamplePath}\n${await describe(schedule)}`;
	}
	result.seconds = (performance.now() - start) / 1000;
	return result;
}

/** A schedule with its course, to read. */
async function describe(schedule: Schedule): Promise<string> {
	const { world, faults } = await carryOut(schedule, true);
	const lines = [
		`Broken: ${faults.map((one) => Object.values(one).join(' ')).join(', ')}`,
		`Schedule: ${JSON.stringify(schedule)}`,
		...world.log,
		...world.executions.map(({ id, state, output }) => `${id}: ${state}, got ${output.join(' ')}`),
		...world.written.map(
			({ id, phone, text, outcomes }) =>
				`${id} ${phone} ${text}: ${[...outcomes.values()].map(({ is }) => is).join(' ')}`,
		),
		...world.triggers.map(
			({ url, started, late }) =>
				`${url}: started ${started.join(' ')}, late ${late.map(({ id }) => id).join(' ')}`,
		),
	];
	return lines.join('\n');
}
