/** When a process takes an entry of a shared list: the rules one by one, in virtual time. */
import { range } from 'lodash';

import { Process, isMark, watched } from './claimProcess';

let one: Process;
beforeEach(() => (one = new Process()));

describe('a claim', () => {
	test('on a new list is ours with the first call', () => {
		one.list.clear();
		one.claims.want('a');
		one.work();
		expect([one.verdicts.a, one.calls]).toEqual([[true, 10], [[0, 'add', 'a', 'list']]]);
	});

	test('on a list that others have just created is watched', () => {
		one.list.clear();
		one.between = () => one.list.add('list');
		one.claims.want('a');
		one.work(1_000);
		expect(one.verdicts).toEqual({});
	});

	test('on a list that has lost its oldest entries is watched', () => {
		one.list.delete('list');
		one.claims.want('a');
		one.work(1_000);
		expect(one.verdicts).toEqual({});
	});

	test('of a process that has just begun is watched until it has seen for 14 s that nobody else writes', () => {
		one.claims.want('a');
		one.work();
		expect(one.verdicts.a).toEqual([true, watched + 10]);
		const looks = range(0, watched + 1, 2_000);
		expect(one.calls).toEqual(looks.map((at) => [at, 'add', 'a', ...(at === 0 ? ['list'] : [])]));
	});

	test('of a process that has met others is watched for 14 s, with a look every 2 s', () => {
		const { start } = one.meetOthers();
		one.claims.want('a');
		one.work();
		expect(one.verdicts.a).toEqual([true, start + 14_030]);
		const looks = one.calls.map(([at]) => at - start);
		expect(looks).toEqual([...range(0, watched + 1, 2_000), 14_020]);
	});

	test.each([
		[10, 50],
		[40, 80],
		[700, 1_400],
	])('of a process that is alone, with calls of %i ms, is watched for %i ms', (callMs, age) => {
		const { start } = one.becomeAlone();
		one.callMs = callMs;
		one.claims.want('a');
		one.work();
		expect(one.verdicts.a).toEqual([true, start + callMs + age + callMs]);
		expect(one.calls).toHaveLength(2);
	});

	test('that is in the list already is not ours, which takes one call', () => {
		one.claims.want('older');
		one.work();
		expect([one.verdicts.older, one.calls.length]).toEqual([[false, 10], 1]);
	});

	test('that this process wants or watches already gets no second verdict', () => {
		expect([one.claims.want('a'), one.claims.want('a')]).toEqual([true, false]);
		one.work(1_000);
		expect(one.claims.want('a')).toBe(false);
		one.work();
		expect(one.claims.want('a')).toBe(true);
	});

	test('is lost if its call took more than 10 s, because others may have taken it and finished', () => {
		for (const [entry, callMs] of [
			['slow', 10_000],
			['too slow', 10_001],
		] as const) {
			one = new Process();
			one.callMs = callMs;
			one.claims.want(entry);
			one.work(one.callMs + 1);
			one.callMs = 10;
			one.work();
			expect(one.verdicts[entry][0]).toBe(entry === 'slow');
		}
	});

	test('is kept by a process that is alone, however long the call took', () => {
		one.becomeAlone();
		one.callMs = 20_000;
		one.claims.want('a');
		one.work();
		expect(one.verdicts.a[0]).toBe(true);
	});
});

describe('while a claim is watched', () => {
	/** What another process does to the list, and the verdict with its time. */
	test.each<[string, (entry: string) => boolean, boolean, number]>([
		['has overwritten its call and taken the entry', isMark, false, 4_010],
		[
			'has overwritten its call without the entry: it is watched again',
			(entry) => isMark(entry) || entry === 'a',
			true,
			18_030,
		],
		['has removed only the entry: it is watched again', (entry) => entry === 'a', true, 18_030],
	])('another process %s', (_, isGone, verdict, at) => {
		const { start } = one.meetOthers();
		one.claims.want('a');
		one.work(start + 3_000);
		const latest = [...one.list].filter(isMark).at(-1);
		for (const entry of [...one.list])
			if (isGone(entry) && (!isMark(entry) || entry === latest)) one.list.delete(entry);
		one.work();
		expect(one.verdicts.a).toEqual([verdict, start + at]);
	});

	test.each([
		[4_000, 14_020],
		[4_001, 18_021],
	])(
		'a process that has met others and has not looked for %i ms has its verdict after %i ms',
		(pause, at) => {
			const { start } = one.meetOthers();
			one.claims.want('a');
			one.work(start + 1_000);
			one.now = start + pause - 10;
			one.work();
			expect(one.verdicts.a).toEqual([true, start + at]);
		},
	);

	test('and the call that finds the claim gone took more than 10 s, others may have it', () => {
		for (const [callMs, verdict] of [
			[10_000, true],
			[10_001, false],
		] as const) {
			one = new Process();
			const { start } = one.meetOthers();
			one.claims.want('a');
			one.work(start + 1_000);
			one.list.delete('a');
			one.callMs = callMs;
			one.work(start + 2_001);
			one.callMs = 10;
			one.work();
			expect(one.verdicts.a[0]).toBe(verdict);
		}
	});

	test('a process that is alone may look as late as it likes', () => {
		one.becomeAlone();
		one.claims.want('a');
		one.work(one.now + 15);
		one.now += 10_000;
		one.work();
		expect(one.verdicts.a).toEqual([true, one.now]);
		expect(one.calls).toHaveLength(2);
	});
});

describe('other processes', () => {
	test('are noticed by the size of the list, and count as present for an hour', () => {
		one.becomeAlone();
		one.list.add('foreign');
		expect(one.claims.hasMet(one.now)).toBe(false);
		one.claims.want('older');
		one.work();
		const metAt = one.now;
		expect([one.claims.hasMet(metAt), one.claims.isAlone(metAt)]).toEqual([true, false]);
		const hour = 3_600_000;
		expect(one.claims.hasMet(metAt + hour - 1)).toBe(true);
		expect(one.claims.isAlone(metAt + hour - 1)).toBe(false);
		expect(one.claims.hasMet(metAt + hour)).toBe(false);
		expect(one.claims.isAlone(metAt + hour)).toBe(true);
	});

	test('are noticed by a call of ours that is gone, although the list has the expected size', () => {
		one.claims.want('a');
		one.work(1_000);
		for (const entry of [...one.list].filter(isMark)) {
			one.list.delete(entry);
			one.list.add('foreign');
		}
		one.work(2_011);
		expect(one.claims.hasMet(one.now)).toBe(true);
	});

	test('may be there for the first 14 s of a process, from the start of its first call', () => {
		expect(one.claims.isAlone(1e9)).toBe(false);
		one.now = 1_000;
		one.claims.want('older');
		one.work();
		expect(one.claims.isAlone(1_000 + watched - 1)).toBe(false);
		expect(one.claims.isAlone(1_000 + watched)).toBe(true);
		expect(one.claims.hasMet(1_000)).toBe(false);
	});

	test('change how long a verdict takes', () => {
		one.becomeAlone();
		expect(one.claims.verdictMs(one.now)).toBe(60);
		one.list.add('foreign');
		one.claims.want('older');
		one.work();
		expect(one.claims.verdictMs(one.now)).toBe(watched);
	});
});

test('what is wanted, asked and added during a call is left to the next one', () => {
	one.claims.want('older');
	one.between = () => {
		one.between = () => {};
		one.claims.want('a');
		one.claims.ask('sent a');
		one.claims.add('sent b');
	};
	one.work(15);
	expect(Object.keys(one.verdicts)).toEqual(['older']);
	expect(one.claims.unwritten).toEqual(['sent b']);
	one.work();
	expect(one.calls[1]).toEqual([20, 'add', 'sent b', 'a', 'sent a']);
	expect(one.verdicts).toMatchObject({ a: [true, expect.any(Number)], 'sent a': [false, 30] });
});

describe('after a call', () => {
	test.each([
		[10, 10],
		[1_000, 1_000],
		[1_001, 3_500],
	])('of %i ms, the next one begins after %i ms', (callMs, pause) => {
		one.becomeAlone();
		one.callMs = callMs;
		one.claims.want('older');
		one.work();
		one.claims.want('older');
		one.work();
		const begun = one.calls.map(([at]) => at - one.start);
		expect(begun).toEqual([0, callMs + pause]);
	});
});
