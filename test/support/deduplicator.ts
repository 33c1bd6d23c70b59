/**
 * What n8n keeps in its database for `checkProcessedAndRecord`, in memory: one list of hashes for each workflow and
 * scope, which outlives executions. Source: DeduplicationHelper of n8n's cli, mode `entries`.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import type {
	DeduplicationItemTypes,
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

const hash = (value: DeduplicationItemTypes) =>
	createHash('md5').update(value.toString()).digest('base64');

function keyOf(scope: DeduplicationScope, { node, workflow }: ICheckProcessedContextData): string {
	return `${workflow.id} ${scope === 'node' ? `n:${node?.id}` : ''}`;
}

function assertEntries({ mode }: ICheckProcessedOptions): void {
	if (mode !== 'entries')
		throw new Error(`The harness only knows the mode "entries", not "${mode}"`);
}

/** Deduplication in memory. */
export class MemoryDeduplicator implements IDataDeduplicator {
	private readonly lists = new Map<string, string[]>();

	/** How often the list was read and written: in n8n each is a query of the whole row. */
	calls = 0;

	/** How long a call takes, ms. */
	latencyMs = 0;

	/** Whether a call fails as if the database did, by the name of the method. */
	isFailing: (method: keyof IDataDeduplicator) => boolean = () => false;

	private async query(method: keyof IDataDeduplicator): Promise<void> {
		this.calls++;
		if (this.latencyMs > 0) await delay(this.latencyMs);
		if (this.isFailing(method)) throw new Error('SQLITE_BUSY: database is locked');
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		assertEntries(options);
		await this.query('checkProcessedAndRecord');
		const known = this.lists.get(keyOf(scope, context));
		const list = [...(known ?? [])];
		const output: IDeduplicationOutput = { new: [], processed: [] };
		for (const item of items) {
			// As in n8n: without a list yet, everything counts as new, also the second of two equal values.
			const isKnown = known !== undefined && list.includes(hash(item));
			output[isKnown ? 'processed' : 'new'].push(item);
			if (!isKnown) list.push(hash(item));
		}
		this.lists.set(
			keyOf(scope, context),
			options.maxEntries ? list.slice(-options.maxEntries) : list,
		);
		return output;
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		options: ICheckProcessedOptions,
	): Promise<void> {
		assertEntries(options);
		await this.query('removeProcessed');
		const list = this.lists.get(keyOf(scope, context));
		for (const item of items) {
			const index = list?.indexOf(hash(item)) ?? -1;
			if (index !== -1) list?.splice(index, 1);
		}
	}

	async clearAllProcessedItems(
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<void> {
		await this.query('clearAllProcessedItems');
		this.lists.delete(keyOf(scope, context));
	}

	async getProcessedDataCount(
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<number> {
		return this.lists.get(keyOf(scope, context))?.length ?? 0;
	}

	/** Forgets everything, as if n8n were new. */
	reset(): void {
		this.lists.clear();
		this.calls = 0;
		this.latencyMs = 0;
		this.isFailing = () => false;
	}
}
