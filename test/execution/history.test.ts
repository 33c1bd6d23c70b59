/** The list of Send Once, written by several processes at the same time: whoever overwrites whom, a key is given to one. */
import { range } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';

import { History } from '../../nodes/BusinessMessaging/execution/history';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

type Helpers = Pick<IExecuteFunctions['helpers'], 'checkProcessedAndRecord' | 'removeProcessed'>;
type Access = (change: (list: string[]) => string[]) => Promise<string[]>;

/** The list as n8n keeps it: each process reads all of it, and writes all of it back when `mayWrite` lets it. */
class Row {
	list: string[] = ['there before'];
	private readonly written: Array<() => void> = [];

	process(mayWrite: (write: number) => Promise<void> = async () => undefined): History {
		let writes = 0;
		const access: Access = async (change) => {
			const before = this.list;
			await mayWrite(++writes);
			this.list = change(before);
			for (const tell of this.written.splice(0)) tell();
			return before;
		};
		const checkProcessedAndRecord = (async (entries: string[]) => {
			const before = await access((list) => [...new Set([...list, ...entries])]);
			return {
				new: entries.filter((entry) => !before.includes(entry)),
				processed: entries.filter((entry) => before.includes(entry)),
			};
		}) as Helpers['checkProcessedAndRecord'];
		const removeProcessed = async (entries: unknown[]) =>
			void (await access((list) => list.filter((entry) => !entries.includes(entry))));
		return new History(
			{
				checkProcessedAndRecord,
				removeProcessed,
			},
			'node',
		);
	}

	/** Resolves after the next write of any process. */
	async nextWrite(): Promise<void> {
		await new Promise<void>((resolve) => this.written.push(resolve));
	}
}

/** Two processes read the same list; the second one overwrites what the first one has written. */
function overwriting(row: Row): [History, History] {
	const second = row.process(async (write) => (write === 1 ? await row.nextWrite() : undefined));
	return [row.process(), second];
}

test('two processes add the same at the same time: one has it', async () => {
	const row = new Row();
	const [first, second] = overwriting(row);
	const [late, early] = await Promise.all([second.add(['key']), first.add(['key'])]);
	expect([...early, ...late]).toEqual(['key']);
	expect(row.list).toContain('key');
});

test('what was overwritten by an addition of other entries is added anew', async () => {
	const row = new Row();
	const [first, second] = overwriting(row);
	const [late, early] = await Promise.all([second.add(['b']), first.add(['a'], ['confirmation'])]);
	expect([...early, ...late]).toEqual(['a', 'b']);
	await first.removeMarks();
	await second.removeMarks();
	expect(row.list.sort()).toEqual(['a', 'b', 'confirmation', 'there before']);
});

test('what somebody else has written back of an overwritten addition is still ours', async () => {
	const row = new Row();
	const history = row.process();
	const added = history.add(['key']);
	await row.nextWrite();
	const ours = row.list;
	row.list = ['there before']; // it will not find its mark
	await row.nextWrite();
	row.list = [...ours, 'of another'];
	expect(await added).toEqual(new Set(['key']));
});

test('an addition that took too long is taken back, and finds what others have added meanwhile', async () => {
	const row = new Row();
	const quick = row.process();
	let isDone: () => void = () => undefined;
	const quickIsDone = new Promise<void>((resolve) => (isDone = resolve));
	// It writes after the other one has looked for its mark, which it then overwrites.
	const slow = row.process(async (write) => (write === 1 ? await quickIsDone : undefined));
	const late = slow.add(['key']);
	expect(await quick.add(['key'])).toEqual(new Set(['key']));
	isDone();
	// The quick one goes on with its campaign, which brings back what was overwritten.
	let isOver = false;
	void late.finally(() => (isOver = true));
	for (let next = 1; !isOver; next++) await quick.add([`next ${next}`]);
	expect(await late).toEqual(new Set());
	expect(row.list).toContain('key');
});

test(`six processes that write at any moment: every key is given to exactly one, and stays (TEST_SEED=${seed})`, async () => {
	const row = new Row();
	// A generator with a seed, which gives numbers from 0 to 7 that look like chance.
	let state = seed;
	const chance = () => (state = Math.imul(state, 1_103_515_245) + 12_345) >>> 29;
	const pause = async () => await new Promise<void>((resolve) => setTimeout(resolve, chance()));
	const keys = range(10).map((index) => `key ${index}`);
	const given = await Promise.all(
		range(6).map(async () => {
			const history = row.process(pause);
			return [...(await history.add(keys.slice(0, 5))), ...(await history.add(keys))];
		}),
	);
	expect(given.flat().sort()).toEqual(keys);
	expect(row.list).toEqual(expect.arrayContaining(keys));
}, 60_000);

test('another process makes the list in the same moment: the addition goes on with that', async () => {
	const row = new Row();
	const history = row.process(async (write) => {
		if (write === 1) throw new Error('duplicate key value violates unique constraint');
	});
	expect(await history.add(['key'])).toEqual(new Set(['key']));
});
