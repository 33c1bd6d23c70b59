/** An entry belongs to whoever has claimed it first, also among the runs of one process. */
import { range } from 'lodash';
import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { EntryStore } from '../../nodes/BusinessMessaging/execution/entryStore';

afterEach(() => void jest.useRealTimers());

/** A context of n8n, whose list is in memory. @param callMs how long a call takes, ms */
function contextOf(node: string, list = new Set<string>(), callMs = 0): IExecuteFunctions {
	const helpers = {
		getProcessedDataCount: async () => list.size,
		checkProcessedAndRecord: async (entries: string[]) => {
			if (callMs > 0) await sleep(callMs);
			const missing = entries.filter((entry) => !list.has(entry));
			for (const entry of missing) list.add(entry);
			return { new: missing, processed: [] };
		},
		removeProcessed: async (entries: string[]) => entries.forEach((entry) => list.delete(entry)),
		clearAllProcessedItems: async () => list.clear(),
	};
	const context = { helpers, getNode: () => ({ id: node }), getWorkflow: () => ({ id: 'flow' }) };
	return context as unknown as IExecuteFunctions;
}

test('a store keeps only the four functions that it calls: all helpers together keep all data of their execution', () => {
	const context = contextOf('lasting');
	Object.assign(context.helpers, { httpRequest: async () => {}, removeProcessed: async () => {} });
	const { helpers } = EntryStore.of(context, 'node') as unknown as { helpers: object };
	expect(Object.keys(helpers)).not.toContain('httpRequest');
	expect(Object.keys(helpers)).toContain('removeProcessed');
});

test('if several runs claim an entry, at the same moment or later, the first one gets it', async () => {
	const context = contextOf('node');
	const runs = [1, 2, 3].map(() => EntryStore.of(context, 'node'));
	const claims = runs.map(async (run) => await run.claim('message'));
	claims.push(runs[2].claim('another message'));
	expect(await Promise.all(claims)).toEqual([true, false, false, true]);
	expect(await runs[1].claim('message')).toBe(false);
});

test('a list keeps what was claimed, and nothing of claims that found an entry taken, however often they come', async () => {
	jest.useFakeTimers();
	const list = new Set<string>();
	const store = EntryStore.of(contextOf('often', list), 'node');
	const claimAll = async () => {
		for (const round of range(30))
			for (const name of ['Anna', 'Ben', 'Cleo']) expect(await store.claim(name)).toBe(round === 0);
	};
	await Promise.all([claimAll(), jest.advanceTimersByTimeAsync(600_000)]);
	expect(list.size).toBeLessThan(3 + 1 + 20);
});

test('the end of a run writes its own entries, and does not wait for those of other runs', async () => {
	const list = new Set<string>();
	const store = EntryStore.of(contextOf('flushed', list), 'node');
	store.add('ours');
	expect(await store.flush(new Set(['theirs']))).toEqual([]);
	expect([...list]).toEqual([]);
	expect(await store.flush(new Set(['ours']))).toEqual([]);
	expect(list).toContain('ours');
});

test.each([
	[900, true],
	[1_100, 'The database is too slow for several processes.'],
])(
	'while another process uses the list and each call takes %i ms, a claim ends within ten minutes',
	async (callMs, end) => {
		jest.useFakeTimers();
		const list = new Set(['list']);
		const others = setInterval(() => list.add(`other ${list.size}`), 100);
		const claim = EntryStore.of(contextOf(`slow ${callMs}`, list, callMs), 'node').claim('message');
		const ended = claim.catch((error: Error) => error.message);
		const late = sleep(600_000).then(() => 'never');
		await jest.advanceTimersByTimeAsync(600_000);
		clearInterval(others);
		expect(await Promise.race([ended, late])).toBe(end);
	},
);

test.each(['before its call', 'during its call', 'while it is watched'])(
	'a caller whose entry was wanted %s gets a verdict although another run clears the list',
	async (moment) => {
		const context = contextOf(moment);
		await context.helpers.checkProcessedAndRecord(['older', 'sent known'], 'node', {
			mode: 'entries',
		});
		const store = EntryStore.of(context, 'node');
		const verdicts = Promise.all([store.claim('message'), store.has('sent known')]);
		await sleep(
			{ 'before its call': 0, 'during its call': 12, 'while it is watched': 100 }[moment] ?? 0,
		);
		await store.clear();
		expect(await verdicts).toEqual([true, false]);
	},
);
