/** How the owner gives a run its replies, and what it does with those that the run cannot get. */
import { type Run, type RunState, isOpen } from '../../../nodes/BusinessMessaging/inbox/core';
import type { CallResult, TriggerRequest } from '../../../nodes/BusinessMessaging/inbox/ports';
import { fromRecord, toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { begin } from './clock';
import { OneTrigger } from './oneTrigger';
import {
	arrivalOf,
	byItem,
	messageOf,
	other,
	own,
	personOf,
	questionOf,
	runOf,
	third,
} from './parts';

const id = 'run-0000001';
const run = (more: Partial<Run> = {}) => runOf({ id, startedAt: begin, ...more });
const replied = (more: Partial<Run> = {}) =>
	run({
		people: byItem([personOf(0, { messages: [messageOf('m1')], isAccepted: true })]),
		...more,
	});

function owning(one: Run, state: RunState = 'accepted'): OneTrigger {
	const n8n = new OneTrigger();
	n8n.state = () => state;
	n8n.inbox.known.merge(one);
	return n8n;
}
/** The calls with replies: when they were made, s, and the keys in them. */
const given = ({ runCalls }: OneTrigger) =>
	runCalls.flatMap(({ at, record }) => {
		const people = record && fromRecord(id, record, own)!.people.values();
		return people
			? [[at / 1_000, [...people].flatMap(({ messages }) => messages.map(({ key }) => key))]]
			: [];
	});
const isSettled = ({ inbox }: OneTrigger, key = id) => inbox.known.isSettled(key);
/** The late replies with which the workflow was started. */
const late = ({ calls }: OneTrigger) =>
	calls.flatMap(({ request }) => (request.is === 'late' ? [request.keys] : []));
const storedRun = ({ stored, ...n8n }: OneTrigger) =>
	fromRecord(id, OneTrigger.prototype.unseal.call(n8n, stored?.[id] ?? ''), own);

describe('a run gets its replies', () => {
	test('at once when all have replied, and is then settled', async () => {
		const n8n = owning(run());
		const delivery = n8n.delivery();
		await n8n.inbox.consume(delivery, [arrivalOf('m1')]);
		delivery.end();
		await n8n.pass(1_000);
		expect(given(n8n)).toEqual([[0, ['m1']]]);
		expect(n8n.inbox.known.runs.size).toBe(0);
		expect([id, 'm1', 'm2'].map((key) => isSettled(n8n, key))).toEqual([true, true, false]);
		expect(Object.keys(n8n.stored!)).toEqual(['settled']);
		expect(late(n8n)).toEqual([]);
		// n8n is called once more, so that it stores that the run is settled.
		expect(n8n.calls).toContainEqual({ at: 0, url: own, request: { is: 'sync' } });
	});

	test('when its time is up, and then those that came so far', async () => {
		const people = byItem([personOf(0, { messages: [messageOf('m1')] }), personOf(1)]);
		const n8n = owning(run({ people }));
		await n8n.pass(599_999);
		expect(given(n8n)).toEqual([]);
		await n8n.pass(1);
		expect(given(n8n)).toEqual([[600, ['m1']]]);
	});

	test('later if its time limit is extended, and earlier if the last reply comes', async () => {
		const n8n = owning(run());
		await n8n.pass(1_000);
		n8n.inbox.known.merge(run({ until: begin + 700_000 }));
		await n8n.pass(650_000);
		expect(given(n8n)).toEqual([]);
		n8n.inbox.known.merge(replied());
		await n8n.pass(1);
		expect(given(n8n)).toEqual([[651, ['m1']]]);
	});

	test('only after n8n has stored which ones', async () => {
		const n8n = owning(replied());
		let handing: string[] | undefined;
		n8n.state = () => {
			handing = storedRun(n8n)?.handing;
			return 'accepted';
		};
		await n8n.pass(1_000);
		expect(handing).toEqual(['m1']);
	});

	test.each<[CallResult, TriggerRequest['is']]>([
		[undefined, 'sync'],
		['gone', 'sync'],
		[{ inbox: 'no' }, 'sync'],
	])('as soon as n8n can store which ones: not after %j', async (result) => {
		const n8n = owning(replied());
		n8n.answer = () => result;
		await n8n.pass(2_000);
		expect(given(n8n)).toEqual([]);
		n8n.answer = undefined;
		await n8n.pass(10_000);
		expect(given(n8n)).toHaveLength(1);
	});

	test.each(['finished', 'gone'] as const)(
		'also if the process is restarted while it gives them (then n8n says "%s")',
		async (state) => {
			const n8n = owning(replied(), 'unknown');
			await n8n.pass(100);
			expect(storedRun(n8n)?.handing).toEqual(['m1']);
			n8n.state = () => state;
			n8n.restart();
			await n8n.pass(1_000);
			expect(given(n8n).at(-1)).toEqual([0.1, ['m1']]);
			expect(isSettled(n8n)).toBe(true);
			expect(late(n8n)).toEqual([]);
		},
	);

	test('again and again, after pauses that double up to ten seconds, until it is long past', async () => {
		const n8n = owning(replied(), 'unknown');
		await n8n.pass(40_000);
		const times = [0, 0.05, 0.15, 0.35, 0.75, 1.55, 3.15, 6.35, 12.75, 22.75, 32.75];
		expect(given(n8n).map(([at]) => at)).toEqual(times);
		expect(new Set(given(n8n).map(([, keys]) => String(keys)))).toEqual(new Set(['m1']));
		await n8n.pass(680_000);
		expect(isSettled(n8n)).toBe(false);
		await n8n.pass(20_000);
		expect(late(n8n)).toEqual([['m1']]);
		expect(isSettled(n8n)).toBe(true);
	});

	test('and a message that comes while it gets them starts the workflow', async () => {
		const n8n = owning(replied());
		const messages = [messageOf('m1'), messageOf('m2')];
		n8n.state = () => {
			n8n.inbox.known.merge(run({ people: byItem([personOf(0, { messages })]) }));
			return 'accepted';
		};
		await n8n.pass(1_000);
		expect(given(n8n)).toEqual([[0, ['m1']]]);
		expect(late(n8n)).toEqual([['m2']]);
		expect(isSettled(n8n)).toBe(true);
	});

	test('not any more once its time is long past; n8n is then called less and less often', async () => {
		const n8n = owning(replied());
		n8n.answer = () => undefined;
		await n8n.pass(86_400_000);
		const gaps = n8n.calls.slice(1).map(({ at }, index) => at - n8n.calls[index].at);
		const past = n8n.calls.findIndex(({ at }) => at > 720_000);
		expect(gaps.slice(past, past + 5)).toEqual([50, 100, 200, 400, 800]);
		expect(Math.max(...gaps.slice(0, past))).toBe(10_000);
		expect(gaps.at(-1)).toBe(600_000);
		n8n.answer = undefined;
		await n8n.pass(600_000);
		expect(isSettled(n8n)).toBe(true);
	});

	test('what was chosen before, even if another message has come meanwhile', async () => {
		const n8n = owning(replied(), 'unknown');
		await n8n.pass(100);
		const messages = [messageOf('m0', { respondedAt: 'a' }), messageOf('m1')];
		n8n.inbox.known.merge(run({ people: byItem([personOf(0, { messages })]) }));
		n8n.state = () => 'accepted';
		await n8n.pass(1_000);
		expect(given(n8n).at(-1)).toEqual([0.15, ['m1']]);
		expect(late(n8n)).toEqual([['m0']]);
	});
});

test.each<[state: RunState, before: RunState, lateKeys: string[][]]>([
	['finished', 'unknown', []],
	['gone', 'unknown', []],
	['gone', 'waiting', [['m1']]],
	['stopped', 'unknown', [['m1']]],
])(
	'if n8n says "%s" after "%s", these replies start the workflow: %j',
	async (state, before, lateKeys) => {
		const n8n = owning(replied(), before);
		await n8n.pass(40);
		n8n.state = () => state;
		await n8n.pass(1_000);
		expect(late(n8n)).toEqual(lateKeys);
		expect(isSettled(n8n)).toBe(true);
	},
);

test('if another process was giving the replies, this one takes the run for one that may have got them', async () => {
	const n8n = owning(replied(), 'gone');
	n8n.answer = (_, request) =>
		request.is === 'sync' && request.run
			? { inbox: 'yes', runs: [[id, toRecord(replied({ handing: ['m1'] }), own)]] }
			: { inbox: 'yes', isStarted: true };
	await n8n.pass(1_000);
	expect(given(n8n)).toEqual([[0, ['m1']]]);
	expect(late(n8n)).toEqual([]);
});

test.each([false, true])(
	'if another process has settled the run, this one forgets it (over: %j)',
	async (isOver) => {
		const n8n = owning(replied({ isOver }));
		n8n.answer = () => ({ inbox: 'yes', isSettled: true, isStarted: true });
		await n8n.pass(1_000);
		expect(given(n8n)).toEqual([]);
		expect(isSettled(n8n)).toBe(true);
		expect(n8n.inbox.known.runs.size).toBe(0);
	},
);

test('if another process knows of more people, the run does not get its replies yet', async () => {
	const n8n = owning(replied());
	const more = run({ people: byItem([...replied().people.values(), personOf(1)]) });
	n8n.answer = () => ({ inbox: 'yes', runs: [[id, toRecord(more, own)]] });
	await n8n.pass(590_000);
	expect(given(n8n)).toEqual([]);
	await n8n.pass(20_000);
	expect(given(n8n)[0]).toEqual([600, ['m1']]);
});

describe('what a run cannot get starts the workflow', () => {
	test('if its asker was killed, two minutes after it was last heard of', async () => {
		const people = byItem([personOf(0, { messages: [messageOf('m1')] }), personOf(1)]);
		const n8n = owning(run({ people, isWhole: false }));
		await n8n.pass(120_000);
		expect(late(n8n)).toEqual([]);
		expect(isOpen(n8n.inbox.known.runs.get(id)!, n8n.now())).toBe(true);
		await n8n.pass(1);
		expect(late(n8n)).toEqual([['m1']]);
		expect(isSettled(n8n)).toBe(true);
		expect(given(n8n)).toEqual([]);
	});

	test('at once if its sender was not asked, and the others still have their time', async () => {
		const written = personOf(0, { messages: [messageOf('m1')], isNotAsked: true });
		const n8n = owning(run({ people: byItem([written, personOf(1)]) }));
		await n8n.pass(1_000);
		expect(late(n8n)).toEqual([['m1']]);
		expect(storedRun(n8n)?.started).toEqual(['m1']);
		expect(given(n8n)).toEqual([]);
		await n8n.pass(600_000);
		expect(given(n8n)).toEqual([[600, []]]);
		expect(late(n8n)).toHaveLength(1);
	});

	test.each<[CallResult]>([
		[undefined],
		['gone'],
		[{ inbox: 'busy' }],
		[{ inbox: 'yes', isStarted: false }],
	])('as soon as n8n can start it: not after %j, and then less and less often', async (result) => {
		const n8n = owning(replied({ isOver: true }));
		n8n.answer = (_, { is }) => (is === 'late' ? result : { inbox: 'yes' });
		await n8n.pass(86_400_000);
		const times = n8n.callTimes('late');
		expect(times.slice(0, 4)).toEqual([0, 0.05, 0.15, 0.35]);
		expect(times.at(-1)! - times.at(-2)!).toBe(600);
		expect(isSettled(n8n)).toBe(false);
		n8n.answer = undefined;
		await n8n.pass(600_000);
		expect(isSettled(n8n)).toBe(true);
	});

	test('once only, though n8n does not store it at first', async () => {
		const n8n = owning(replied({ isOver: true }));
		n8n.answer = (_, { is }) =>
			is === 'late'
				? { inbox: 'yes', isStarted: true }
				: n8n.time < 1_000
					? undefined
					: { inbox: 'yes' };
		await n8n.pass(500);
		expect([late(n8n).length, isSettled(n8n)]).toEqual([1, false]);
		await n8n.pass(5_000);
		expect([late(n8n).length, isSettled(n8n)]).toEqual([1, true]);
	});

	test('and so does a message that comes meanwhile', async () => {
		const n8n = owning(replied({ isOver: true }));
		n8n.answer = (_, { is }) => {
			const messages = [messageOf('m1'), messageOf('m2')];
			if (is === 'late' && late(n8n).length === 1)
				n8n.inbox.known.merge(run({ people: byItem([personOf(0, { messages })]) }));
			return { inbox: 'yes', isStarted: true };
		};
		await n8n.pass(5_000);
		expect(late(n8n)).toEqual([['m1'], ['m2']]);
		expect(isSettled(n8n)).toBe(true);
	});

	test('unless the run is forgotten meanwhile', async () => {
		const n8n = owning(replied({ isOver: true }));
		n8n.answer = () => {
			n8n.inbox.known.forget(id);
			return { inbox: 'yes', isStarted: true };
		};
		await n8n.pass(5_000);
		expect(n8n.calls).toHaveLength(1);
		expect(isSettled(n8n)).toBe(false);
	});
});

describe('the other triggers', () => {
	test('are told two minutes after a run is settled, without the texts of its replies', async () => {
		const triggers = [own, other, third];
		const n8n = owning(replied({ triggers, notAsked: ['secret'], questions: [questionOf()] }));
		await n8n.pass(119_999);
		const told = () => n8n.calls.filter(({ request }) => request.is === 'tell');
		expect(told()).toEqual([]);
		await n8n.pass(1);
		expect(told().map(({ url }) => url)).toEqual([other, third]);
		for (const { url, request } of told()) {
			expect(request).toMatchObject({ id, skewMs: null, without: [] });
			const { run: record } = request as { run: string };
			expect(record).not.toContain('secret');
			const read = fromRecord(id, record, url)!;
			expect(read).toMatchObject({ owner: own, isOver: true });
			expect(read.people.get(0)!.messages).toEqual([{ key: 'm1', text: null, respondedAt: '' }]);
		}
	});

	test('forget a run an hour after its time limit, and check that n8n stores that', async () => {
		const n8n = owning(run({ owner: other }));
		await n8n.pass(1_000_000);
		n8n.inbox.known.merge(run({ owner: other, until: begin + 700_000 }));
		await n8n.pass(3_299_999);
		expect(n8n.inbox.known.runs.size).toBe(1);
		expect(n8n.calls).toEqual([]);
		await n8n.pass(1);
		expect(n8n.inbox.known.runs.size).toBe(0);
		expect(isSettled(n8n)).toBe(false);
		await n8n.pass(30_000);
		expect(n8n.callTimes('sync')).toEqual([4_301, 4_305, 4_321]);
		expect(n8n.runCalls).toEqual([]);
	});

	test('wait for all that the owner tells them, in pauses of at most ten minutes', async () => {
		const n8n = owning(run({ owner: other }));
		await n8n.pass(4_000_000);
		expect(n8n.pauses).toEqual([...Array(7).fill(600_000)]);
	});
});

test('a run is waited for once, however often it changes', async () => {
	const n8n = owning(run());
	for (const until of [begin + 600_000, begin + 700_000]) n8n.inbox.known.merge(run({ until }));
	expect(n8n.pauses).toHaveLength(1);
});

test('a run that is forgotten is not handled any more', async () => {
	const n8n = owning(replied());
	n8n.inbox.known.forget(id);
	await n8n.pass(1_000);
	expect([n8n.calls, n8n.runCalls]).toEqual([[], []]);
});
