/** What a process writes to a shared list besides its claims, and when it is removed, in virtual time. */
import { range, times } from 'lodash';

import { Claims } from '../../../nodes/BusinessMessaging/execution/claims';
import { Process, isMark, watched } from './claimProcess';

let one: Process;
beforeEach(() => (one = new Process()));

describe('a question', () => {
	test('about a missing entry adds it, says no, and removes it twice', () => {
		one.claims.ask('sent a');
		one.work();
		expect(one.verdicts['sent a']).toEqual([false, 10]);
		expect(one.calls).toEqual([
			[0, 'add', 'sent a', 'list'],
			[20, 'remove', 'sent a'],
			[2_030, 'remove', 'sent a'],
		]);
		expect(one.list).toEqual(new Set(['list', 'older']));
	});

	test('about a known entry is asked again after 14 s, unless the process is alone', () => {
		one.claims.ask('older');
		one.work();
		expect(one.verdicts.older).toEqual([true, 10 + watched + 10]);
		expect(one.calls.map(([at]) => at)).toEqual([0, 10 + watched]);
		one.calls = [];
		const start = one.now;
		one.claims.ask('older');
		one.work();
		expect([one.verdicts.older, one.calls.length]).toEqual([[true, start + 20], 1]);
	});

	test('about an entry that only the question of another process had added is answered with no', () => {
		one.claims.ask('older');
		one.work(1_000);
		one.claims.ask('older'); // a second run does not trust the first answer either
		one.list.delete('older');
		one.work();
		expect(one.verdicts.older).toEqual([false, 10 + watched + 10]);
	});

	test('about an entry that this process adds is answered with yes at once', () => {
		one.claims.add('sent a');
		one.claims.ask('sent a');
		one.work();
		expect(one.verdicts['sent a']).toEqual([true, 10]);
		expect(one.list.has('sent a')).toBe(true);
	});

	test.each([
		[15, 50],
		[1_000, 1_010],
	])(
		'that is repeated after %i ms, before the entry of the first one is gone, is answered with no after %i ms',
		(pause, at) => {
			one.claims.ask('sent a');
			one.work(pause);
			one.list.add('sent a'); // the removal was overwritten
			one.claims.ask('sent a');
			one.work();
			expect(one.verdicts['sent a']).toEqual([false, at]);
			expect(one.list.has('sent a')).toBe(false);
		},
	);

	test('is answered while another one is asked again', () => {
		one.claims.ask('older');
		one.claims.ask('sent a');
		one.work();
		expect(one.verdicts).toEqual({ 'sent a': [false, 10], older: [true, 10 + watched + 10] });
		expect(one.claims.unwritten).toEqual([]);
	});

	test('leaves its entry until the second removal, whatever is removed before', () => {
		one.claims.ask('sent a');
		one.work(1_000);
		one.claims.remove('older');
		one.work();
		expect(one.calls.slice(2)).toEqual([
			[1_000, 'remove', 'older'],
			[2_030, 'remove', 'sent a'],
		]);
	});

	test('does not make the process look more often while it waits', () => {
		one.claims.ask('sent a');
		one.work(500);
		expect(one.claims.next(500)).toBe(30 + 2_000);
		one = new Process();
		one.claims.ask('older');
		one.work(500);
		expect(one.claims.next(500)).toBe(10 + watched);
	});
});

describe('entries to add', () => {
	test('wait for another call, unless they are flushed', () => {
		one.claims.add('sent a');
		expect(one.claims.next(0)).toBeUndefined();
		expect(one.claims.unwritten).toEqual(['sent a']);
		one.work(Infinity, true);
		expect([one.claims.unwritten, one.calls]).toEqual([[], [[0, 'add', 'sent a', 'list']]]);
	});

	test('are added again by each call for 14 s, because others may overwrite them', () => {
		one.claims.add('sent a');
		one.claims.want('older');
		one.work();
		expect(one.calls).toEqual([[0, 'add', 'sent a', 'older', 'list']]);
		for (const [later, isAgain] of [
			[5_000, true],
			[10 + watched, true],
		] as const) {
			one.list.delete('sent a');
			for (const n of [1, 2]) one.list.add(`foreign ${later} ${n}`);
			one.now = later;
			one.claims.want('older');
			one.work();
			expect(one.list.has('sent a')).toBe(isAgain);
		}
		one.list.delete('sent a');
		one.now = 10 + watched + 1;
		one.claims.want('older');
		one.work();
		expect(one.list.has('sent a')).toBe(false);
	});

	test('are added by two calls of a process that is alone', () => {
		one.becomeAlone();
		one.claims.add('sent a');
		times(3, () => {
			one.claims.want('older');
			one.work();
		});
		expect(one.calls.map(([, , ...entries]) => entries)).toEqual([
			['sent a', 'older'],
			['sent a', 'older'],
			['older'],
		]);
	});

	test('take the place of a removal, and a removal takes theirs', () => {
		one.claims.remove('a');
		one.claims.add('a');
		one.work(Infinity, true);
		expect(one.calls).toEqual([[0, 'add', 'a', 'list']]);
		one.calls = [];
		one.claims.add('b');
		one.claims.remove('b');
		one.work(Infinity, true);
		expect(one.calls).toEqual([[20, 'remove', 'b']]);
	});

	test('are not removed by the second removal of an earlier question', () => {
		one.claims.ask('sent a');
		one.work(1_000);
		one.claims.add('sent a');
		one.work(Infinity, true);
		expect(one.list.has('sent a')).toBe(true);
	});
});

describe('entries to remove', () => {
	test('are removed at most 100 at a time', () => {
		for (const n of range(101)) one.claims.remove(`a${n}`);
		one.work();
		expect(one.calls.map(([, , ...entries]) => entries.length)).toEqual([100, 1]);
	});

	test('are removed before anything is added', () => {
		one.claims.want('a');
		one.claims.remove('older');
		one.work(25);
		expect(one.calls).toEqual([
			[0, 'remove', 'older'],
			[20, 'add', 'a'],
		]);
	});

	test('are unwritten until then, also those of a question, which are removed twice', () => {
		one.claims.remove('older');
		expect(one.claims.unwritten).toEqual(['older']);
		one.claims.forget('older');
		expect(one.claims.unwritten).toEqual([]);
		one.claims.ask('sent a');
		one.work(1_000);
		expect(one.claims.unwritten).toEqual(['sent a']);
		one.work();
		expect(one.claims.unwritten).toEqual([]);
	});
});

describe('the marks of calls', () => {
	const marks = () => [...one.list].filter(isMark);

	test('are removed in groups, once their claims are no longer watched', () => {
		one = new Process(new Claims('this', 3)).becomeAlone();
		const counts = ['a', 'b', 'c'].map((entry) => {
			one.claims.want(entry);
			one.work(one.now + 15);
			const whileWatched = marks().length;
			one.work();
			return [whileWatched, marks().length];
		});
		expect(counts).toEqual([
			[2, 2],
			[3, 0],
			[1, 1],
		]);
	});

	test('are forgotten when a full list loses its oldest entries', () => {
		one = new Process(new Claims('this', 2)).becomeAlone();
		one.lost = one.list.size;
		one.claims.want('a');
		one.work(one.now + 15);
		one.lost = 0;
		one.work();
		expect(one.calls.map(([, method]) => method)).toEqual(['add', 'add']);
	});

	test('belong to one process and one call each', () => {
		const other = new Process(new Claims('other'));
		for (const each of [one, other]) {
			each.claims.want('a');
			each.work(1_000);
			each.claims.want('b');
			each.work(2_500);
		}
		const all = [one, other].flatMap(({ list }) => [...list].filter(isMark));
		expect(new Set(all).size).toBe(4);
	});

	test('are only in calls that want something', () => {
		one.claims.ask('older');
		one.claims.add('sent a');
		one.work(1_000);
		expect(marks()).toEqual([]);
	});
});

describe('if the list cannot be written', () => {
	test('nothing waits for a verdict any more, and only a process that is alone frees what it watches', () => {
		for (const isAlone of [false, true]) {
			one = new Process();
			if (isAlone) one.becomeAlone();
			one.claims.want('watched');
			one.claims.ask('older');
			one.work(one.now + 15);
			one.claims.want('wanted');
			one.claims.ask('asked');
			one.claims.giveUp(one.now);
			expect(one.claims.unwritten).toEqual(isAlone ? ['watched'] : []);
			one.calls = [];
			one.work();
			expect(one.calls).toEqual(isAlone ? [[expect.any(Number), 'remove', 'watched']] : []);
		}
	});

	test('an entry that is forgotten is not written later', () => {
		one.claims.add('a');
		one.claims.forget('a');
		one.work(Infinity, true);
		expect(one.calls).toEqual([]);
	});
});

describe('after the list was deleted', () => {
	test('what waits is wanted and asked again, and what was to be written is forgotten', () => {
		one.claims.want('watched');
		one.claims.ask('older');
		one.work(1_000);
		one.claims.want('wanted');
		one.claims.ask('asked');
		one.claims.add('added');
		one.claims.remove('removed');
		one.list.clear();
		one.claims.noteCleared(one.now);
		one.calls = [];
		one.work(1_025);
		const [[, method, ...entries]] = one.calls;
		expect([method, new Set(entries)]).toEqual([
			'add',
			new Set(['watched', 'wanted', 'older', 'asked', 'list']),
		]);
		expect(Object.keys(one.verdicts).sort()).toEqual(['asked', 'older', 'wanted', 'watched']);
		expect(one.claims.hasMet(one.now)).toBe(false);
	});
});
