/** What the process of a trigger knows of runs: what n8n stores of it, and when. */
import { Known, entriesOf } from '../../../nodes/BusinessMessaging/inbox/known';
import type { CallResult } from '../../../nodes/BusinessMessaging/inbox/ports';
import { toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { begin, settle } from './clock';
import { OneTrigger } from './oneTrigger';
import { anna, byItem, messageOf, other, own, personOf, runOf, third } from './parts';

const minute = (ms = begin) => Math.floor(ms / 60_000).toString(36);
const days = 86_400_000;
const started = { startedAt: begin };
const run = () => runOf(started);
const named = (id: string) => runOf({ id, ...started });

/** A trigger that knows what n8n has stored, and has checked that n8n keeps it. */
function triggerWith(...runs: Array<ReturnType<typeof run>>) {
	const n8n = new OneTrigger();
	for (const one of runs) n8n.inbox.known.merge(one);
	const delivery = n8n.delivery();
	n8n.inbox.known.keep(delivery);
	delivery.end();
	return { n8n, known: n8n.inbox.known };
}

describe('what n8n stores', () => {
	test('is each run under its name, encrypted, and the keys of settled replies with their times', () => {
		const { n8n, known } = triggerWith(run());
		expect(n8n.stored).toEqual({ 'run-0000001': `0000000000000001${toRecord(run(), own)}` });
		known.settle('key-1');
		n8n.time = 120_000;
		known.settle('key-2');
		const delivery = n8n.delivery();
		known.keep(delivery);
		delivery.end();
		expect(n8n.stored).toEqual({
			'run-0000001': `0000000000000001${toRecord(run(), own)}`,
			settled: `key-1.${minute()} key-2.${minute(begin + 120_000)}`,
		});
	});

	test('is nothing if nothing is known', () => {
		const { n8n, known } = triggerWith();
		expect(n8n.stored).toBeUndefined();
		expect(known.isEmpty).toBe(true);
		known.settle('key-1');
		expect(known.isEmpty).toBe(false);
		known.merge(run());
		expect(known.isEmpty).toBe(false);
	});

	test('is encrypted again only if it has changed, or if everything is to be encrypted again', () => {
		const { n8n, known } = triggerWith(run(), named('run-0000002'));
		const texts = () => {
			const delivery = n8n.delivery();
			known.keep(delivery);
			delivery.end();
			return Object.values(n8n.stored!).map((text) => Number(text.slice(0, 16)));
		};
		expect(texts()).toEqual([1, 2]);
		known.changed(known.runs.get('run-0000001')!);
		expect(texts()).toEqual([3, 2]);
		known.sealAgain();
		expect(texts()).toEqual([4, 5]);
	});

	test('forgets settled replies after two days, and all but the latest 10,000', async () => {
		const { n8n, known } = triggerWith();
		known.settle('old');
		n8n.time = 2 * days - 60_000;
		known.settle('new');
		const settled = () => {
			const delivery = n8n.delivery();
			known.keep(delivery);
			delivery.end();
			return n8n.stored!.settled.split(' ').map((entry) => entry.split('.')[0]);
		};
		expect(settled()).toEqual(['old', 'new']);
		n8n.time = 2 * days;
		known.settle('next');
		expect(settled()).toEqual(['new', 'next']);
		for (let n = 0; n < 10_000; n++) known.settle(`key-${n}`);
		await n8n.pass(0);
		expect(settled()).toHaveLength(10_000);
		expect(known.isSettled('next')).toBe(false);
		expect(known.isSettled('key-0')).toBe(true);
	});
});

describe('what n8n has stored', () => {
	test('is known after a restart', () => {
		const { n8n, known } = triggerWith(run());
		known.settle('key-1');
		const delivery = n8n.delivery();
		known.keep(delivery);
		delivery.end();
		n8n.restart();
		expect(n8n.inbox.known.runs.get('run-0000001')).toEqual(run());
		expect(n8n.inbox.known.isSettled('key-1')).toBe(true);
		expect(n8n.inbox.known.isSettled('key-2')).toBe(false);
		expect(n8n.inbox.known.isStored(n8n.delivery())).toBe(true);
	});

	test.each([undefined, null, 'text', 5])('may be %j, which is nothing', (stored) => {
		expect(entriesOf(stored)).toEqual([]);
		const { known } = triggerWith();
		known.load({ stored });
		expect(known.isEmpty).toBe(true);
	});

	test('is merged with what is known', () => {
		const { n8n, known } = triggerWith();
		const people = byItem([personOf(0, { messages: [messageOf('m1')] })]);
		known.load({ stored: { 'run-0000001': n8n.seal(toRecord(run(), own)) } });
		known.load({ stored: { 'run-0000001': n8n.seal(toRecord({ ...run(), people }, own)) } });
		known.load({ stored: { 'run-0000001': n8n.seal(toRecord(run(), own)) } });
		const [person] = known.runs.get('run-0000001')!.people.values();
		expect(person.messages).toEqual([messageOf('m1')]);
	});

	test('is decrypted once, also if an older copy comes back', () => {
		const { n8n, known } = triggerWith(run());
		const unseal = jest.spyOn(n8n, 'unseal');
		const first = { ...n8n.stored! };
		const second = { 'run-0000001': n8n.seal(toRecord({ ...run(), isOver: true }, own)) };
		for (const stored of [first, second, first, second, first]) known.load({ stored });
		expect(unseal).toHaveBeenCalledTimes(1);
	});

	test('may be encrypted with another key: the log says so once', () => {
		const { n8n, known } = triggerWith();
		const stored = { one: 'another key 1 …', two: 'another key 2 …' };
		known.load({ stored: { ...stored, 'run-0000001': n8n.seal(toRecord(run(), own)) } });
		known.load({ stored });
		expect(n8n.warnings).toEqual([
			'Send and Wait cannot read open questions that were stored with another API key (2). Replies to them start workflows.',
		]);
		expect(known.runs.all().map(({ id }) => id)).toEqual(['run-0000001']);
	});

	test('is no reason for a line in the log if it can be read', () => {
		const { n8n, known } = triggerWith(run());
		n8n.restart();
		expect(n8n.inbox.known.runs.size).toBe(1);
		known.load({ stored: { 'run-0000001': n8n.seal('no run') } });
		expect(n8n.warnings).toEqual([]);
	});

	test('forgets a run that another process has settled, and does not take up a settled one', () => {
		const { n8n, known } = triggerWith(run(), named('run-0000002'));
		const forgotten: string[] = [];
		known.onForget = (id) => forgotten.push(id);
		const settled = `run-0000001.${minute()} key.${minute()}`;
		known.load({ stored: { settled } });
		expect(known.runs.all().map(({ id }) => id)).toEqual(['run-0000002']);
		expect(forgotten).toEqual(['run-0000001']);
		known.load({ stored: { ...n8n.stored, settled } });
		expect(known.runs.size).toBe(1);
	});

	test('counts as settled with its time, for two days', () => {
		const { n8n, known } = triggerWith();
		const entries = [`old.${minute(begin - 2 * days)}`, `new.${minute(begin - 2 * days + 60_000)}`];
		known.load({ stored: { settled: entries.join(' ') } });
		expect(['old', 'new'].map((key) => known.isSettled(key))).toEqual([false, true]);
		known.settle('last');
		const delivery = n8n.delivery();
		known.keep(delivery);
		delivery.end();
		expect(n8n.stored!.settled).toBe(`${entries[1]} last.${minute()}`);
	});

	test('does not change the time of what is known as settled', () => {
		const { n8n, known } = triggerWith();
		known.settle('key');
		known.load({ stored: { settled: `key.${minute(begin - 60_000)} other.${minute()}` } });
		const delivery = n8n.delivery();
		known.keep(delivery);
		delivery.end();
		expect(n8n.stored!.settled).toBe(`key.${minute()} other.${minute()}`);
	});

	test.each<[what: string, change: (stored: Record<string, string>) => object | undefined]>([
		['nothing', () => undefined],
		['less', ({ settled }) => ({ settled })],
		['more', (stored) => ({ ...stored, more: 'text' })],
		['other texts', (stored) => ({ ...stored, settled: 'x.y' })],
		['other names', ({ settled, ...rest }) => ({ ...rest, other: settled })],
	])('is all that is known, unless n8n has stored %s', (_, change) => {
		const { n8n, known } = triggerWith(run());
		known.settle('key');
		expect(known.isStored(n8n.delivery())).toBe(false);
		const delivery = n8n.delivery();
		known.keep(delivery);
		delivery.end();
		expect(known.isStored(n8n.delivery())).toBe(true);
		expect(known.isStored({ stored: change(n8n.stored!) })).toBe(false);
	});
});

describe('that n8n has stored the changes of runs', () => {
	test.each<[CallResult, boolean]>([
		[{ inbox: 'yes' }, true],
		[{ inbox: 'no' }, false],
		[{ inbox: 'busy' }, false],
		['gone', false],
		[undefined, false],
	])('is certain after the response %j of the trigger itself: %j', async (result, isStored) => {
		const { n8n, known } = triggerWith(run());
		n8n.answer = () => result;
		expect(await known.ensureStored([run()])).toBe(isStored);
		expect(n8n.calls).toMatchObject([{ url: own, request: { is: 'sync' } }]);
	});

	test('needs no call if the runs have not changed, or n8n is known to have stored them', async () => {
		const { n8n, known } = triggerWith(run());
		known.isStored(n8n.delivery());
		known.merge(named('run-0000002'));
		expect(await known.ensureStored([])).toBe(true);
		expect(await known.ensureStored([run()])).toBe(true);
		expect(n8n.calls).toEqual([]);
		n8n.answer = () => undefined;
		expect(await known.ensureStored([run(), named('run-0000002')])).toBe(false);
	});

	test.each<['received' | 'lost' | 'failed', isChanged: boolean, isCertain: boolean]>([
		['received', false, true],
		['received', true, false],
		['lost', false, false],
		['failed', false, false],
	])(
		'is known from the delivery that stores them (response %s, changed meanwhile: %j): %j',
		async (how, isChanged, isCertain) => {
			const { n8n, known } = triggerWith(run());
			n8n.answer = () => undefined;
			const delivery = n8n.delivery();
			await known.persist(delivery);
			expect(await known.ensureStored([run()])).toBe(false);
			delivery.end(how);
			if (isChanged) known.noteStarted('run-0000001', ['key']);
			await settle();
			expect(await known.ensureStored([run()])).toBe(isCertain);
		},
	);

	test('is known if what another process has stored is the same as what is known', async () => {
		const { n8n, known } = triggerWith();
		n8n.answer = () => undefined;
		known.load({ stored: { 'run-0000001': n8n.seal(toRecord(run(), own)) } });
		expect(await known.ensureStored([run()])).toBe(true);
		known.merge({ ...run(), isOver: true });
		known.load({ stored: { 'run-0000001': n8n.seal(toRecord(run(), own)) } });
		expect(await known.ensureStored([run()])).toBe(false);
		expect(known.mergeText('run-0000001', 'no run')).toBeUndefined();
		expect(known.mergeText('run-0000001', toRecord(run(), own))?.isOver).toBe(true);
	});

	test('is not certain if n8n has stored something else, or another process only knows of the run', async () => {
		const { n8n, known } = triggerWith(run());
		n8n.answer = () => undefined;
		known.isStored({ stored: undefined });
		known.mergeText('run-0000002', toRecord(named('run-0000002'), own));
		for (const one of known.runs.all()) expect(await known.ensureStored([one])).toBe(false);
	});

	test('no longer matters for a run that is forgotten', async () => {
		const { n8n, known } = triggerWith(run());
		n8n.answer = () => undefined;
		known.forget('run-0000001');
		expect(await known.ensureStored([run()])).toBe(true);
		expect(known.runs.size).toBe(0);
	});
});

test('a run is told of as changed each time, and as forgotten', () => {
	const known = new Known(own, new OneTrigger());
	const seen: string[] = [];
	known.onChange = ({ id, started: keys }) => seen.push(`${id} ${keys.join()}`);
	known.onForget = (id) => seen.push(`forgotten ${id}`);
	known.merge(run());
	known.noteStarted('run-0000001', ['a', 'b']);
	known.noteStarted('run-0000001', ['b', 'c']);
	known.noteStarted('run-0000002', ['a']);
	known.forget('run-0000001');
	expect(seen).toEqual([
		...['run-0000001 ', 'run-0000001 a,b', 'run-0000001 a,b,c'],
		'forgotten run-0000001',
	]);
});

test('the replies of a run that is settled are remembered, and its record is not taken up again', () => {
	const { known } = triggerWith();
	const messages = [messageOf('m1'), messageOf('m2')];
	const over = runOf({ people: byItem([personOf(0, { messages, repeatedAfter: ['r1'] })]) });
	known.merge(over);
	known.retire(over);
	const keys = ['m1', 'm2', 'r1', 'run-0000001', 'm3'];
	expect(keys.map((key) => known.isSettled(key))).toEqual([true, true, true, true, false]);
	expect(known.runs.size).toBe(0);
	expect(known.mergeText('run-0000001', toRecord(over, own))).toBeUndefined();
});

test('the name of a sender is stored with the run whose question was quoted', () => {
	const { n8n, known } = triggerWith(
		runOf({ ...started, people: byItem([personOf(0, { askedMessageId: 'q' })]) }),
	);
	expect(known.isStored(n8n.delivery())).toBe(true);
	known.learnSender({ phone: anna, quoted: 'q' });
	expect(known.isStored(n8n.delivery())).toBe(true);
	known.learnSender({ phone: 'US.1', quoted: 'q' });
	expect(known.isStored(n8n.delivery())).toBe(false);
	expect(known.runs.get('run-0000001')?.people.get(0)?.sender).toBe('US.1');
});

test('the owner of open questions is the one with the first URL that can be reached', () => {
	const known = new Known(own, new OneTrigger());
	expect(known.owner).toBeUndefined();
	const owners = [third, other, own, other];
	owners.forEach((owner, n) => known.merge(runOf({ id: `run-000000${n}`, owner, ...started })));
	expect(known.owner).toBe(own);
	known.gone.add(own);
	expect(known.owner).toBe(other);
	known.merge({ ...known.runs.get('run-0000001')!, isOver: true });
	expect(known.owner).toBe(other);
	known.merge({ ...known.runs.get('run-0000003')!, isOver: true });
	expect(known.owner).toBe(third);
	known.gone.delete(own);
	expect(known.owner).toBe(own);
});
