import { pause, withDeadline } from '../../nodes/BusinessMessaging/transport/deadline';

test('who waits gives up with the code of a broken connection, and the answer goes on by itself', async () => {
	let isDone = false;
	const answer = pause(40).then(() => (isDone = true));
	await expect(withDeadline(answer, 5)).rejects.toMatchObject({ message: 'Time limit', code: 'ETIMEDOUT' });
	expect(isDone).toBe(false);
	await answer;
	expect(isDone).toBe(true);
});

test('an answer in time comes through, and so does its failure', async () => {
	expect(await withDeadline(Promise.resolve(7), 1_000)).toBe(7);
	await expect(withDeadline(Promise.reject(new Error('x')), 1_000)).rejects.toThrow('x');
});

test('everybody has a time limit of his own, also who comes later with a shorter one', async () => {
	const ends: string[] = [];
	const never = new Promise<never>(() => undefined);
	const wait = async (name: string, ms: number) => await withDeadline(never, ms).catch(() => ends.push(name));
	const long = wait('long', 1_500);
	await pause(1);
	await Promise.all([long, wait('short', 10)]);
	expect(ends).toEqual(['short', 'long']);
});

test('one timer serves all, and none is left when nobody waits', async () => {
	const timers = jest.spyOn(AbortSignal, 'timeout');
	await Promise.all(Array.from({ length: 50 }, async () => await withDeadline(pause(5), 60_000)));
	const ofAnswers = 50;
	expect(timers.mock.calls.length - ofAnswers).toBeLessThanOrEqual(1);
	await pause(120); // the last tick
	timers.mockClear();
	await pause(250);
	expect(timers).toHaveBeenCalledTimes(1);
	timers.mockRestore();
});
