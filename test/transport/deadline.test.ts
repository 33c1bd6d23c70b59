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
	await pause(200); // the last timer of the tests before
	let fire = () => {};
	const timers = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
		const target = new EventTarget();
		fire = () => void target.dispatchEvent(new Event('abort'));
		return target as AbortSignal;
	});
	const answers = Array.from({ length: 50 }, async () => await withDeadline(new Promise<void>((resolve) => setImmediate(resolve)), 60_000));
	expect(timers).toHaveBeenCalledTimes(1);
	fire();
	await new Promise((resolve) => process.nextTick(resolve));
	expect(timers).toHaveBeenCalledTimes(2); // they still wait
	await Promise.all(answers);
	fire();
	await new Promise(setImmediate);
	expect(timers).toHaveBeenCalledTimes(2);
	timers.mockRestore();
});
