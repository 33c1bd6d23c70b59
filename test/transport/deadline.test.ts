/** Timeouts end a wait, whatever number was entered, and nothing is left behind. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { pause, toTimeoutMs, withDeadline } from '../../nodes/BusinessMessaging/transport/deadline';

test('who waits gives up with the code of a broken connection, and the work goes on by itself', async () => {
	let isDone = false;
	const work = pause(40).then(() => (isDone = true));
	await expect(withDeadline(work, 5)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
	expect(isDone).toBe(false);
	await work;
	expect(isDone).toBe(true);
});

test('what comes in time comes through, and so does a failure', async () => {
	expect(await withDeadline(Promise.resolve(7), 1_000)).toBe(7);
	await expect(withDeadline(Promise.reject(new Error('x')), 1_000)).rejects.toThrow('x');
});

test('each has a timeout of its own', async () => {
	const ends: string[] = [];
	const never = new Promise<never>(() => undefined);
	const wait = async (name: string, ms: number) =>
		await withDeadline(never, ms).catch(() => ends.push(name));
	await Promise.all([wait('long', 200), wait('short', 10)]);
	expect(ends).toEqual(['short', 'long']);
});

test('nothing holds on to a response that has come', async () => {
	const held = new WeakRef(await withDeadline(Promise.resolve({ body: 'long' }), 60_000));
	await pause(1);
	setFlagsFromString('--expose-gc');
	(runInNewContext('gc') as () => void)();
	expect(held.deref()).toBeUndefined();
});

test.each([
	[1_001.0000000000001, 1_001],
	[5e12, 3_600_000],
	[Infinity, 3_600_000],
	[0.2, 1],
	[-5, 1],
])('a timeout of %d ms is one of %d ms', (ms, timeout) => {
	expect(toTimeoutMs(ms)).toBe(timeout);
});

test.each([1_000.9999999999999, 5e12])('%d ms are a time that can be waited', async (ms) => {
	expect(await withDeadline(Promise.resolve('in time'), ms)).toBe('in time');
	expect(await Promise.race([pause(ms).then(() => 'over'), pause(1).then(() => 'waiting')])).toBe(
		'waiting',
	);
});
