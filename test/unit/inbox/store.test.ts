/** What counts as stored: only what n8n had written when it responded. */
import { Known } from '../../../nodes/BusinessMessaging/inbox/known';
import type { InboxDelivery, KeeperPorts } from '../../../nodes/BusinessMessaging/inbox/protocol';
import { Store, isIdle } from '../../../nodes/BusinessMessaging/inbox/store';
import { own, runOf } from './parts';

/** A store, and how often it has called its own trigger so that n8n stores everything. */
function make() {
	const calls: unknown[] = [];
	const known = new Known(() => undefined);
	const ports = {
		now: () => 0,
		pause: async () => await Promise.resolve(),
		seal: (text: string) => text,
		callTrigger: async (_: string, request: unknown) => {
			calls.push(request);
			return await Promise.resolve({ inbox: 'yes' });
		},
	} as unknown as KeeperPorts;
	const store = new Store(own, 'process', known, () => ports);
	store.load({ stored: undefined }, { name: () => undefined, run: () => undefined });
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
		const change = () => {
			known.restore(runOf({ id: 'run-0000002' }));
			store.noteChange();
		};
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
