/** Processes and n8n's database have copies of the state of a run. Merging two copies must lose nothing that one of them knows. */
import * as fc from 'fast-check';
import { partition, sortBy, uniq } from 'lodash';

import {
	type Person,
	type Run,
	afterHandOver,
	chooseReplies,
	handOverOf,
	lateMessages,
	mergeRun,
} from '../../../nodes/BusinessMessaging/inbox/core';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const names = (letter: string, count: number) =>
	fc.subarray([...Array(count).keys()].map((n) => `${letter}${n}`));
const time = fc.constantFrom(0, 1_000, 2_000, 3_000);
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });

/** One of three people, as a copy may know them. */
const person = fc.record({
	since: time,
	isSince: fc.boolean(),
	hasId: fc.boolean(),
	messages: names('m', 4),
	repeatedAfter: names('r', 3),
	moreUntil: maybe(time),
});
const copy = fc.record({
	people: fc.array(fc.tuple(fc.nat(2), person), { maxLength: 3 }),
	until: time,
	leaseUntil: time,
	isWhole: fc.boolean(),
	isOver: fc.boolean(),
	handing: maybe(names('m', 4)),
	got: maybe(names('m', 4)),
	started: names('m', 4),
	triggers: names('t', 3),
});

type Copy = typeof copy extends fc.Arbitrary<infer T> ? T : never;

/** All copies that are whole have the same people: the last one was left out in the end. */
function toRun({ people, ...rest }: Copy): Run {
	const none: Copy['people'][0][1] = {
		...{ since: 0, isSince: false, hasId: false, messages: [], repeatedAfter: [] },
		moreUntil: undefined,
	};
	const asked = people.filter(([item]) => item < 2);
	const all: Copy['people'] = rest.isWhole ? [[0, none], [1, none], ...asked] : people;
	const byItem = all.map(([item, one]): [number, Person] => [
		item,
		{
			...{ item, to: `+1555000100${item}`, question: 0, repeatedAfter: one.repeatedAfter },
			...{ since: one.since, ...(one.isSince && { isSince: true }), moreUntil: one.moreUntil },
			askedMessageId: one.hasId ? `asked ${item}` : null,
			messages: one.messages.map((key) => ({ key, text: key, respondedAt: `at ${key}` })),
		},
	]);
	const where = { url: 'https://n8n.test/run', owner: 'https://n8n.test/trigger' };
	return {
		...{ id: 'run', ...where, startedAt: 0, questions: [{ ...defaultAnswer(), asked: '' }] },
		...{ notAsked: [], ...rest, people: new Map(byItem) },
	};
}

/** What counts of a copy, in an order that does not matter. */
function contentOf({ people, handing, got, ...run }: Run) {
	const sorted = (list?: string[]) => list && sortBy(uniq(list));
	return {
		...run,
		...{ triggers: sorted(run.triggers), started: sorted(run.started) },
		...{ handing: sorted(handing), got: sorted(got) },
		people: sortBy([...people.values()], 'item').map((one) => ({
			...one,
			isSince: one.isSince === true,
			messages: sortBy(one.messages, 'key'),
			repeatedAfter: sorted(one.repeatedAfter),
		})),
	};
}

/** Flags and lists that may only grow. Of somebody who was not asked, only the messages count. */
function knownOf(run: Run, items: number[], askedItems: number[]): string[] {
	const { people, handing = [], got = [], started, triggers } = contentOf(run);
	const flags = Object.entries({ isWhole: run.isWhole, isOver: run.isOver });
	const lists = Object.entries({ handing, got, started, triggers });
	const ofPeople = people.filter(({ item }) => items.includes(item));
	const asked = ofPeople.filter(({ item }) => askedItems.includes(item));
	return [
		...flags.flatMap(([name, value]) => (value ? [name] : [])),
		...lists.flatMap(([name, keys = []]) => keys.map((key) => `${name} ${key}`)),
		...ofPeople.flatMap(({ item, messages }) => messages.map(({ key }) => `${item} wrote ${key}`)),
		...asked.flatMap(({ item, repeatedAfter = [], askedMessageId }) => [
			...repeatedAfter.map((key) => `${item} asked again after ${key}`),
			...(askedMessageId === null ? [] : [`${item} has ${askedMessageId}`]),
		]),
	];
}

const check = (holds: (...runs: Run[]) => void) =>
	fc.assert(
		fc.property(copy, copy, copy, (...copies) => holds(...copies.map(toRun))),
		{ seed, numRuns: 500 },
	);

test(`the order of merging does not matter (TEST_SEED=${seed})`, () => {
	check((a, b, c) => {
		expect(contentOf(mergeRun(b, a))).toEqual(contentOf(mergeRun(a, b)));
		const [left, right] = [mergeRun(mergeRun(a, b), c), mergeRun(a, mergeRun(b, c))];
		expect(contentOf(left)).toEqual(contentOf(right));
		expect(contentOf(mergeRun(a, a))).toEqual(contentOf(a));
	});
});

test(`nothing is lost that a copy knows of the people of the run (TEST_SEED=${seed})`, () => {
	check((a, b) => {
		const merged = mergeRun(a, b);
		const items = [...merged.people.keys()];
		const asked = items.filter((item) => !merged.people.get(item)?.isNotAsked);
		const known = knownOf(merged, items, asked);
		for (const one of [a, b]) {
			expect(known).toEqual(expect.arrayContaining(knownOf(one, items, asked)));
			expect(merged.until).toBeGreaterThanOrEqual(one.until);
			expect(merged.leaseUntil).toBeGreaterThanOrEqual(one.leaseUntil);
		}
	});
});

test(`once all were asked, nobody else belongs to a run, and what the others have written starts the workflow (TEST_SEED=${seed})`, () => {
	check((a, b) => {
		const whole = [a, b].filter(({ isWhole }) => isWhole);
		const [known] = whole.length === 1 ? whole : [undefined];
		const all = uniq([...a.people.keys(), ...b.people.keys()]);
		const run = untouched(mergeRun(a, b));
		const [others, asked] = partition([...run.people.values()], 'isNotAsked');
		const items = asked.map(({ item }) => item);
		expect(sortBy(items)).toEqual(sortBy(known ? [...known.people.keys()] : all));
		const keys = others.flatMap(({ messages }) => messages.map(({ key }) => key));
		expect(lateMessages({ ...run, isOver: false }).map(({ message }) => message.key)).toEqual(keys);
	});
});

/** A run that has got nothing yet, in which no two people have the same message. */
function untouched({ people, ...run }: Run): Run {
	const named = [...people].map(([item, one]): [number, Person] => {
		const messages = one.messages.map((message) => ({ ...message, key: `${item} ${message.key}` }));
		return [item, { ...one, messages }];
	});
	const state = { started: [], handing: undefined, got: undefined };
	return { ...run, ...state, people: new Map(named) };
}

test(`a run gets what was chosen for it before another copy was added; all else starts the workflow as late, and nothing does both (TEST_SEED=${seed})`, () => {
	check((a, b) => {
		const [one, other] = [untouched(a), untouched(b)];
		// A run gets replies only once all were asked.
		if (one.isWhole) chooseReplies(one);
		const run = mergeRun(one, other);
		chooseReplies(run);
		const keysOf = (people: Iterable<Person>) =>
			[...people].flatMap(({ messages }) => messages.map(({ key }) => key));
		const given = keysOf(handOverOf(run).people.values());
		afterHandOver(run, 'accepted', false, 0);
		const late = lateMessages(run).map(({ message }) => message.key);
		const asked = [...run.people.values()].filter(({ isNotAsked }) => !isNotAsked);
		const chosen = (one.handing ?? run.handing)?.filter((key) => keysOf(asked).includes(key));
		expect(given.sort()).toEqual(chosen?.sort());
		expect([...given, ...late].sort()).toEqual(keysOf(run.people.values()).sort());
	});
});
