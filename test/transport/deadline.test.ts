import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { pause, withDeadline } from '../../nodes/BusinessMessaging/transport/deadline';

test('who waits gives up with the code of a broken connection, and the answer goes on by itself', async () => {
	let isDone = false;
	const answer = pause(40).then(() => (isDone = true));
	await expect(withDeadline(answer, 5)).rejects.toMatchObject({
		message: 'Time limit',
		code: 'ETIMEDOUT',
	});
	expect(isDone).toBe(false);
	await answer;
	expect(isDone).toBe(true);
});

test('an answer in time comes through, and so does its failure', async () => {
	expect(await withDeadline(Promise.resolve(7), 1_000)).toBe(7);
	await expect(withDeadline(Promise.reject(new Error('x')), 1_000)).rejects.toThrow('x');
});

test('nothing holds on to an answer that has come', async () => {
	const held = new WeakRef(await withDeadline(Promise.resolve({ body: 'long' }), 60_000));
	await pause(1);
	setFlagsFromString('--expose-gc');
	(runInNewContext('gc') as () => void)();
	expect(held.deref()).toBeUndefined();
});

test('those who begin together share a timer, and each gives up if his answer has not come', async () => {
	const timers = jest.spyOn(AbortSignal, 'timeout');
	const never = new Promise<never>(() => undefined);
	const waits = [
		withDeadline(never, 900),
		withDeadline(Promise.resolve(7), 900),
		withDeadline(never, 900),
	];
	expect(timers.mock.calls).toEqual([[930]]);
	jest.restoreAllMocks();
	const code = 'ETIMEDOUT';
	expect(await Promise.allSettled(waits)).toMatchObject([
		{ reason: { code } },
		{ value: 7 },
		{ reason: { code } },
	]);
});

test('who begins later has a timer of his own', async () => {
	const never = new Promise<never>(() => undefined);
	const first = withDeadline(never, 60);
	await pause(10);
	const timers = jest.spyOn(AbortSignal, 'timeout');
	const second = withDeadline(never, 60);
	expect(timers.mock.calls).toEqual([[62]]);
	jest.restoreAllMocks();
	await Promise.allSettled([first, second]);
});

test('everybody has a time limit of his own, also who comes later with a shorter one', async () => {
	const ends: string[] = [];
	const never = new Promise<never>(() => undefined);
	const wait = async (name: string, ms: number) =>
		await withDeadline(never, ms).catch(() => ends.push(name));
	const long = wait('long', 1_500);
	await pause(1);
	await Promise.all([long, wait('short', 10)]);
	expect(ends).toEqual(['short', 'long']);
});
