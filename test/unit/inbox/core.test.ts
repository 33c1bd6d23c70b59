/** What a message means for the open questions, what is kept of a reply, and when a run is over. */
import {
	type Arrival,
	type Asked,
	type Person,
	type Question,
	type Run,
	type RunState,
	addRepetition,
	addReply,
	afterHandOver,
	chooseReplies,
	decide,
	dueAt,
	handOverOf,
	hasDied,
	hasKey,
	isAskerDead,
	isEnded,
	isOpen,
	isPast,
	keysOf,
	lateMessages,
	repliesDueAt,
	startsWorkflowsToo,
	withoutTexts,
} from '../../../nodes/BusinessMessaging/inbox/core';
import { arrivalOf, byItem, messageOf, personOf, questionOf, runOf } from './parts';

const now = 1_000;

/** A question to one person. */
function asked(
	person: Partial<Person> = {},
	run: Partial<Run> = {},
	question: Partial<Question> = {},
): Asked {
	const one = personOf(0, person);
	const questions = [questionOf(question)];
	return { run: runOf({ people: byItem([one]), questions, ...run }), person: one };
}
const answered = { messages: [messageOf('first')] };
const approval = { kind: 'approval', repeats: 1 } as const;

const meanings: Array<[what: string, question: Asked, message: Partial<Arrival>, is: string]> = [
	['free text', asked(), {}, 'reply'],
	['a picture without text', asked(), { text: null }, 'reply'],
	['a yes', asked({}, {}, approval), { text: 'yes' }, 'reply'],
	['an unclear text', asked({}, {}, approval), { text: 'maybe' }, 'repeat'],
	[
		'an unclear text after the last repetition',
		asked({ repeatedAfter: ['before'] }, {}, approval),
		{ text: 'maybe' },
		'reply',
	],
	[
		'an unclear text, if nothing is repeated',
		asked({}, {}, { ...approval, repeats: 0 }),
		{ text: 'maybe' },
		'reply',
	],
	['a message from the time of the question', asked({ since: now }), { time: now }, 'reply'],
	['a message from before', asked({ since: now }), { time: now - 1 }, 'ordinary'],
	['a message without a time', asked({ since: now }), {}, 'reply'],
	['a second message', asked(answered), {}, 'ordinary'],
	['one that belongs to the reply', asked({ ...answered, moreUntil: now + 1 }), {}, 'reply'],
	['one that comes too late for it', asked({ ...answered, moreUntil: now }), {}, 'ordinary'],
	['the first message again', asked(answered), { key: 'first' }, 'copy'],
	[
		'a message that was answered with the question',
		asked({ repeatedAfter: ['before'] }),
		{ key: 'before' },
		'copy',
	],
	['one in the last moment', asked({}, { until: now }), {}, 'reply'],
	['one after the time limit', asked({}, { until: now - 1 }), {}, 'ordinary'],
	[
		'one while others are asked, after the time limit',
		asked({}, { until: now - 1, isWhole: false }),
		{},
		'reply',
	],
	[
		'one in the last moment of the asker',
		asked({}, { isWhole: false, leaseUntil: now }),
		{},
		'reply',
	],
	[
		'one after the asker was killed',
		asked({}, { isWhole: false, leaseUntil: now - 1 }),
		{},
		'ordinary',
	],
	['one to a run that is over', asked({}, { isOver: true }), {}, 'ordinary'],
	['one to a run that is getting its replies', asked({}, { handing: [] }), {}, 'ordinary'],
	['one from somebody who was not asked', asked({ isNotAsked: true }), {}, 'ordinary'],
	['an opt-out', asked(), { text: 'STOP', isOptOut: true }, 'reply'],
	[
		'an opt-out that does not fit',
		asked({}, {}, approval),
		{ text: 'STOP', isOptOut: true },
		'ordinary',
	],
	[
		'an opt-out that fits',
		asked({}, {}, { ...approval, noWords: ['STOP'] }),
		{ text: 'STOP', isOptOut: true },
		'reply',
	],
];

test.each(meanings)('%s: what it means', (_, question, message, is) => {
	const decision = decide([question], arrivalOf('message', message), now);
	expect(decision.is).toBe(is);
	if (is !== 'ordinary') expect(decision).toMatchObject(question);
});

test('the text of all grouped messages is the answer', () => {
	const open = { messages: [messageOf('of')], moreUntil: now + 1 };
	const words = { ...approval, yesWords: ['of course'], noWords: ['course'] };
	const question = asked(open, {}, { ...words, repeats: 0 });
	const decide1 = (text: string) => decide([question], arrivalOf('message', { text }), now);
	expect(decide1('course')).toMatchObject({ is: 'reply', isAccepted: true });
	expect(decide1('day')).toMatchObject({ is: 'reply', isAccepted: false });
});

test('the first open question gets the message, unless an earlier decision about the message is known', () => {
	const [over, open, next] = [asked({}, { isOver: true }), asked({}, { id: 'open' }), asked()];
	expect(decide([over, open, next], arrivalOf('m'), now)).toMatchObject({ run: { id: 'open' } });
	const copied = asked({ messages: [messageOf('m')] }, { id: 'copied' });
	const decision = decide([over, open, copied], arrivalOf('m'), now);
	expect(decision).toMatchObject({ is: 'copy', run: { id: 'copied' } });
	expect(decide([], arrivalOf('m'), now)).toEqual({ is: 'ordinary' });
});

test.each([
	['freeText', true, true],
	['freeText', false, false],
	['approval', true, false],
] as const)(
	'a reply to a question of the kind "%s" (opt-out: %j) also starts workflows: %j',
	(kind, isOptOut, starts) => {
		expect(startsWorkflowsToo(asked({}, {}, { kind }), arrivalOf('m', { isOptOut }))).toBe(starts);
	},
);

/** The person after a message was added. */
function reply(question: Asked, message: Partial<Arrival>, isAccepted = true): Person {
	addReply(question, arrivalOf('next', message), isAccepted, now);
	return question.run.people.get(question.person.item)!;
}

test('of a reply, its key, text, ID and time are kept, and whether it fits', () => {
	const messages = [messageOf('next', { messageId: 'm1' })];
	const person = reply(asked({ sender: 'US.1' }), { messageId: 'm1' });
	expect(person).toEqual({ ...personOf(0, { sender: 'US.1', messages, isAccepted: true }) });
	const plain = reply(asked(), { text: null }, false);
	expect(plain.messages).toStrictEqual([{ key: 'next', text: null, respondedAt: 'at next' }]);
	expect(plain).toMatchObject({ isAccepted: false, moreUntil: undefined });
});

test('further messages belong to a reply for as long as the question says, again after each message', () => {
	const grouping = { groupMs: 5_000 };
	const person = reply(asked({ ...answered, moreUntil: now + 1 }, {}, grouping), {});
	expect(person.moreUntil).toBe(now + 5_000);
	expect(person.messages.map(({ key }) => key)).toEqual(['first', 'next']);
	const many = (count: number) => Array.from({ length: count }, (_, n) => messageOf(`${n}`));
	expect(reply(asked({ messages: many(48) }, {}, grouping), {}).moreUntil).toBe(now + 5_000);
	expect(reply(asked({ messages: many(49) }, {}, grouping), {}).moreUntil).toBeUndefined();
});

test.each<[what: string, message: Partial<Arrival>, length: number, isCut: true | undefined]>([
	['fits', { text: 'x'.repeat(3_990) }, 3_990, undefined],
	['is too long', { text: 'x'.repeat(3_991) }, 3_990, true],
	['was cut before', { text: 'x', isCut: true }, 1, true],
])('if a text %s, it is kept as far as there is room', (_, message, length, isCut) => {
	const messages = [messageOf('a', { text: 'x'.repeat(10) }), messageOf('b', { text: null })];
	const person = reply(asked({ messages }, {}, { groupMs: 5_000 }), message);
	expect(person.messages[2].text).toHaveLength(length);
	expect(person.messages[2].isCut).toBe(isCut);
	// Nothing else can belong to a reply that is full.
	expect(person.moreUntil).toBe(isCut ? undefined : now + 5_000);
});

test('in a run with thousands of people, there is less room for each', () => {
	const people = byItem(Array.from({ length: 1_001 }, (_, item) => personOf(item)));
	const person = reply(asked({}, { people }), { text: 'x'.repeat(4_000) });
	expect(person.messages[0].text).toHaveLength(Math.floor(3_000_000 / 1_001));
});

test('it is known after which messages a question was repeated', () => {
	const question = asked({ repeatedAfter: ['a'] });
	addRepetition(question, arrivalOf('b'));
	const person = question.run.people.get(0)!;
	expect(person.repeatedAfter).toEqual(['a', 'b']);
	expect(['a', 'b', 'c'].map((key) => hasKey(person, key))).toEqual([true, true, false]);
	expect(hasKey(personOf(0, answered), 'first')).toBe(true);
});

test.each<[what: string, run: Partial<Run>, due: number]>([
	['waits', {}, 600_000],
	['is asking', { isWhole: false, leaseUntil: 7 }, 8],
	['is over', { isOver: true, isWhole: false }, 0],
	['has a reply of somebody who was not asked', { people: byItem([]) }, 0],
])('a run that %s is handled at the right time', (_, run, due) => {
	expect(repliesDueAt(runOf(run))).toBe(due);
	expect(dueAt(runOf(run))).toBe(due);
});

test('a run with replies that it cannot get is handled at once', () => {
	const late = personOf(0, { ...answered, isNotAsked: true });
	const run = runOf({ people: byItem([late, personOf(1)]) });
	expect(dueAt(run)).toBe(0);
	expect(repliesDueAt(run)).toBe(600_000);
	expect(dueAt({ ...run, started: ['first'] })).toBe(600_000);
});

const lists = [messageOf('a'), messageOf('b')];
const several = [
	personOf(0, { messages: lists, isNotAsked: true }),
	personOf(1, { messages: [messageOf('c'), messageOf('d')] }),
	personOf(2, { messages: [messageOf('e'), messageOf('f')], question: 1, repeatedAfter: ['g'] }),
	personOf(3),
];
const questions = [questionOf(), questionOf({ groupMs: 1 })];

test('a run gets the first message of each person, or all of them if they are grouped', () => {
	const run = runOf({ people: byItem(several), questions });
	chooseReplies(run);
	expect(run.handing).toEqual(['c', 'e', 'f']);
	const given = handOverOf(run);
	const keys = [...given.people].map(([item, { messages }]) => [
		item,
		messages.map(({ key }) => key),
	]);
	expect(keys).toEqual([
		[1, ['c']],
		[2, ['e', 'f']],
		[3, []],
	]);
	chooseReplies(Object.assign(run, { handing: ['x'] }));
	expect(run.handing).toEqual(['x']);
	expect(keysOf(run)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
});

test('the messages that a run has not got start the workflow once it is over; before, only those of people whom it did not ask', () => {
	const late = (more: Partial<Run>) =>
		lateMessages(runOf({ people: byItem(several), questions, ...more })).map(
			({ person, message }) => `${person.item} ${message.key}`,
		);
	expect(late({})).toEqual(['0 a', '0 b']);
	expect(late({ started: ['a'] })).toEqual(['0 b']);
	expect(late({ isOver: true })).toEqual(['0 a', '0 b', '1 c', '1 d', '2 e', '2 f']);
	expect(late({ isOver: true, got: ['c', 'e'], started: ['a', 'b'] })).toEqual(['1 d', '2 f']);
	expect(late({ people: byItem([personOf(4), ...several]) })).toEqual([]);
});

test('other triggers learn whose messages were replies, but not what they say', () => {
	const messages = [messageOf('secret', { messageId: 'm1' })];
	const person = personOf(0, { since: 5, messages, repeatedAfter: ['r'], sender: 'US.1' });
	const run = runOf({ people: byItem([person]), notAsked: ['secret'], got: ['m'] });
	const kept = { key: 'secret', text: null, respondedAt: '' };
	expect(withoutTexts(run)).toEqual({
		...run,
		notAsked: [],
		people: byItem([{ ...person, since: 0, messages: [kept] }]),
	});
});

test.each<[RunState, isEnded: boolean, hasDied: boolean, diesLater: boolean]>([
	['accepted', false, false, false],
	['waiting', false, false, false],
	['unknown', false, false, false],
	['running', false, false, true],
	['broken', false, false, true],
	['finished', true, true, true],
	['stopped', true, true, true],
	['gone', true, true, true],
])('the state "%s": ended %j, dead %j, dead once nothing was heard for long %j', (state, ...is) => {
	const run = runOf({ leaseUntil: now });
	expect([isEnded(state), hasDied(run, state, now), hasDied(run, state, now + 1)]).toEqual(is);
});

test('the limits of a run: while it asks, those of its asker, then its time limit', () => {
	const asking = runOf({ isWhole: false, leaseUntil: now, until: 5 });
	expect([now, now + 1].map((at) => isAskerDead(asking, at))).toEqual([false, true]);
	expect([now, now + 1].map((at) => isOpen(asking, at))).toEqual([true, false]);
	const waiting = { ...asking, isWhole: true };
	expect([now, now + 1].map((at) => isAskerDead(waiting, at))).toEqual([false, false]);
	expect([5, 6].map((at) => isOpen(waiting, at))).toEqual([true, false]);
	expect(isOpen({ ...waiting, isOver: true }, 5)).toBe(false);
	expect([120_005, 120_006].map((at) => isPast(waiting, at))).toEqual([false, true]);
});

test.each<[RunState, mayHaveGot: boolean, at: number, got: boolean, isOver: boolean]>([
	['accepted', false, 900_000, true, true],
	['finished', false, 660_000, true, true],
	['finished', false, 660_001, false, true],
	['gone', true, 660_000, true, true],
	['gone', true, 660_001, false, true],
	['gone', false, 0, false, true],
	['unknown', true, 720_000, false, false],
	['unknown', true, 720_001, false, true],
	['waiting', false, 0, false, false],
	['running', false, 130_000, false, true],
	['running', false, 120_000, false, false],
	['running', true, 130_000, false, false],
	['broken', true, 130_000, false, true],
])(
	'the response "%s" to the replies (may have got them before: %j) at %d ms: has got them %j, is over %j',
	(state, mayHaveGot, at, hasGot, isOver) => {
		const run = runOf({ handing: ['a'], got: ['z'] });
		afterHandOver(run, state, mayHaveGot, at);
		expect(run).toMatchObject({ got: hasGot ? ['z', 'a'] : ['z'], isOver });
	},
);
