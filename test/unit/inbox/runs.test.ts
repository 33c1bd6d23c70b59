/** Which questions a message may answer: by the phone, by the message that it quotes, and by the name of a hidden sender. */
import type { Person, Run } from '../../../nodes/BusinessMessaging/inbox/core';
import { Runs } from '../../../nodes/BusinessMessaging/inbox/runs';
import { anna, byItem, personOf, runOf } from './parts';

const berta = '+15550001001';
const hidden = 'US.1234567';

function runsOf(...all: Run[]): Runs {
	const runs = new Runs();
	for (const run of all) runs.set(run);
	return runs;
}
const asking = (id: string, people: Person[], startedAt = 0) =>
	runOf({ id, people: byItem(people), startedAt });

/** The questions to a sender, as run and item. */
const found = (runs: Runs, phone: string, quoted?: string) =>
	runs.to({ phone, quoted }).map(({ run, person }) => `${run.id} ${person.item}`);

test('the questions to a person come the latest first, and the quoted one alone', () => {
	const ask = (item: number) => personOf(item, { to: anna, askedMessageId: `q${item}` });
	const runs = runsOf(
		asking('b', [ask(2), ask(1), ask(3)], 1_000),
		asking('d', [ask(4)], 3_000),
		asking('a', [ask(5)], 1_000),
		asking('c', [ask(6), personOf(7, { to: berta })], 2_000),
	);
	expect(found(runs, anna)).toEqual(['d 4', 'c 6', 'b 3', 'b 2', 'b 1', 'a 5']);
	expect(found(runs, anna, 'q2')).toEqual(['b 2']);
	expect(found(runs, anna, 'unknown')).toEqual(['d 4', 'c 6', 'b 3', 'b 2', 'b 1', 'a 5']);
	expect(found(runs, berta)).toEqual(['c 7']);
	expect(found(runs, '+15550009999')).toEqual([]);
});

test('the order of equal times does not depend on which run was added first', () => {
	const [a, b] = ['a', 'b'].map((id) => asking(id, [personOf(0)]));
	expect(found(runsOf(a, b), anna)).toEqual(['b 0', 'a 0']);
	expect(found(runsOf(b, a), anna)).toEqual(['b 0', 'a 0']);
});

test('both forms of a number are one phone', () => {
	const runs = runsOf(asking('a', [personOf(0, { to: '+5215512345678' })]));
	expect(found(runs, '+525512345678')).toEqual(['a 0']);
});

test('a person who hides the number is found by the quoted question; the quote of another phone is ignored', () => {
	const [one, two] = [personOf(0, { askedMessageId: 'q0' }), personOf(1, { askedMessageId: 'q1' })];
	const runs = runsOf(asking('a', [one, two]));
	expect(found(runs, hidden, 'q0')).toEqual(['a 0']);
	expect(found(runs, '', 'q1')).toEqual(['a 1']);
	expect(found(runs, hidden, 'q2')).toEqual([]);
	expect(found(runs, hidden)).toEqual([]);
	expect(found(runs, '', '')).toEqual([]);
	expect(found(runs, berta, 'q0')).toEqual(['a 1']);
	expect(found(runs, '+15550009999', 'q0')).toEqual([]);
});

test('a quote counts if one phone was asked by several runs, and not if several phones were', () => {
	const ask = (to: string) => [personOf(0, { to, askedMessageId: 'q' })];
	const forms = ['+5215512345678', '+525512345678'];
	const runs = runsOf(...forms.map((to, n) => asking(`run ${n}`, ask(to))));
	expect(found(runs, hidden, 'q')).toEqual(['run 1 0', 'run 0 0']);
	runs.set(asking('run 2', ask(berta)));
	expect(found(runs, hidden, 'q')).toEqual([]);
});

test('whether somebody is asked depends on the phone or on the quote', () => {
	const runs = runsOf(asking('a', [personOf(0, { askedMessageId: 'q0' }), personOf(1)]));
	expect(runs.asks({ phone: anna })).toBe(true);
	expect(runs.asks({ phone: berta })).toBe(true);
	expect(runs.asks({ phone: hidden, quoted: 'q0' })).toBe(true);
	expect(runs.asks({ phone: hidden, quoted: 'q1' })).toBe(false);
	expect(runs.asks({ phone: hidden, quoted: '' })).toBe(false);
	expect(runs.asks({ phone: hidden })).toBe(false);
	expect(runs.asks({ phone: '' })).toBe(false);
});

describe('the name of a person who hides the number', () => {
	const make = (sender?: string) => {
		const people = [
			personOf(0, { askedMessageId: 'q0', sender }),
			personOf(1, { askedMessageId: 'q1' }),
		];
		return runsOf(asking('a', people), asking('b', [personOf(0, { askedMessageId: 'other' })]));
	};
	const nameOf = (runs: Runs) => runs.get('a')?.people.get(0)?.sender;

	test('is learned from a quote, and then finds the person without one', () => {
		const runs = make();
		const known = runs.learnSender({ phone: hidden, quoted: 'q0' });
		expect(known.map(({ id }) => id)).toEqual(['a']);
		expect(nameOf(runs)).toBe(hidden);
		expect(found(runs, hidden)).toEqual(['a 0']);
		expect(runs.asks({ phone: hidden })).toBe(true);
		expect(runs.get('a')?.people.get(1)).not.toHaveProperty('sender');
		expect(runs.learnSender({ phone: hidden, quoted: 'q0' })).toEqual([]);
	});

	test('is still known when a newer state of the run is added, and is not counted as another person', () => {
		const runs = make();
		runs.learnSender({ phone: hidden, quoted: 'q0' });
		expect(runs.people).toBe(3);
		runs.set({ ...runs.get('a')! });
		expect(runs.people).toBe(3);
		expect(found(runs, hidden)).toEqual(['a 0']);
		expect(found(runs, hidden, 'q0')).toEqual(['a 0']);
	});

	test.each([
		['a phone number', undefined, anna, 'q0'],
		['a number that quotes the question to somebody else', undefined, berta, 'q0'],
		['nothing', undefined, '', 'q0'],
		['a name without a quote', undefined, hidden, undefined],
		['a name that quotes another message', undefined, hidden, 'q2'],
		['another name than before', 'US.first', hidden, 'q0'],
	])('is not learned from %s', (_, sender, phone, quoted) => {
		const runs = make(sender);
		expect(runs.learnSender({ phone, quoted })).toEqual([]);
		expect(nameOf(runs)).toBe(sender);
	});

	test('is learned only for the quoted question, if the person was asked several', () => {
		const ask = (item: number) => personOf(item, { to: anna, askedMessageId: `q${item}` });
		const runs = runsOf(asking('a', [ask(0), ask(1)]));
		runs.learnSender({ phone: hidden, quoted: 'q0' });
		expect(runs.learnSender({ phone: hidden, quoted: 'q1' })).toHaveLength(1);
		expect(found(runs, hidden)).toEqual(['a 1', 'a 0']);
		const senders = [...runs.get('a')!.people.values()].map(({ sender }) => sender);
		expect(senders).toEqual([hidden, hidden]);
	});
});

test('a run that is removed finds nobody any more, and the other runs stay', () => {
	const ask = () => personOf(0, { askedMessageId: 'q0', sender: hidden });
	const runs = runsOf(asking('a', [ask(), personOf(1)]), asking('b', [ask()]));
	expect([runs.size, runs.people]).toEqual([2, 3]);
	expect(runs.all().map(({ id }) => id)).toEqual(['a', 'b']);
	runs.delete('a');
	expect([runs.size, runs.people]).toEqual([1, 1]);
	expect(runs.get('a')).toBeUndefined();
	for (const name of [anna, hidden]) expect(found(runs, name)).toEqual(['b 0']);
	expect(runs.asks({ phone: berta })).toBe(false);
	runs.delete('a');
	runs.delete('b');
	expect([runs.size, runs.people]).toEqual([0, 0]);
	for (const phone of [anna, hidden]) expect(runs.asks({ phone })).toBe(false);
	expect(runs.asks({ phone: '', quoted: 'q0' })).toBe(false);
});

test('a run that has asked one phone twice is removed too', () => {
	const runs = runsOf(asking('a', [personOf(0), personOf(1, { to: anna })]));
	expect(found(runs, anna)).toEqual(['a 1', 'a 0']);
	runs.delete('a');
	expect(found(runs, anna)).toEqual([]);
});

test('a newer state of a run replaces the earlier one', () => {
	const runs = runsOf(asking('a', [personOf(0), personOf(1)]));
	runs.set(asking('a', [personOf(1, { askedMessageId: 'q1' }), personOf(2)]));
	expect([runs.size, runs.people]).toEqual([1, 2]);
	expect(runs.asks({ phone: anna })).toBe(false);
	expect(found(runs, berta, 'q1')).toEqual(['a 1']);
	expect(found(runs, '', 'q1')).toEqual(['a 1']);
});
