/** Which of two copies of a run counts, for each thing that is known. merge.test.ts checks that nothing is lost in any order. */
import { type Person, mergeRun } from '../../../nodes/BusinessMessaging/inbox/core';
import { byItem, messageOf, personOf, questionOf, runOf } from './parts';

const answered = { messages: [messageOf('first')] };
const questions = [questionOf(), questionOf({ groupMs: 1 })];

describe('of two copies of a run', () => {
	const merge = (one: Partial<Person>, another: Partial<Person>) =>
		mergeRun(runOf({ people: byItem([personOf(0, one)]) }), {
			...runOf({ people: byItem([personOf(0, another)]) }),
		}).people.get(0)!;

	test.each<[Partial<Person>, Partial<Person>, object]>([
		[{ since: 5 }, { since: 7 }, { since: 7 }],
		[{ since: 7 }, { since: 5 }, { since: 7 }],
		[{ since: 5, isSince: true }, { since: 7 }, { since: 5, isSince: true }],
		[{ since: 7 }, { since: 5, isSince: true }, { since: 5, isSince: true }],
		[{ askedMessageId: 'q' }, {}, { askedMessageId: 'q' }],
		[{}, { askedMessageId: 'q' }, { askedMessageId: 'q' }],
		[{ sender: 'b' }, { sender: 'a' }, { sender: 'a' }],
		[{}, { sender: 'a' }, { sender: 'a' }],
		[{ sender: 'a' }, {}, { sender: 'a' }],
		[{ isAccepted: false }, {}, { isAccepted: false }],
		[{}, { isAccepted: true }, { isAccepted: true }],
		[{ moreUntil: 5 }, {}, { moreUntil: 5 }],
		[{}, { moreUntil: 5 }, { moreUntil: 5 }],
		[{ moreUntil: 5 }, { moreUntil: 7 }, { moreUntil: 7 }],
		[{ moreUntil: 7 }, { moreUntil: 5 }, { moreUntil: 7 }],
		[
			{ repeatedAfter: ['a', 'b'] },
			{ repeatedAfter: ['b', 'c'] },
			{ repeatedAfter: ['a', 'b', 'c'] },
		],
	])('%j and %j give %j', (one, another, merged) => {
		expect(merge(one, another)).toEqual({ ...personOf(0), ...merged });
	});

	test('the messages of both count once, in the order of their times and names', () => {
		const at = (key: string, respondedAt: string) => messageOf(key, { respondedAt });
		const [a, b, c] = [at('a', '2'), at('b', '1'), at('c', '2')];
		const keysOfMerged = (one: Partial<Person>, another: Partial<Person>) =>
			merge(one, another).messages.map(({ key }) => key);
		expect(keysOfMerged({ messages: [c] }, { messages: [a, b] })).toEqual(['b', 'a', 'c']);
		expect(keysOfMerged({ messages: [c, b] }, { messages: [b] })).toEqual(['c', 'b']);
		expect(keysOfMerged({ repeatedAfter: ['a'] }, { messages: [a, b] })).toEqual(['b']);
	});

	test('the later times and all flags, keys and triggers count', () => {
		const one = runOf({ until: 5, leaseUntil: 9, triggers: ['t1'], started: ['a'] });
		const another = runOf({ until: 7, leaseUntil: 8, triggers: ['t2'], started: ['b'] });
		const merged = { until: 7, leaseUntil: 9, isWhole: true };
		for (const [first, second] of [
			[one, another],
			[another, one],
		]) {
			expect(mergeRun(first, second)).toMatchObject({ ...merged, isOver: false });
			expect(mergeRun(first, { ...second, isOver: true })).toMatchObject({ isOver: true });
			expect(mergeRun({ ...first, isOver: true }, second)).toMatchObject({ isOver: true });
			expect(mergeRun(first, { ...second, isWhole: false })).toMatchObject({ isWhole: true });
		}
		expect(mergeRun(one, another)).toMatchObject({ triggers: ['t1', 't2'], started: ['a', 'b'] });
	});

	test.each<[string[] | undefined, string[] | undefined, string[] | undefined]>([
		[undefined, undefined, undefined],
		[['a'], undefined, ['a']],
		[undefined, [], []],
		[['a'], ['a', 'b'], ['a', 'b']],
	])('the keys %j and %j of what it gets give %j', (one, another, merged) => {
		expect(mergeRun(runOf({ handing: one }), runOf({ handing: another })).handing).toEqual(merged);
		expect(mergeRun(runOf({ got: one }), runOf({ got: another })).got).toEqual(merged);
	});

	test('the longer list of questions counts, and the items without a question are those of the whole run', () => {
		const one = runOf({ questions: [questionOf()], notAsked: [1] });
		const more = runOf({ questions, notAsked: [2] });
		expect(mergeRun(one, more).questions).toBe(questions);
		expect(mergeRun(more, one).questions).toBe(questions);
		expect(mergeRun({ ...one, isWhole: false }, more).notAsked).toEqual([2]);
		expect(mergeRun(more, { ...one, isWhole: false }).notAsked).toEqual([2]);
		expect(mergeRun(one, more).notAsked).toEqual([1]);
	});

	test('once all were asked, the others count only if they have written, and come first', () => {
		const whole = runOf({ people: byItem([personOf(1), personOf(2, { sender: 'US.1' })]) });
		const known = { sender: 'US.3', since: 5, askedMessageId: 'q', isAccepted: true };
		const asking = runOf({
			isWhole: false,
			people: byItem([
				personOf(1),
				personOf(3, { ...known, ...answered }),
				personOf(4, known),
				personOf(5, { ...known, repeatedAfter: ['r'] }),
			]),
		});
		const written = [
			personOf(3, { sender: 'US.3', ...answered, isNotAsked: true }),
			personOf(5, { sender: 'US.3', repeatedAfter: ['r'], isNotAsked: true }),
		];
		const expected = [...written, ...whole.people.values()];
		for (const merged of [mergeRun(whole, asking), mergeRun(asking, whole)])
			expect([...merged.people.values()]).toEqual(expected);
		const merged = mergeRun(whole, asking);
		expect([...mergeRun(merged, whole).people.values()]).toEqual(expected);
		expect([...mergeRun(whole, merged).people.values()]).toEqual(expected);
	});

	test('as long as both are asking, the people of both are asked', () => {
		const [one, another] = [personOf(0), personOf(1)].map((person) =>
			runOf({ isWhole: false, people: byItem([person]) }),
		);
		const merged = mergeRun(one, another);
		expect(merged.isWhole).toBe(false);
		expect([...merged.people.values()]).toEqual([personOf(0), personOf(1)]);
		expect(mergeRun({ ...one, isWhole: true }, another).people.size).toBe(1);
	});
});
