/** What a process of n8n keeps between executions: of everything, only a maximum number, for a limited time. */
import { getEventListeners } from 'node:events';

import { range } from 'lodash';
import ts from 'typescript';

import { filesBelow, readText } from '../../harness/engine/files';
import { BoundedMap } from '../../nodes/BusinessMessaging/boundedMap';
import {
	RateLimiter,
	RequestQueue,
	type Slot,
	limiterFor,
} from '../../nodes/BusinessMessaging/transport/rateLimiter';
import type { Response } from '../../nodes/BusinessMessaging/webhooks/kept';
import { RecentEvents } from '../../nodes/BusinessMessaging/webhooks/recentEvents';

const hourMs = 3_600_000;
let now = 1_000_000;
beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));

/** Whether what is kept under a name is still what it was when it was last asked for. */
function isSame(get: (name: string) => unknown): (name: string) => boolean {
	const earlier = new Map<string, unknown>();
	return (name) => {
		const [before, present] = [earlier.get(name), get(name)];
		earlier.set(name, present);
		return before === present;
	};
}
const others = new BoundedMap<string, object>({ maxSize: 1_000 });

test('entries are let go when they are too old, although nobody uses the map again', () => {
	const timers: Array<{ ms: number; end: () => void }> = [];
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		const controller = new AbortController();
		timers.push({ ms, end: () => controller.abort() });
		return controller.signal;
	});
	const map = new BoundedMap<string, object>({ maxSize: 10, maxAgeMs: 600_000 });
	const keys = () => [...(Reflect.get(map, 'entries') as Map<string, object>).keys()];
	map.set('a', {});
	now += 400_000;
	map.set('b', {});
	now += 200_000;
	timers[0].end();
	expect([timers.map(({ ms }) => ms), keys()]).toEqual([[600_000, 400_000], ['b']]);
	now += 400_000;
	timers[1].end();
	expect([timers.length, keys()]).toEqual([2, []]);
});

test.each<[string, number, (name: string) => boolean | Promise<boolean>]>([
	['the rate of a service', 1, isSame((name) => limiterFor(name, 60_000))],
	['anything else', 30 * 24, isSame((name) => others.getOrSet(name, () => ({})))],
])(
	'%s is kept for %d h after its last use, and at most 1,000 are kept',
	async (_, hours, isKept) => {
		expect([await isKept('a'), await isKept('a')]).toEqual([false, true]);
		for (const n of range(999)) await isKept(`other ${n}`);
		expect(await isKept('a')).toBe(true);
		for (const n of range(1_000)) await isKept(`another ${n}`);
		expect([await isKept('a'), await isKept('a')]).toEqual([false, true]);
		now += hours * hourMs - 1;
		expect(await isKept('a')).toBe(true);
		now += hours * hourMs;
		expect(await isKept('a')).toBe(false);
	},
);

test('using an entry makes it the newest, by its age and among the others', () => {
	const map = new BoundedMap<string, number>({ maxSize: 2, maxAgeMs: 1_000 });
	const use = (key: string) => map.getOrSet(key, () => now);
	const made = use('a');
	for (let n = 0; n < 5; n++) {
		now += 999;
		expect(use('a')).toBe(made);
	}
	use('b');
	use('a');
	use('c');
	expect([map.has('a'), map.has('b')]).toEqual([true, false]);
});

test('however a map is read, entries that are too old are missing', () => {
	const map = new BoundedMap<string, number>({ maxSize: 9, maxAgeMs: 1_000 });
	const ways = [() => map.get('a'), () => map.has('a'), () => map.size, () => map.all()];
	const read = (way: () => unknown, ageMs: number) => {
		map.set('a', 1);
		now += ageMs;
		return way();
	};
	expect(ways.map((way) => read(way, 999))).toEqual([1, true, 1, [['a', 1]]]);
	expect(ways.map((way) => read(way, 1_000))).toEqual([undefined, false, 0, []]);
});

test('a request that has waited for its turn leaves nothing of its execution behind', async () => {
	const limiter = new RateLimiter(60_000);
	const first = (await limiter.acquire(new RequestQueue(1))) as Slot;
	const { signal } = new AbortController();
	const second = limiter.acquire(new RequestQueue(1, undefined, signal));
	await new Promise(setImmediate);
	const kept = () => [getEventListeners(signal, 'abort').length, limiter['queues'].length];
	expect(kept()).toEqual([1, 1]);
	first.unsent();
	await second;
	expect(kept()).toEqual([0, 0]);
});

test('to recognize an event of a delivery takes no longer if the delivery has many events', async () => {
	let looks = 0;
	const response = {
		get writableEnded() {
			looks++;
			return false;
		},
	};
	const delivery = response as unknown as Response;
	const events = new RecentEvents();
	events.merge(undefined);
	const keys = range(1_000).map((n) => String(n).padEnd(11, '_'));
	for (const key of keys) expect(await events.recognize(delivery, key)).toBe('new');
	expect(looks).toBeLessThan(2 * keys.length);
});

/** Collections that grow without a bound, and why they stay small: each entry is removed when its work ends. */
const exceptions: Record<string, string> = {
	'nodes/BusinessMessaging/execution/logRun.ts shared':
		'until the last run of a workflow has ended',
	'nodes/BusinessMessaging/mutex.ts ends': 'until the last task under a key has ended',
};

test('no other map, set or list of a file grows at run time', () => {
	const growing: string[] = [];
	for (const file of filesBelow('nodes').filter((name) => /(?<!\.d)\.ts$/.test(name))) {
		const source = ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest, true);
		const declarations = source.statements
			.filter(ts.isVariableStatement)
			.flatMap(({ declarationList }) => [...declarationList.declarations]);
		for (const { name, initializer } of declarations) {
			const isEmptyList = /^(\[\]|\{\})/.test(initializer?.getText(source) ?? '');
			const isEmptyMap =
				initializer &&
				ts.isNewExpression(initializer) &&
				/^(Map|Set)$/.test(initializer.expression.getText(source)) &&
				(initializer.arguments ?? []).length === 0;
			if (isEmptyList || isEmptyMap) growing.push(`${file} ${name.getText(source)}`);
		}
	}
	expect(growing.sort()).toEqual(Object.keys(exceptions).sort());
});
