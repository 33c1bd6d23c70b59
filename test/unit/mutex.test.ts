/** Tasks that must not run at the same time. */
import { withLock } from '../../nodes/BusinessMessaging/mutex';

test('tasks with the same key run one after the other, and a failed one does not stop the next ones', async () => {
	const log: string[] = [];
	const task = async (name: string, key: string) =>
		await withLock(key, async () => {
			log.push(`${name} begins`);
			await new Promise(setImmediate);
			log.push(`${name} ends`);
			if (name === 'first') throw new Error(name);
			return name;
		});
	const tasks = [task('first', 'a'), task('second', 'a'), task('other', 'b'), task('third', 'a')];
	expect(await Promise.allSettled(tasks)).toMatchObject([
		{ reason: new Error('first') },
		...['second', 'other', 'third'].map((value) => ({ value })),
	]);
	expect(log.filter((line) => !line.startsWith('other'))).toEqual(
		['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]),
	);
	expect(log.indexOf('other begins')).toBeLessThan(log.indexOf('second begins'));
});

test('a task that begins while others wait comes after them', async () => {
	const log: string[] = [];
	const ends: Array<() => void> = [];
	const task = async (name: string) =>
		await withLock('late', async () => {
			log.push(name);
			await new Promise<void>((resolve) => ends.push(resolve));
		});
	const tasks = [task('first'), task('second')];
	await new Promise(setImmediate);
	ends[0]();
	await new Promise(setImmediate);
	tasks.push(task('third'));
	await new Promise(setImmediate);
	expect(log).toEqual(['first', 'second']);
	ends[1]();
	await new Promise(setImmediate);
	ends[2]();
	await Promise.all(tasks);
	expect(log).toEqual(['first', 'second', 'third']);
});
