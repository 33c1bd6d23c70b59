/**
 * A list of entries in n8n's database that several processes of n8n use. n8n's helper reads and writes the whole list
 * without a lock. So claims.ts decides who may take an entry, from what this process knows of the list.
 * docs/adr/0014-claims.md
 */
import { randomUUID } from 'crypto';
import { pick } from 'lodash';
import { type DeduplicationScope, type IExecuteFunctions, sleep } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { withLock } from '../mutex';
import { InputError } from '../transport/errors';
import { type Call, type CallResult, Claims } from './claims';

/** The greatest number of entries in a list. A message has three entries with Send Once, and one with a Frequency Cap. */
const maxEntries = 100_000;
/**
 * How many entries are kept when a list is full. The oldest tenth is removed at once, so that the number of entries
 * still shows whether others write.
 */
const keptEntries = 0.9 * maxEntries;

/** How long to wait for further claims before a call, and how often to look whether there is something to do, ms. */
const collectMs = 10;
/** How often a failing call is tried, and the first pause between two attempts, ms. */
const maxAttempts = 4;
const retryMs = 250;
/** How many calls may add claims without a verdict. If other processes use the list and each call is slow, no verdict ever comes. */
const maxLooks = 60;

const helperNames = [
	'checkProcessedAndRecord',
	'clearAllProcessedItems',
	'getProcessedDataCount',
	'removeProcessed',
] as const;
type Helpers = Pick<IExecuteFunctions['helpers'], (typeof helperNames)[number]>;

/** A caller that waits for an answer. */
interface Waiting {
	resolve: (verdict: boolean) => void;
	reject: (error: unknown) => void;
}

/** The stores of this process, by list. */
const stores = new BoundedMap<string, EntryStore>({ maxSize: 1_000 });

/** A list of a node or a workflow, shared by all runs in this process. */
export class EntryStore {
	private claims = new Claims(randomUUID());
	private readonly waiting = new Map<string, Waiting[]>();
	private work: Promise<void> | undefined;
	private flushes = 0;
	private hasGivenUp = false;

	private constructor(
		private helpers: Helpers,
		private readonly scope: DeduplicationScope,
	) {}

	/** The list of the node, or of its workflow. */
	static of(context: IExecuteFunctions, scope: DeduplicationScope): EntryStore {
		const node = scope === 'node' ? context.getNode().id : '';
		const name = `${scope} ${context.getWorkflow().id} ${node}`;
		// All helpers together keep all data of their execution in memory.
		const helpers = pick(context.helpers, helperNames);
		const store = stores.getOrSet(name, () => new EntryStore(helpers, scope));
		store.helpers = helpers;
		return store;
	}

	/** About how long a claim waits for its verdict, ms. */
	get verdictMs(): number {
		return this.claims.verdictMs(performance.now());
	}

	/** Whether other processes use the list, too. */
	get isShared(): boolean {
		return this.claims.hasMet(performance.now());
	}

	/** Takes an entry for the caller alone. @returns whether it is ours @throws what n8n's database throws */
	async claim(entry: string): Promise<boolean> {
		return this.claims.want(entry) && (await this.answerOf(entry));
	}

	/** Whether an entry is in the list. @throws what n8n's database throws */
	async has(entry: string): Promise<boolean> {
		this.claims.ask(entry);
		return await this.answerOf(entry);
	}

	/** Adds an entry with the next call, or at the latest with {@link flush}. */
	add(entry: string): void {
		this.claims.add(entry);
	}

	/** Removes a claim of ours with the next call, or at the latest with {@link flush}. */
	remove(entry: string): void {
		this.claims.remove(entry);
	}

	/** Writes the entries that are not written yet. Does not throw. @returns the entries that could not be written; they are forgotten */
	async flush(entries: Set<string>): Promise<string[]> {
		const unwritten = () => this.claims.unwritten.filter((entry) => entries.has(entry));
		this.hasGivenUp = false;
		this.flushes++;
		while (unwritten().length > 0 && !this.hasGivenUp) {
			this.begin();
			await sleep(collectMs);
		}
		this.flushes--;
		const left = unwritten();
		for (const entry of left) this.claims.forget(entry);
		return left;
	}

	/** Forgets all entries. @throws what n8n's database throws */
	async clear(): Promise<void> {
		await withLock(this, async () => {
			await this.helpers.clearAllProcessedItems(this.scope, { mode: 'entries' });
			this.claims.noteCleared(performance.now());
		});
	}

	private async answerOf(entry: string): Promise<boolean> {
		const answer = new Promise<boolean>((resolve, reject) => {
			const others = this.waiting.get(entry) ?? [];
			this.waiting.set(entry, [...others, { resolve, reject }]);
		});
		this.begin();
		return await answer;
	}

	private begin(): void {
		this.work ??= this.workUntilDone().finally(() => (this.work = undefined));
	}

	/** Makes the calls that the claims want, one after the other. Does not reject. */
	private async workUntilDone(): Promise<void> {
		await sleep(collectMs);
		for (let failures = 0, looks = 0; ; ) {
			const now = performance.now();
			const step = this.claims.next(now, this.flushes > 0);
			if (step === undefined) return;
			if (typeof step === 'number') {
				await sleep(Math.min(step - now, collectMs));
				continue;
			}
			try {
				const result = await withLock(this, async () => await this.call(step));
				failures = 0;
				const verdicts = this.claims.note(step, result);
				for (const [entry, verdict] of verdicts)
					for (const { resolve } of this.settled(entry)) resolve(verdict);
				if (verdicts.size > 0 || this.waiting.size === 0) looks = 0;
				else if (step.method === 'add' && ++looks === maxLooks)
					return this.giveUp(new Error('The database is too slow for several processes.'));
			} catch (error) {
				if (++failures === maxAttempts) return this.giveUp(error);
				// n8n fails if another process creates the list at the same moment. At the second attempt, the list exists.
				await sleep(retryMs * 2 ** (failures - 1));
			}
		}
	}

	private async call({ method, entries }: Call): Promise<CallResult> {
		const { helpers, scope } = this;
		const options = { mode: 'entries' } as const;
		const before = await helpers.getProcessedDataCount(scope, options);
		const startedAt = performance.now();
		if (method === 'remove') {
			await helpers.removeProcessed(entries, scope, options);
			const after = before - entries.length;
			return { added: new Set(), before, after, startedAt, endedAt: performance.now() };
		}
		const isFull = before + entries.length > maxEntries;
		const bound = isFull ? { ...options, maxEntries: keptEntries } : options;
		const { new: missing } = await helpers.checkProcessedAndRecord(entries, scope, bound);
		const added = new Set(missing.map(String));
		const all = before + added.size;
		const after = isFull ? Math.min(all, keptEntries) : all;
		return { added, before, after, startedAt, endedAt: performance.now() };
	}

	private giveUp(error: unknown): void {
		this.hasGivenUp = true;
		this.claims.giveUp(performance.now());
		for (const entry of [...this.waiting.keys()])
			for (const { reject } of this.settled(entry)) reject(error);
	}

	private settled(entry: string): Waiting[] {
		const waiting = this.waiting.get(entry) ?? [];
		this.waiting.delete(entry);
		return waiting;
	}
}

/** The failure of a message that was not sent because n8n's database could not be written. */
export function notWritten(feature: string, cause: unknown): InputError {
	return new InputError(
		`${feature} could not write to n8n's database, so this message was not sent`,
		`Run the node again when the database works. (${String(cause)})`,
	);
}
