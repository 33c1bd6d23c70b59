/** What a trigger responds to Send and Wait and to other triggers, and what n8n stores of it before that. */
import type { Person, Run } from '../../../nodes/BusinessMessaging/inbox/core';
import type { TriggerRequest } from '../../../nodes/BusinessMessaging/inbox/ports';
import { fromRecord, toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { begin, settle } from './clock';
import { OneTrigger } from './oneTrigger';
import { arrivalOf, byItem, messageOf, other, own, personOf, runOf, third } from './parts';

const id = 'run-0000001';
const run = (more: Partial<Run> = {}) =>
	runOf({ id, startedAt: begin, leaseUntil: begin, ...more });
const asking = (people: Person[], more: Partial<Run> = {}) =>
	run({ isWhole: false, people: byItem(people), ...more });

function triggerWith(...runs: Run[]): OneTrigger {
	const n8n = new OneTrigger();
	for (const one of runs) n8n.inbox.known.merge(one);
	return n8n;
}
type Tell = Extract<TriggerRequest, { is: 'tell' }>;
const tell = async (n8n: OneTrigger, one: Run, more: Partial<Tell> = {}) =>
	await n8n.receive({
		...{ is: 'tell', id: one.id, run: toRecord(one, own), skewMs: 0, without: [] },
		...more,
	});
const runIn = ({ inbox }: OneTrigger, name = id) => inbox.known.runs.get(name);
const sinceOf = (n8n: OneTrigger) => [...runIn(n8n)!.people.values()].map(({ since }) => since);

describe('to the question whether it accepts questions', () => {
	test.each(['yes', 'member', 'no'] as const)('a trigger responds "%s"', async (accepts) => {
		const n8n = triggerWith(run({ owner: other }));
		const delivery = n8n.delivery();
		const response = await n8n.inbox.respond(delivery, { is: 'hello' }, accepts);
		expect(response).toEqual(accepts === 'no' ? { inbox: 'no' } : { inbox: accepts, owner: other });
		expect(delivery.isStoring()).toBe(accepts !== 'no');
	});

	test('a trigger responds that it knows no owner, and stores nothing', async () => {
		const n8n = triggerWith();
		const delivery = n8n.delivery();
		expect(await n8n.inbox.respond(delivery, { is: 'hello' })).toEqual({ inbox: 'yes' });
		expect(delivery.isStoring()).toBe(false);
	});

	test('a trigger responds that 50,000 people are too many', async () => {
		const n8n = triggerWith();
		n8n.inbox.known.runs.people = 49_999;
		expect(await n8n.receive({ is: 'hello' })).toMatchObject({ inbox: 'yes' });
		expect(await tell(n8n, run())).toMatchObject({ inbox: 'yes' });
		expect(await n8n.receive({ is: 'hello' })).toMatchObject({ inbox: 'full' });
		expect(await tell(n8n, run({ id: 'run-0000002' }))).toEqual({ inbox: 'full' });
		// A run that has begun to ask may go on.
		expect(await tell(n8n, run())).toMatchObject({ inbox: 'yes' });
	});
});

describe('a trigger that is told whom a run asks', () => {
	test('stores it before it responds, and responds who has to know of the run', async () => {
		const n8n = triggerWith();
		const people = [personOf(0)];
		const response = await tell(n8n, asking(people, { triggers: [own, other] }));
		expect(response).toEqual({ inbox: 'yes', owner: own, triggers: [own, other], isOver: false });
		expect(Object.keys(n8n.stored!)).toEqual([id]);
		expect(runIn(n8n)).toMatchObject({ leaseUntil: begin + 120_000, isWhole: false });
		n8n.restart();
		expect(runIn(n8n)?.people.size).toBe(1);
	});

	test('responds whether it is only a member', async () => {
		const n8n = triggerWith();
		const request = { is: 'tell' as const, id, run: toRecord(run(), own), skewMs: 0, without: [] };
		const response = await n8n.inbox.respond(n8n.delivery(), request, 'member');
		expect(response).toMatchObject({ inbox: 'member', owner: own });
	});

	test('does not accept what is no run', async () => {
		expect(await tell(triggerWith(), run(), { run: 'no run' })).toEqual({ inbox: 'no' });
	});

	test.each<
		[
			what: string,
			skewMs: number | null,
			person: Partial<Person>,
			more: Partial<Run>,
			since: number,
		]
	>([
		['now, by the clock of the service', 5_000, {}, {}, begin + 6_000],
		['a minute ago, if that clock is not known', null, {}, {}, begin - 59_000],
		['when the service says', 5_000, { since: begin + 250, isSince: true }, {}, begin + 250],
		['when another trigger says', 5_000, {}, { owner: other }, 0],
	])('lets replies count that were written after %s', async (_, skewMs, person, more, since) => {
		const n8n = triggerWith();
		n8n.time = 1_000;
		await tell(n8n, asking([personOf(0, person)], more), { skewMs });
		expect(sinceOf(n8n)).toEqual([since]);
		if (more.owner) return;
		// Later calls change this only if the service says something else.
		n8n.time = 2_000;
		await tell(n8n, asking([personOf(0), personOf(1)]), { skewMs: 0 });
		expect(sinceOf(n8n)).toEqual([since, begin + 2_000]);
		await tell(n8n, asking([personOf(0, { since: begin + 7, isSince: true })]));
		expect(sinceOf(n8n)).toEqual([person.isSince ? since : begin + 7, begin + 2_000]);
	});

	test('lets the run tell a trigger first that was published meanwhile', async () => {
		const n8n = triggerWith(asking([personOf(0)], { triggers: [own, other] }));
		const next = asking([personOf(0), personOf(1)], { triggers: [own] });
		n8n.time = 1_000;
		expect(await tell(n8n, next)).toMatchObject({ inbox: 'yes', triggers: [own, other] });
		expect([...runIn(n8n)!.people.keys()]).toEqual([0]);
		expect(runIn(n8n)!.leaseUntil).toBe(begin + 121_000);
		// Nobody else is asked: there is nothing to be told first.
		await tell(n8n, asking([personOf(0)], { triggers: [own], isWhole: true }));
		expect(runIn(n8n)!.isWhole).toBe(true);
		const whole = triggerWith(asking([personOf(0)], { triggers: [own, other] }));
		await tell(whole, { ...next, isWhole: true });
		expect([...runIn(whole)!.people.keys()]).toEqual([0, 1]);
		const told = triggerWith(asking([personOf(0)], { triggers: [own, other] }));
		await tell(told, { ...next, triggers: [other, own, third] });
		expect([...runIn(told)!.people.keys()]).toEqual([0, 1]);
		const member = triggerWith(asking([personOf(0)], { triggers: [own, third], owner: other }));
		await tell(member, { ...next, owner: other });
		expect([...runIn(member)!.people.keys()]).toEqual([0, 1]);
	});

	test.each<
		[what: string, known: Partial<Run>, told: Partial<Run>, more: Partial<Tell>, inbox: string]
	>([
		['of another owner', { owner: other }, {}, {}, 'other'],
		['of the same owner', { owner: other }, { owner: other }, {}, 'yes'],
		['of an owner that has refused it', { owner: other }, {}, { without: [other] }, 'yes'],
		['that it knows', { owner: other }, { id }, {}, 'yes'],
	])('with open questions responds to a run %s: %s', async (_, known, told, more, inbox) => {
		const n8n = triggerWith(run(known));
		const response = await tell(n8n, run({ id: 'run-0000002', ...told }), more);
		expect(response).toMatchObject({ inbox });
		expect(response.owner).toBe(inbox === 'other' ? other : told.id ? other : (told.owner ?? own));
		expect(n8n.inbox.known.runs.size).toBe(inbox === 'other' || told.id ? 1 : 2);
	});

	test('names no owner that a run could not reach, until that owner calls or another run names it', async () => {
		const ownerIn = async (n8n: OneTrigger) => (await n8n.receive({ is: 'hello' })).owner;
		const without = async () => {
			const n8n = triggerWith(run({ owner: other }), run({ id: 'run-0000003' }));
			n8n.inbox.known.forget('run-0000003');
			await tell(n8n, run({ id: 'run-0000002', owner: third }), { without: [own, other] });
			expect(await ownerIn(n8n)).toBe(third);
			return n8n;
		};
		const called = await without();
		await called.receive({ is: 'message', from: other, message: arrivalOf('m', { phone: 'x' }) });
		expect(await ownerIn(called)).toBe(other);
		const learning = await without();
		await learning.receive({ is: 'learn', from: other });
		expect(await ownerIn(learning)).toBe(other);
		const named = await without();
		await tell(named, run({ id: 'run-0000004', owner: other }));
		expect(await ownerIn(named)).toBe(other);
		// It can always reach itself.
		const self = triggerWith(run());
		await tell(self, run({ id: 'run-0000002', owner: other }), { without: [own] });
		expect(await ownerIn(self)).toBe(own);
	});

	test.each<[what: string, people: Person[], left: string[] | undefined, owner: string]>([
		['the run says so', [personOf(0)], [other], own],
		['the run does not say so', [personOf(0)], [third], other],
		['the run says nothing', [personOf(0)], undefined, other],
		['the former one has a reply', [personOf(0, { messages: [messageOf('m')] })], [other], other],
	])('takes another owner for the run if %s', async (_, people, left, owner) => {
		const n8n = triggerWith(asking(people, { owner: other }));
		const response = await tell(n8n, asking([personOf(0), personOf(1)]), { left });
		expect(response.owner).toBe(owner);
		expect(runIn(n8n)!.owner).toBe(owner);
	});

	test('settles a run of another owner once it is over', async () => {
		const n8n = triggerWith(run({ owner: other }));
		const { known } = n8n.inbox;
		const told = (keys: string[]) =>
			run({
				owner: other,
				isOver: true,
				people: byItem([personOf(0, { messages: keys.map((key) => messageOf(key)) })]),
			});
		expect(await tell(n8n, told(['m1']))).toMatchObject({ isOver: true });
		expect([id, 'm1', 'm2'].map((key) => known.isSettled(key))).toEqual([true, true, false]);
		expect(known.runs.size).toBe(0);
		expect(await tell(n8n, told(['m2']))).toEqual({ inbox: 'yes', isOver: true });
		expect(known.isSettled('m2')).toBe(true);
		expect(await tell(n8n, { ...told(['m3']), isOver: false })).toEqual({
			inbox: 'yes',
			isOver: true,
		});
		expect(known.isSettled('m3')).toBe(false);
		const owner = triggerWith(run());
		await tell(owner, run({ isOver: true }));
		expect(owner.inbox.known.runs.size).toBe(1);
	});
});

describe('a trigger to which a message is forwarded', () => {
	test('responds what the message is, and stores only a new decision', async () => {
		const n8n = triggerWith(run());
		const forward = async (key: string) => {
			const delivery = n8n.delivery();
			const request = { is: 'message' as const, from: other, message: arrivalOf(key) };
			const response = await n8n.inbox.respond(delivery, request);
			const isStoring = delivery.isStoring();
			delivery.end();
			return { ...response, isStoring };
		};
		const taken = { is: 'taken', startsToo: false, isNew: true };
		expect(await forward('m1')).toEqual({ inbox: 'yes', verdict: taken, isStoring: true });
		expect(await forward('m2')).toEqual({
			inbox: 'yes',
			verdict: { is: 'ordinary' },
			isStoring: false,
		});
	});
});

describe('a trigger that was just published', () => {
	const open = () => [
		asking([personOf(0, { messages: [messageOf('secret')] })], { triggers: [own] }),
		run({ id: 'run-0000002', owner: third }),
		run({ id: 'run-0000003', owner: other }),
		run({ id: 'run-0000004', isOver: true, got: [] }),
	];
	const taught = [id, 'run-0000002'];

	test('learns the open questions of all others, without the texts of replies', async () => {
		const n8n = triggerWith();
		for (const one of open()) n8n.inbox.known.merge({ ...one, leaseUntil: begin + 60_000 });
		const { runs = [] } = await n8n.receive({ is: 'learn', from: other });
		expect(runs.map(([name]) => name)).toEqual(taught);
		const [read, second] = runs.map(([name, record]) => fromRecord(name, record, other)!);
		expect(read).toMatchObject({ owner: own, isWhole: false, triggers: [own] });
		expect(read.people.get(0)!.messages).toEqual([{ key: 'secret', text: null, respondedAt: '' }]);
		expect(second).toMatchObject({ owner: third, isWhole: true });
	});

	test('is told of by the owner from then on', async () => {
		const n8n = triggerWith({ ...open()[0], leaseUntil: begin + 60_000 }, open()[1]);
		for (let time = 0; time < 2; time++) await n8n.receive({ is: 'learn', from: other });
		expect(runIn(n8n)?.triggers).toEqual([own, other]);
		expect(runIn(n8n, 'run-0000002')?.triggers).toEqual([]);
	});

	test('is told again at once, after 10 s and after 40 s, if there are open questions', async () => {
		const n8n = triggerWith(run());
		await n8n.receive({ is: 'learn', from: other });
		await n8n.pass(100_000);
		expect(n8n.callTimes('known', other)).toEqual([0, 10, 40]);
		expect(n8n.calls.find(({ url }) => url === other)?.request).toMatchObject({
			runs: [[id, expect.any(String)]],
		});
		const without = triggerWith(run({ owner: other }));
		await without.receive({ is: 'learn', from: other });
		await without.pass(100_000);
		expect(without.callTimes('known', other)).toEqual([]);
	});

	test('takes up what it is told', async () => {
		const n8n = triggerWith();
		const record = toRecord(run({ owner: other }), own);
		const runs: Array<[string, string]> = [
			[id, record],
			['run-0000002', 'no run'],
		];
		expect(await n8n.receive({ is: 'known', runs })).toEqual({ inbox: 'yes' });
		expect(runIn(n8n)).toMatchObject({ owner: other });
		expect(Object.keys(n8n.stored!)).toEqual([id]);
	});
});

describe('the process that takes the calls of a trigger', () => {
	const sync = async (n8n: OneTrigger, more: object = {}) =>
		await n8n.receive({ is: 'sync', ...more });
	const record = (one: Run) => ({ id: one.id, run: toRecord(one, own) });

	test('stores what it knows, and only if n8n has not stored it', async () => {
		const n8n = triggerWith(run());
		expect(await sync(n8n)).toEqual({ inbox: 'yes' });
		expect(Object.keys(n8n.stored!)).toEqual([id]);
		const delivery = n8n.delivery();
		await n8n.inbox.respond(delivery, { is: 'sync' });
		expect(delivery.isStoring()).toBe(false);
	});

	test('takes up what another process knows of a run, and responds what it knows itself', async () => {
		const n8n = triggerWith(run());
		expect(await sync(n8n, record(run()))).toEqual({ inbox: 'yes' });
		const people = byItem([personOf(0, { messages: [messageOf('m1')] })]);
		expect(await sync(n8n, record(run({ people })))).toEqual({ inbox: 'yes' });
		expect(runIn(n8n)!.people.get(0)!.messages).toEqual([messageOf('m1')]);
		const { runs } = await sync(n8n, record(run()));
		expect(runs).toEqual([[id, toRecord(run({ people }), own)]]);
		expect(await sync(n8n, { id: 'run-0000009' })).toEqual({ inbox: 'yes' });
		expect(await sync(n8n, { run: record(run()).run })).toEqual({ inbox: 'yes' });
	});

	test('responds whether the run is settled', async () => {
		const n8n = triggerWith();
		n8n.inbox.known.settle(id);
		expect(await sync(n8n, record(run()))).toEqual({ inbox: 'yes', isSettled: true });
		expect(await sync(n8n, { id: 'run-0000009', run: 'no run' })).toEqual({
			...{ inbox: 'yes', isSettled: false },
		});
	});

	test('tells other triggers which questions are open, if it is asked to', async () => {
		const n8n = triggerWith(run());
		await sync(n8n, { others: [other, third] });
		expect([other, third].map((url) => n8n.callTimes('known', url))).toEqual([[0], [0]]);
		await sync(n8n);
		await settle();
		expect(n8n.calls).toHaveLength(2);
	});
});

describe('late replies', () => {
	const over = (keys = ['m1', 'm2'], more: Partial<Run> = {}) =>
		run({
			isOver: true,
			...more,
			people: byItem([personOf(0, { messages: keys.map((key) => messageOf(key)) })]),
		});
	const late = async (
		n8n: OneTrigger,
		one: Run,
		keys: string[],
		done: Promise<boolean> = Promise.resolve(true),
	) => {
		const request = { is: 'late' as const, id: one.id, run: toRecord(one, own), keys };
		const delivery = n8n.delivery(async () => await done);
		const response = await n8n.inbox.respond(delivery, request);
		await settle();
		return { ...response, late: response.late?.map(({ message }) => message.key) };
	};

	test('start the workflow with the messages that are wanted', async () => {
		const n8n = triggerWith(over());
		expect(await late(n8n, over(), ['m1'])).toEqual({
			inbox: 'yes',
			isStarted: true,
			late: ['m1'],
		});
		expect(runIn(n8n)!.started).toEqual(['m1']);
		expect(await late(n8n, over(), ['m1', 'm2'])).toMatchObject({ late: ['m2'] });
		expect(await late(n8n, over(), ['m1', 'm2'])).toEqual({ inbox: 'yes', isStarted: true });
	});

	test('come with their run and person', async () => {
		const n8n = triggerWith();
		const request = { is: 'late' as const, id, run: toRecord(over(), own), keys: ['m1'] };
		const response = await n8n.inbox.respond(n8n.delivery(), request);
		expect(response.late).toMatchObject([
			{ run: { id }, person: { item: 0, to: '+15550001000' }, message: { key: 'm1' } },
		]);
	});

	test('start nothing more while the workflow is being started with them', async () => {
		const n8n = triggerWith(over());
		let finish!: (isDone: boolean) => void;
		const done = new Promise<boolean>((resolve) => (finish = resolve));
		expect(await late(n8n, over(), ['m1'], done)).toMatchObject({ late: ['m1'] });
		expect(await late(n8n, over(), ['m1', 'm2'])).toEqual({ inbox: 'busy' });
		expect(await late(n8n, over(), ['m2'])).toMatchObject({ late: ['m2'] });
		// The same key in another run is another message.
		const another = over(['m1'], { id: 'run-0000002' });
		expect(await late(n8n, another, ['m1'])).toMatchObject({ late: ['m1'] });
		finish(false);
		await settle();
		expect(runIn(n8n)!.started).toEqual(['m2']);
		expect(await late(n8n, over(), ['m1'])).toMatchObject({ late: ['m1'] });
	});

	test.each<[what: string, record: Run, keys: string[]]>([
		['that have started it before', over(['m1'], { started: ['m1'] }), ['m1']],
		['that the run has got', over(['m1'], { got: ['m1'] }), ['m1']],
		['that are unknown', over(['m1']), ['m2']],
		['of a run that is open', over(['m1'], { isOver: false }), ['m1']],
	])('%s start nothing', async (_, one, keys) => {
		expect(await late(triggerWith(), one, keys)).toEqual({ inbox: 'yes', isStarted: true });
	});

	test('of what is no run start nothing', async () => {
		const request = { is: 'late' as const, id, run: 'no run', keys: ['m1'] };
		const n8n = triggerWith();
		expect(await n8n.inbox.respond(n8n.delivery(), request)).toEqual({
			inbox: 'yes',
			isStarted: true,
		});
	});
});
