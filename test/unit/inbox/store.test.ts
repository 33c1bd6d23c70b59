/** What n8n stores of the inbox, and what counts as stored: only what n8n had written when it responded. */
import * as fc from 'fast-check';

import { Known } from '../../../nodes/BusinessMessaging/inbox/known';
import type { InboxDelivery, KeeperPorts } from '../../../nodes/BusinessMessaging/inbox/protocol';
import { Store, isIdle } from '../../../nodes/BusinessMessaging/inbox/store';
import { arrivalOf, byItem, own, personOf, runOf } from './parts';

/** A store, and how often it has called its own trigger so that n8n stores everything. */
function make(stored?: unknown) {
	const calls: unknown[] = [];
	const known: Known = new Known((run) => store.noteChange(run));
	const ports = {
		now: () => 0,
		pause: async () => await Promise.resolve(),
		seal: (text: string) => text,
		unseal: (text: string) => text,
		callTrigger: async (_: string, request: unknown) => {
			calls.push(request);
			return await Promise.resolve({ inbox: 'yes' });
		},
	} as unknown as KeeperPorts;
	const store: Store = new Store(own, 'process', known, () => ports);
	store.load({ stored }, { name: () => undefined, run: (run) => known.restore(run) });
	return { store, known, calls };
}

/** A delivery whose data n8n writes, and to which it then responds. */
function delivery() {
	let end: (result: 'received' | 'failed' | 'lost') => void = () => undefined;
	let value: unknown;
	const ended = new Promise<'received' | 'failed' | 'lost'>((resolve) => (end = resolve));
	return {
		own: { ended, store: (live: unknown) => (value = live) } as unknown as InboxDelivery,
		write: () => JSON.stringify(value),
		end,
	};
}

test.each([
	['before n8n writes', 'received', 0],
	['between writing and the response', 'received', 1],
	['before n8n writes', 'lost', 1],
	['before n8n writes', 'failed', 1],
] as const)(
	'a change %s, and a response that is %s: n8n has to store again %d times',
	async (when, end, count) => {
		const { store, known, calls } = make();
		const change = () => known.restore(runOf({ id: 'run-0000002' }));
		store.noteChange();
		const { own: given, write, end: respond } = delivery();
		await store.persist(given);
		if (when === 'before n8n writes') change();
		write();
		if (when !== 'before n8n writes') change();
		respond(end);
		await new Promise((resolve) => setImmediate(resolve));
		expect(await store.ensureStored()).toBe(true);
		expect(calls).toHaveLength(count);
	},
);

/** What the inbox does with one of five runs, each of which asks three people. */
const often = ['tell', 'reply', 'close', 'tell', 'reply', 'misfit', 'end'] as const;
const rarely = ['endWait', 'settle', 'start'] as const;
const step = fc.record({
	is: fc.constantFrom(...often, ...often, ...often, ...rarely),
	run: fc.nat(4),
	item: fc.nat(2),
	isStored: fc.boolean(),
});

/** What another process reads is what this one knows. */
function expectReadable(known: Known, store: Store): void {
	const written = JSON.parse(JSON.stringify({ stored: store.live })) as { stored?: unknown };
	const other = make(written.stored);
	expect(JSON.parse(JSON.stringify({ stored: other.store.live }))).toEqual(written);
	const [theirs, ours] = [other.known, known].map(({ late, runs }) => ({
		late: [...late.values()],
		runs: runs.all().map(({ id, people }) => [id, people]),
	}));
	expect(theirs).toEqual(ours);
}

test('after any changes, another process reads all that this one knows', () => {
	fc.assert(
		fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (all) => {
			const { store, known } = make();
			for (const [index, { is, run: number, item, isStored }] of all.entries()) {
				const id = `run-000000${number}`;
				const asked = [0, 1, 2].map((one) => personOf(one, { to: `+1555000${number}00${one}` }));
				const run = known.runs.get(id);
				const person = run?.people.get(item);
				const arrival = arrivalOf({ key: `m${index}`, phone: asked[item].to });
				const times = { now: 0, since: 0, toldAt: 0 };
				if (is === 'tell') known.tell(runOf({ id, people: byItem(asked) }), times);
				if (is === 'close') known.close(runOf({ id, people: byItem([asked[item]]) }), times);
				if (is === 'reply' && run && person) known.addReply({ run, person }, arrival, true, 0);
				if (is === 'misfit' && run && person) known.addMisfit({ run, person }, arrival);
				if (is === 'endWait') known.endWaits([{ phone: asked[item].to }]);
				if (is === 'end' && run) known.end(run, 0);
				if (is === 'settle' && run) known.settle(run, 0);
				if (is === 'start') known.noteStarted([...known.late.keys()].slice(0, 1), 0);
				if (isStored) expectReadable(known, store);
			}
		}),
		{ numRuns: 200 },
	);
});

test.each([
	['nothing', undefined, true],
	['nothing but its process', { by: 'p' }, true],
	['an open run', { 'run-0000001': 'sealed', settled: '' }, false],
	['a late reply', { settled: '', late: 'sealed' }, false],
	['a reply of this minute, which other triggers may still receive', { settled: 'm1.a' }, false],
	['a reply of an hour ago', { settled: 'm1.0' }, true],
])('an inbox of which n8n has stored %s may say goodbye: %p, %p', (_, stored, expected) => {
	expect(isIdle(stored, 10 * 60_000)).toBe(expected);
});
