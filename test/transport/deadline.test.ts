/** Timeouts end a wait, whatever number was entered, and nothing is left behind. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { pause, withDeadline } from '../../nodes/BusinessMessaging/transport/deadline';

const never = new Promise<never>(() => undefined);

test('who waits gives up with the code of a broken connection, each after a timeout of its own', async () => {
	const ends: string[] = [];
	const wait = async (name: string, ms: number) =>
		await withDeadline(never, ms).catch(({ code }) => ends.push(`${name} ${code}`));
	await Promise.all([wait('long', 200), wait('short', 10)]);
	expect(ends).toEqual(['short ETIMEDOUT', 'long ETIMEDOUT']);
});

test('what comes in time comes through, and so does a failure', async () => {
	expect(await withDeadline(Promise.resolve(7), 1_000)).toBe(7);
	await expect(withDeadline(Promise.reject(new Error('x')), 1_000)).rejects.toThrow('x');
});

test('nothing holds on to a response that has come', async () => {
	const held = new WeakRef(await withDeadline(Promise.resolve({ body: 'long' }), 60_000));
	await pause(1);
	setFlagsFromString('--expose-gc');
	(runInNewContext('gc') as () => void)();
	expect(held.deref()).toBeUndefined();
});

test.each([1_000.9999999999999, 5e12])('%d ms are a time that can be waited', async (ms) => {
	expect(await withDeadline(Promise.resolve('in time'), ms)).toBe('in time');
	const first = await Promise.race([pause(ms).then(() => 'over'), pause(1).then(() => 'waiting')]);
	expect(first).toBe('waiting');
});
