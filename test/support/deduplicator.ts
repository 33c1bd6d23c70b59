/**
 * What n8n keeps in its database for `checkProcessedAndRecord`, in memory: one list of hashes for each workflow and
 * scope, which outlives executions. Source: DeduplicationHelper of n8n's cli, mode `entries`.
 */
import { createHash } from 'node:crypto';

import type { IDataDeduplicator } from 'n8n-workflow';

type Check = Parameters<IDataDeduplicator['checkProcessedAndRecord']>;
type Item = Check[0][number];
type List = [scope: Check[1], context: Check[2], options: Check[3]];

const hash = (value: Item) => createHash('md5').update(value.toString()).digest('base64');

/** Deduplication in memory. */
export class MemoryDeduplicator implements IDataDeduplicator {
	private readonly lists = new Map<string, string[]>();

	/** Whether a call fails as if the database did, by the name of the method. */
	isFailing: (method: keyof IDataDeduplicator) => boolean = () => false;

	async checkProcessedAndRecord(items: Item[], ...list: List) {
		const key = await this.query('checkProcessedAndRecord', list);
		const known = this.lists.get(key);
		const entries = [...(known ?? [])];
		const output: { new: Item[]; processed: Item[] } = { new: [], processed: [] };
		for (const item of items) {
			// As in n8n: without a list yet, everything counts as new, also the second of two equal values.
			const isKnown = known !== undefined && entries.includes(hash(item));
			output[isKnown ? 'processed' : 'new'].push(item);
			if (!isKnown) entries.push(hash(item));
		}
		const [, , { maxEntries }] = list;
		this.lists.set(key, maxEntries ? entries.slice(-maxEntries) : entries);
		return output;
	}

	async removeProcessed(items: Item[], ...list: List): Promise<void> {
		const entries = this.lists.get(await this.query('removeProcessed', list)) ?? [];
		for (const item of items) {
			const index = entries.indexOf(hash(item));
			if (index !== -1) entries.splice(index, 1);
		}
	}

	async clearAllProcessedItems(...list: List): Promise<void> {
		this.lists.delete(await this.query('clearAllProcessedItems', list));
	}

	async getProcessedDataCount(...list: List): Promise<number> {
		return this.lists.get(await this.query('getProcessedDataCount', list))?.length ?? 0;
	}

	/** Forgets everything, as if n8n were new. */
	reset(): void {
		this.lists.clear();
		this.isFailing = () => false;
	}

	/** @returns the key of the list */
	private async query(
		method: keyof IDataDeduplicator,
		[scope, { node, workflow }, { mode }]: List,
	): Promise<string> {
		if (mode !== 'entries')
			throw new Error(`The harness only knows the mode "entries", not "${mode}"`);
		if (this.isFailing(method)) throw new Error('SQLITE_BUSY: database is locked');
		return `${workflow.id} ${scope === 'node' ? `n:${node?.id}` : ''}`;
	}
}
