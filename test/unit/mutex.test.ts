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
