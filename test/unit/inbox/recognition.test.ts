/** What an owner finds out before it decides on a message: whether it is a copy, whether the run still waits, and whether the question can be repeated. */
import type { Arrival, Run, RunState } from '../../../nodes/BusinessMessaging/inbox/core';
import { begin, settle } from './clock';
import { OneTrigger } from './oneTrigger';
import { arrivalOf, byItem, messageOf, other, personOf, questionOf, runOf, third } from './parts';

const berta = { phone: '+15550001001' };
const unnamed = arrivalOf('hello', { isCertain: false });
const named = (id: string, startedAt = begin) => runOf({ id, startedAt });

function triggerWith(...runs: Run[]): OneTrigger {
	const n8n = new OneTrigger();
	for (const run of runs) n8n.inbox.known.merge(run);
	return n8n;
}

/** Delivers a message. @returns what it is */
async function deliver(
	n8n: OneTrigger,
	message: Arrival,
	how: 'received' | 'lost' | 'failed' = 'received',
): Promise<string> {
	const delivery = n8n.delivery();
	const verdicts = await n8n.inbox.consume(delivery, [message]);
	delivery.end(how);
	await settle();
	return verdicts === 'busy' ? verdicts : verdicts[0].is;
}
/** Another trigger forwards a message, under its own name if nothing identifies it. */
const forward = async (n8n: OneTrigger, message: Arrival, from = other) =>
	(await n8n.receive({ is: 'message', from, message })).verdict?.is;
const copy = (n: number) => ({ ...unnamed, key: `hello~${n}` });
const grouped = { questions: [questionOf({ groupMs: 600_000 })] };
const keysOf = ({ inbox }: OneTrigger) =>
	inbox.known.runs
		.all()
		.flatMap(({ people }) =>
			[...people.values()].flatMap(({ messages }) => messages.map(({ key }) => key)),
		);

describe('of messages that nothing identifies', () => {
	test('each delivery is another message, if the response to the one before has arrived', async () => {
		const n8n = triggerWith(named('run-0000001'), named('run-0000002', begin - 1));
		const results = [];
		for (let n = 0; n < 3; n++) results.push(await deliver(n8n, unnamed));
		expect(results).toEqual(['taken', 'taken', 'ordinary']);
		expect(new Set(keysOf(n8n)).size).toBe(2);
	});

	test.each(['lost', 'failed'] as const)(
		'a delivery is the same message if the response to the one before is %s',
		async (how) => {
			const n8n = triggerWith(named('run-0000001'), named('run-0000002', begin - 1));
			for (const end of [how, how, 'received'] as const)
				expect(await deliver(n8n, unnamed, end)).toBe('taken');
			expect(keysOf(n8n)).toHaveLength(1);
			expect(await deliver(n8n, unnamed)).toBe('taken');
			expect(keysOf(n8n)).toHaveLength(2);
		},
	);

	test('the copies of other triggers are the same message, for two minutes', async () => {
		const n8n = triggerWith({ ...named('run-0000001'), ...grouped });
		await deliver(n8n, unnamed);
		await n8n.pass(119_999);
		for (const from of [other, other]) expect(await forward(n8n, copy(1), from)).toBe('taken');
		expect(keysOf(n8n)).toHaveLength(1);
		// A second message of the same trigger is another message.
		expect(await forward(n8n, copy(2))).toBe('taken');
		expect(keysOf(n8n)).toHaveLength(2);
		await n8n.pass(1);
		for (const [n, count] of [
			[1, 2],
			[2, 3],
		]) {
			expect(await forward(n8n, copy(n), third)).toBe('taken');
			expect(keysOf(n8n)).toHaveLength(count);
		}
		await n8n.pass(120_000);
		// However late a trigger repeats what it has said, it is the same message.
		expect(await forward(n8n, copy(1))).toBe('taken');
		expect(keysOf(n8n)).toHaveLength(3);
	});

	test('two that come at the same moment are two', async () => {
		const n8n = triggerWith({ ...named('run-0000001'), ...grouped });
		const deliveries = [n8n.delivery(), n8n.delivery()];
		for (const delivery of deliveries) void n8n.inbox.consume(delivery, [unnamed]);
		await settle();
		expect(keysOf(n8n)).toHaveLength(2);
	});

	test('the copies of several equal messages belong to them in their order', async () => {
		const n8n = triggerWith(named('run-0000001'));
		expect([await deliver(n8n, unnamed), await deliver(n8n, unnamed)]).toEqual([
			...['taken', 'ordinary'],
		]);
		expect([await forward(n8n, copy(1)), await forward(n8n, copy(2))]).toEqual([
			...['taken', 'ordinary'],
		]);
		expect(await forward(n8n, { ...copy(3), key: 'another~1' })).toBe('ordinary');
		expect(keysOf(n8n)).toHaveLength(1);
	});

	test('the name of a copy may contain the same sign', async () => {
		const n8n = triggerWith({ ...named('run-0000001'), ...grouped });
		await forward(n8n, { ...unnamed, key: 'hello~1~2' });
		await deliver(n8n, unnamed);
		expect(keysOf(n8n)).toHaveLength(1);
	});
});

test('a trigger is concerned with messages of people who are asked, of settled replies, and with equal ones that it knows', async () => {
	const n8n = triggerWith(named('run-0000001'));
	const concerns = (message: Arrival) => n8n.inbox.concerns(message);
	expect(concerns(arrivalOf('m1'))).toBe(true);
	expect(concerns(arrivalOf('m1', berta))).toBe(false);
	n8n.inbox.known.settle('m1');
	expect(concerns(arrivalOf('m1', berta))).toBe(true);
	expect(concerns({ ...unnamed, ...berta })).toBe(false);
	await deliver(n8n, { ...unnamed, ...berta });
	expect(concerns({ ...unnamed, ...berta })).toBe(true);
});

describe('a run is asked whether it still waits', () => {
	test('when a message comes, but at most once in five seconds', async () => {
		const n8n = triggerWith({ ...named('run-0000001'), ...grouped });
		const times = async () => {
			await deliver(n8n, arrivalOf(`m${n8n.time}`));
			return n8n.runCalls.map(({ at }) => at);
		};
		expect(await times()).toEqual([0]);
		await n8n.pass(4_999);
		expect(await times()).toEqual([0]);
		await n8n.pass(1);
		expect(await times()).toEqual([0, 5_000]);
		expect(n8n.runCalls.map(({ record }) => record)).toEqual([undefined, undefined]);
		expect(keysOf(n8n)).toEqual(['m0', 'm4999', 'm5000']);
	});

	test('once for all messages of one moment', async () => {
		const people = byItem([personOf(0), personOf(1)]);
		const n8n = triggerWith({ ...named('run-0000001'), people });
		const results = [deliver(n8n, arrivalOf('m1')), deliver(n8n, arrivalOf('m2', berta))];
		await n8n.pass(1_000);
		expect(await Promise.all(results)).toEqual(['taken', 'taken']);
		expect(n8n.runCalls.filter(({ record }) => record === undefined)).toHaveLength(1);
	});

	test('and other runs do not wait for its response', async () => {
		const people = byItem([personOf(1)]);
		const n8n = triggerWith(named('run-0000001'), { ...named('run-0000002'), people });
		n8n.state = async () => (n8n.runCalls.length === 1 ? await new Promise(() => {}) : 'waiting');
		void deliver(n8n, arrivalOf('m1'));
		await settle();
		expect(await deliver(n8n, arrivalOf('m2', berta))).toBe('taken');
	});

	test('only when all were asked', async () => {
		const n8n = triggerWith({ ...named('run-0000001'), isWhole: false });
		n8n.inbox.known.merge(runOf({ id: 'run-0000001', ...grouped, isWhole: false }));
		expect(await deliver(n8n, arrivalOf('m1'))).toBe('taken');
		expect(n8n.runCalls).toEqual([]);
	});

	test.each<[RunState, Partial<Run>, string, isOver: boolean]>([
		['waiting', {}, 'taken', false],
		['unknown', {}, 'taken', false],
		['stopped', {}, 'ordinary', true],
		['finished', {}, 'ordinary', true],
		['running', {}, 'taken', false],
		['running', { leaseUntil: begin - 1 }, 'ordinary', true],
		['broken', { leaseUntil: begin - 1 }, 'ordinary', true],
	])(
		'after "%s" (%j), the message is %s (the run is over: %j)',
		async (state, more, is, isOver) => {
			const n8n = triggerWith({
				...named('run-0000001'),
				people: byItem([personOf(0), personOf(1)]),
				...more,
			});
			n8n.state = () => state;
			expect(await deliver(n8n, arrivalOf('m1'))).toBe(is);
			// A run that is over and has no replies is settled at once.
			await n8n.pass(1);
			expect(n8n.inbox.known.isSettled('run-0000001')).toBe(isOver);
		},
	);

	test('and if it gets its replies or is forgotten meanwhile, the message is ordinary', async () => {
		for (const change of ['handing', 'forgotten']) {
			const n8n = triggerWith({ ...named('run-0000001'), ...grouped });
			const { known } = n8n.inbox;
			n8n.state = () => {
				if (change === 'forgotten') known.forget('run-0000001');
				else known.merge({ ...named('run-0000001'), handing: [] });
				return 'stopped';
			};
			expect(await deliver(n8n, arrivalOf('m1'))).toBe('ordinary');
			expect(known.runs.get('run-0000001')?.isOver).toBe(
				change === 'forgotten' ? undefined : false,
			);
		}
	});
});

describe('a message that does not fit', () => {
	const approval = () => ({
		...named('run-0000001'),
		questions: [questionOf({ kind: 'approval', repeats: 1 })],
		people: byItem([personOf(0), personOf(1)]),
	});
	const maybe = (key: string) => arrivalOf(key, { text: 'maybe' });
	const personIn = ({ inbox }: OneTrigger) => inbox.known.runs.get('run-0000001')!.people.get(0)!;

	test('lets the question be repeated once, also if it is delivered again', async () => {
		const n8n = triggerWith(approval());
		const delivery = n8n.delivery();
		expect(await n8n.inbox.consume(delivery, [maybe('m1')])).toMatchObject([
			{ is: 'taken', isNew: true },
		]);
		expect(delivery.isStoring()).toBe(true);
		delivery.end();
		for (const receive of [deliver, forward]) expect(await receive(n8n, maybe('m1'))).toBe('taken');
		expect(n8n.repeated).toEqual([{ to: '+15550001000', key: 'm1' }]);
		expect(personIn(n8n).repeatedAfter).toEqual(['m1']);
		n8n.restart();
		expect(await deliver(n8n, maybe('m1'))).toBe('taken');
		expect(n8n.repeated).toHaveLength(1);
		expect(await deliver(n8n, maybe('m2'))).toBe('taken');
		expect(personIn(n8n)).toMatchObject({ isAccepted: false, messages: [{ key: 'm2' }] });
	});

	test('is the reply if the question certainly cannot be repeated', async () => {
		const n8n = triggerWith(approval());
		n8n.canRepeat = () => false;
		expect(await deliver(n8n, maybe('m1'))).toBe('taken');
		expect(n8n.repeated).toHaveLength(1);
		expect(personIn(n8n)).toMatchObject({ isAccepted: false, messages: [{ key: 'm1' }] });
	});

	test.each<[what: string, change: (run: Run) => Run | undefined]>([
		[
			'turns out not to have asked the person',
			(run) => ({
				...run,
				people: byItem([personOf(0, { isNotAsked: true, repeatedAfter: ['r'] }), personOf(1)]),
			}),
		],
		['is over and forgotten', () => undefined],
		['does not know the person', (run) => ({ ...run, people: byItem([personOf(1)]) })],
	])(
		'counts for another question if the run %s while the question is repeated',
		async (_, change) => {
			const first = approval();
			const n8n = triggerWith(first, named('run-0000002', begin - 1));
			const { known } = n8n.inbox;
			n8n.canRepeat = () => {
				const run = change(first);
				known.forget('run-0000001');
				if (run) known.merge(run);
				return true;
			};
			expect(await deliver(n8n, maybe('m1'))).toBe('taken');
			expect(known.runs.get('run-0000002')!.people.get(0)!.messages).toMatchObject([{ key: 'm1' }]);
		},
	);

	test('and a fitting one at the same moment are decided in their order', async () => {
		const n8n = triggerWith(approval());
		let finish: (isSent: boolean) => void;
		n8n.canRepeat = async () => await new Promise((resolve) => (finish = resolve));
		const first = deliver(n8n, maybe('m1'));
		const second = deliver(n8n, arrivalOf('m2', { text: 'yes' }));
		await settle();
		expect(personIn(n8n).messages).toEqual([]);
		finish!(true);
		await n8n.pass(1_000);
		expect([await first, await second]).toEqual(['taken', 'taken']);
		expect(personIn(n8n)).toMatchObject({ repeatedAfter: ['m1'], messages: [{ key: 'm2' }] });
		expect(personIn(n8n).isAccepted).toBe(true);
	});

	test('does not let other people wait, nor the same person at another trigger', async () => {
		const [n8n, another] = [triggerWith(approval()), triggerWith(approval())];
		n8n.canRepeat = async () => await new Promise(() => {});
		void deliver(n8n, maybe('m1'));
		await settle();
		expect(await deliver(n8n, arrivalOf('m2', { ...berta, text: 'yes' }))).toBe('taken');
		expect(await deliver(another, arrivalOf('m3', { text: 'yes' }))).toBe('taken');
	});
});

test.each<[what: string, isOptOut: boolean, startsToo: boolean]>([
	['an opt-out', true, true],
	['another reply', false, false],
])('%s that is a reply to free text, also starts workflows: %j', async (_, isOptOut, startsToo) => {
	const n8n = triggerWith(named('run-0000001'));
	const message = arrivalOf('m1', { isOptOut });
	const verdict = async () => {
		const delivery = n8n.delivery();
		const verdicts = await n8n.inbox.consume(delivery, [message]);
		delivery.end();
		return verdicts;
	};
	expect(await verdict()).toEqual([{ is: 'taken', startsToo, isNew: true }]);
	// The decision is the same for copies, also after the run is settled.
	n8n.inbox.known.merge({ ...named('run-0000001'), isOver: true, got: ['m1'] });
	expect(await forward(n8n, message)).toBe('taken');
	n8n.restart();
	n8n.inbox.known.settle('m1');
	expect(await verdict()).toEqual([{ is: 'taken', startsToo }]);
});

test('a message whose question another owner has is not decided here', async () => {
	const n8n = triggerWith({ ...named('run-0000001'), owner: other });
	expect(await forward(n8n, arrivalOf('m1'), third)).toBe('ordinary');
	expect(n8n.runCalls).toEqual([]);
});

test('a name that a message shows is learned from a copy too', async () => {
	const people = byItem([personOf(0, { askedMessageId: 'q' })]);
	const n8n = triggerWith({ ...named('run-0000001'), people });
	expect(await forward(n8n, arrivalOf('m1', { phone: 'US.1', quoted: 'q' }))).toBe('taken');
	const [person] = n8n.inbox.known.runs.get('run-0000001')!.people.values();
	expect(person).toMatchObject({ sender: 'US.1', messages: [messageOf('m1')] });
});
