/** An entry belongs to whoever has claimed it first, also among the runs of one process. */
import { setTimeout as delay } from 'node:timers/promises';

import type { IExecuteFunctions } from 'n8n-workflow';

import { EntryStore } from '../../nodes/BusinessMessaging/execution/entryStore';

/** A context of n8n, whose list is in memory. */
function contextOf(node: string): IExecuteFunctions {
	const list = new Set<string>();
	const helpers = {
		getProcessedDataCount: async () => list.size,
		checkProcessedAndRecord: async (entries: string[]) => {
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

test.each(['before its call', 'during its call', 'while it is watched'])(
	'a caller whose entry was wanted %s gets a verdict although another run clears the list',
	async (moment) => {
		const context = contextOf(moment);
		await context.helpers.checkProcessedAndRecord(['older', 'sent known'], 'node', {
			mode: 'entries',
		});
		const store = EntryStore.of(context, 'node');
		const verdicts = Promise.all([store.claim('message'), store.has('sent known')]);
		await delay(
			{ 'before its call': 0, 'during its call': 12, 'while it is watched': 100 }[moment],
		);
		await store.clear();
		expect(await verdicts).toEqual([true, false]);
	},
);
