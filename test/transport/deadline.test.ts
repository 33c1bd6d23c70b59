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

test('nothing listens any more once the answer is there', async () => {
	const signal = new EventTarget();
	const [add, remove] = [jest.spyOn(signal, 'addEventListener'), jest.spyOn(signal, 'removeEventListener')];
	jest.spyOn(AbortSignal, 'timeout').mockReturnValue(signal as AbortSignal);
	await withDeadline(Promise.resolve(7), 1_000);
	jest.restoreAllMocks();
	expect(remove.mock.calls).toEqual(add.mock.calls);
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
