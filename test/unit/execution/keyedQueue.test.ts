/** How many items are under way at once, and in which order they begin. */
import { range } from 'lodash';

import { atMost, inQueues } from '../../../nodes/BusinessMessaging/execution/keyedQueue';

// No time passes, so nothing lets other work of the process go first.
beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(0));

const settle = async () => await new Promise<void>((resolve) => setImmediate(resolve));

/** Tasks that end when the test says so. */
class Tasks {
	readonly begun: string[] = [];
	private readonly ends = new Map<string, () => void>();

	readonly task = async (name: string): Promise<void> => {
		this.begun.push(name);
		await new Promise<void>((end) => this.ends.set(name, end));
	};

	async end(name: string): Promise<void> {
		this.ends.get(name)!();
		await settle();
		await settle();
	}
}

describe('items in queues', () => {
	const keyOf = ([key]: string) => key;

	test('with one key are carried out one after the other, those with other keys meanwhile', async () => {
		const tasks = new Tasks();
		const settings = { keyOf, concurrency: () => 10, isStopped: () => false };
		const all = inQueues(['a1', 'a2', 'b1', 'c1', 'c2'], settings, tasks.task);
		expect(tasks.begun).toEqual(['a1', 'b1', 'c1']);
		await tasks.end('c1');
		expect(tasks.begun).toEqual(['a1', 'b1', 'c1', 'c2']);
		await tasks.end('b1');
		await tasks.end('a1');
		expect(tasks.begun).toEqual(['a1', 'b1', 'c1', 'c2', 'a2']);
		for (const name of ['a2', 'c2']) await tasks.end(name);
		await all;
	});

	test('are as many at once as is allowed at that moment', async () => {
		const tasks = new Tasks();
		let concurrency = 2;
		const settings = { keyOf, concurrency: () => concurrency, isStopped: () => false };
		const all = inQueues(['a', 'b', 'c', 'd', 'e'], settings, tasks.task);
		expect(tasks.begun).toEqual(['a', 'b']);
		concurrency = 3;
		await tasks.end('a');
		expect(tasks.begun).toEqual(['a', 'b', 'c', 'd']);
		concurrency = 1;
		await tasks.end('b');
		await tasks.end('c');
		expect(tasks.begun).toHaveLength(4);
		await tasks.end('d');
		expect(tasks.begun).toHaveLength(5);
		await tasks.end('e');
		await all;
	});

	test.each([0, -100])('are all carried out, also if %d are allowed', async (concurrency) => {
		const tasks = new Tasks();
		const settings = { keyOf, concurrency: () => concurrency, isStopped: () => false };
		const all = inQueues(['a', 'b'], settings, tasks.task);
		expect(tasks.begun).toEqual(['a']);
		await tasks.end('a');
		expect(tasks.begun).toEqual(['a', 'b']);
		await tasks.end('b');
		await all;
	});

	test('no longer begin once this is stopped, and those under way end first', async () => {
		const tasks = new Tasks();
		let isStopped = false;
		let isOver = false;
		const settings = { keyOf, concurrency: () => 2, isStopped: () => isStopped };
		const all = inQueues(['a', 'b', 'c'], settings, tasks.task).then(() => (isOver = true));
		isStopped = true;
		await tasks.end('a');
		expect([tasks.begun, isOver]).toEqual([['a', 'b'], false]);
		await tasks.end('b');
		await all;
		expect(tasks.begun).toEqual(['a', 'b']);
	});

	test('end at once if there is none', async () => {
		const settings = { keyOf, concurrency: () => 2, isStopped: () => false };
		await inQueues([], settings, new Tasks().task);
	});
});

describe('tasks of which only some may run at once', () => {
	test('wait in their order, and the limit is read again after each', async () => {
		const tasks = new Tasks();
		let limit = 2;
		const limited = atMost(() => limit);
		const names = range(6).map(String);
		const all = names.map(async (name) => await limited(async () => await tasks.task(name)));
		await settle();
		expect(tasks.begun).toEqual(['0', '1']);
		limit = 3;
		await tasks.end('1');
		expect(tasks.begun).toEqual(['0', '1', '2', '3']);
		limit = 1;
		for (const name of ['0', '2']) await tasks.end(name);
		expect(tasks.begun).toHaveLength(4);
		for (const name of ['3', '4', '5']) await tasks.end(name);
		await Promise.all(all);
		expect(tasks.begun).toEqual(names);
	});

	test('give their results, and a failed one makes room for the next', async () => {
		const limited = atMost(() => 1);
		const failing = limited(async () => await Promise.reject(new Error('No')));
		const next = limited(async () => await Promise.resolve(7));
		await expect(failing).rejects.toThrow('No');
		await expect(next).resolves.toBe(7);
	});
});
