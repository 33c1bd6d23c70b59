/** Random schedules, and the shortest one that still fails. */
import * as fc from 'fast-check';

import {
	type Exception,
	type Fault,
	exceptions,
	excuseOf,
	faultsOf,
	invariants,
} from './invariants';
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
	kind: fc.constantFrom('freeText' as const, 'approval' as const, 'grouped' as const),
	limit: fc.constantFrom(20, 60, 400),
	pace: fc.constantFrom(0, 0, 0, 0, 0, 8, 70),
	dies: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
});
const write = fc.record({
	is: fc.constant('write' as const),
	at: second(120),
	person: fc.nat(people),
	text: fc.constantFrom('yes', 'yes', 'maybe', 'STOP'),
	isCertain: fc.integer({ max: 4, min: 0 }).map((dice) => dice > 0),
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
const stop = fc.record({ is: fc.constant('stop' as const), at: second(120), run: fc.nat(2) });
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
	gone: second(5),
	takes: second(5),
	isNew: fc.integer({ min: 0, max: 3 }).map((dice) => dice === 0),
	isRemoved: fc.boolean(),
});
const setting = fc.record({
	processes: fc.constantFrom(1, 1, 2, 2, 3),
	isRouted: fc.integer({ min: 0, max: 7 }).map((dice) => dice > 0),
	triggers: fc.integer({ min: 1, max: 3 }),
	refusesRepetitions: fc.boolean(),
	keepsExecutions: fc.boolean(),
	trouble: fc.constantFrom(0, 0, 5, 20),
});
const troubled = fc
	.tuple(setting, fc.constantFrom(0, 20))
	.map(([one, trouble]) => ({ ...one, trouble }));
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
		times(write, 0, 2).map((writes) => writes.flatMap(atOnce)),
		rarely(kill),
		rarely(killAsker),
		rarely(stop),
		rarely(olderCopy),
		rarely(publish),
	)
	.map((lists) => (lists as Action[][]).flat());

const between = (from: number, to: number) => second(to - from).map((at) => from + at);
const asking = (more: Partial<Extract<Action, { is: 'ask' }>>): Action => ({
	...{ is: 'ask', at: 0, people: [0], failing: [], kind: 'freeText', limit: 20 },
	...{ pace: 0, dies: false, ...more },
});
const writing = (at: number, person: number): Action => ({
	...{ is: 'write', at, person, text: 'yes', isCertain: true },
});
const publishing = (at: number, trigger: number, isNew: boolean): fc.Arbitrary<Action> =>
	fc
		.record({ gone: second(4), takes: second(6), isRemoved: fc.boolean() })
		.map((times) => ({ is: 'publish', at, trigger, isNew, ...times }));
/** Any process is killed, once. */
const killing = (from: number, to: number): fc.Arbitrary<Action> =>
	kill.chain((one) => between(from, to).map((at) => ({ ...one, at })));

/** Schedules that come close to one thing that may go wrong. */
const focused: Array<fc.Arbitrary<Action[]>> = [
	// A run has got its replies; much later a process is killed, and nothing happens until the run is over.
	fc
		.tuple(between(1, 15), between(1, 15), killing(50, 110))
		.map(([one, other, later]) => [
			asking({ people: [0, 1] }),
			...[writing(one, 0), writing(other, 1)],
			later,
		]),
	// A process is killed while a run gets its reply.
	fc
		.tuple(killing(5, 7), between(0, 10), fc.constantFrom(20, 400))
		.map(([now, down, limit]) => [asking({ limit }), writing(5, 0), { ...now, down }]),
	// A user stops a run that has replies; much later a process is killed.
	fc
		.tuple(between(1, 15), between(16, 30), between(20, 40), killing(80, 110))
		.map(([reply, at, next, later]) => [
			asking({ people: [0, 1], limit: 400 }),
			...[writing(reply, 0), { is: 'stop' as const, at, run: 0 }, writing(next, 1), later],
		]),
	// The owner of open questions is published again; much later a process is killed.
	fc
		.tuple(publishing(30, 0, false), between(29, 40), killing(70, 110))
		.map(([again, at, later]) => [
			asking({ people: [0, 1, 2], limit: 400 }),
			...[again, writing(at, 0), later, writing(115, 2)],
		]),
	// A trigger is published for the first time while a run asks slowly.
	fc
		.tuple(publishing(10, 1, true), between(60, 120), between(80, 120))
		.map(([first, one, other]) => [
			asking({ people: [0, 1, 2, 3, 4], limit: 400, pace: 15 }),
			...[first, writing(one, 3), writing(other, 4)],
		]),
	// The owner, or every other trigger, hears nothing from a run that asks slowly for about two minutes.
	fc
		.tuple(
			fc.record({
				is: fc.constant('cutOff' as const),
				...{ at: second(100), run: fc.constant(0), lasts: between(30, 160) },
				from: fc.constantFrom('owner' as const, 'others' as const),
			}),
			...[fc.constantFrom(15, 40, 70), between(60, 200), between(60, 200)],
		)
		.map(([cutOff, pace, one, other]) => [
			asking({ people: [0, 1, 2, 3, 4], limit: 400, pace }),
			cutOff,
			...[writing(one, 0), writing(other, 3)],
		]),
	// An execution that takes up to an hour, or a trigger, writes back an older copy; much later a process is killed.
	fc
		.tuple(between(0, 10), between(20, 3_600), between(20, 700), between(750, 900), kill)
		.map(([at, after, reply, later, one]) => {
			const killed = at + after + later;
			return [
				asking({ at: 5, people: [0, 1], limit: killed + 600 }),
				{ is: 'olderCopy', at, trigger: 0, after },
				...[writing(reply, 0), { ...one, at: killed }, writing(killed + 60, 1)],
			];
		}),
	// A trigger is published while the owner of open questions is not, and owns the next ones, which may be to one person.
	fc
		.tuple(
			...[publishing(10.5, 1, true), between(12, 15), between(15, 24), between(19, 40)],
			fc.constantFrom([0, 1, 2], [0, 0, 0]),
		)
		.map(([first, second, third, at, [one, two, three]]) => [
			asking({ people: [one], limit: 400 }),
			asking({ at: second, people: [two], limit: 400 }),
			asking({ at: third, people: [three], limit: 400 }),
			{ is: 'publish', at: 10, trigger: 0, gone: 5, takes: 1, isNew: false, isRemoved: false },
			...[first, writing(at, three), writing(at + 1, one), writing(at + 2, two)],
		]),
];

const toSchedule = (actions: fc.Arbitrary<Action[]>, isFocused: boolean): fc.Arbitrary<Schedule> =>
	fc.record({ setting: isFocused ? troubled : setting, seed: fc.nat(), actions });

/** A run cannot call its owner, whose process is killed and is down for an hour. The other trigger has its own process. */
const ownerDown = toSchedule(
	fc
		.tuple(second(20), between(150, 400), between(2_700, 4_000))
		.map(([at, one, other]) => [
			asking({ people: [0, 1], limit: 400 }),
			{ is: 'cutOff', at: 0, run: 0, lasts: 60, from: 'owner' },
			{ is: 'kill', at, process: 0, down: 4_400 },
			...[writing(one, 0), writing(other, 1), writing(4_500, 3)],
		]),
	true,
).map((schedule) => ({
	...schedule,
	setting: { ...schedule.setting, processes: 2, triggers: 2, isRouted: true },
}));

/** Any schedule: every other one is of the first kind. */
const anySchedule = fc.oneof(
	{ arbitrary: toSchedule(mixed, false), weight: focused.length },
	...focused.map((actions) => ({ arbitrary: toSchedule(actions, true), weight: 1 })),
	{ arbitrary: ownerDown, weight: 1 },
);

/** How long to look for a shorter schedule, ms. */
const maxShrinkMs = 30_000;

/** What came of many schedules. */
export interface Result {
	schedules: number;
	seed: number;
	steps: number;
	/** Schedules that broke an invariant without an excuse. */
	failures: number;
	/** In how many schedules each invariant was broken without an excuse. */
	invariants: Record<string, number>;
	/** In how many schedules one was broken with each excuse, and how many have what excuses a whole schedule. */
	exceptions: Record<string, { broken: number; of?: number }>;
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
		broken.push({ invariant: 'broken', subject: String(error), excuse: excuseOf(world) });
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
		exceptions: Object.fromEntries(Object.keys(exceptions).map((name) => [name, { broken: 0 }])),
		...{ messages: 0, replies: 0, seconds: 0 },
	};
	let isCounting = true;
	/** When to stop looking for a shorter schedule. */
	let deadline = Infinity;
	const property = fc.asyncProperty(anySchedule, async (schedule) => {
		if (performance.now() > deadline) return true;
		const { world, faults } = await carryOut(schedule);
		const ofSchedule = excuseOf(world);
		const excuses = new Set(faults.flatMap(({ excuse }): Exception[] => (excuse ? [excuse] : [])));
		const unexcused = faults.filter(({ excuse }) => !excuse);
		if (isCounting) {
			result.steps += world.steps;
			result.messages += world.written.length;
			result.replies += world.executions.reduce((sum, { output }) => sum + output.length, 0);
			if (ofSchedule) {
				const count = result.exceptions[ofSchedule];
				count.of = (count.of ?? 0) + 1;
			}
			for (const excuse of excuses) result.exceptions[excuse].broken++;
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
				`${id} ${phone} ${text}: ${[...outcomes.values()].join(' ')}`,
		),
		...world.triggers.map(
			({ url, started, late }) =>
				`${url}: started ${started.join(' ')}, late ${late.map(({ id }) => id).join(' ')}`,
		),
	];
	return lines.join('\n');
}
