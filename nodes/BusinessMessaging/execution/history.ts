/**
 * A list of entries in n8n's own database, which several processes of n8n write at the same time.
 *
 * n8n's deduplication helper reads the whole list, adds to it and writes all of it back, without a lock. Of two
 * processes that do so at the same time, the later one overwrites what the earlier one has added. So each addition
 * carries a mark that is looked for again a moment later: if it is gone, everything of this addition is gone, and it is
 * made anew; what another process has added meanwhile is then no longer new. An addition that itself took so long that
 * others may already have found their marks before it overwrote them is taken back and made anew, more patiently. What
 * was added in the last seconds is added along with everything that follows, which brings back what was overwritten late.
 */
import { randomUUID } from 'crypto';
import {
	type DeduplicationScope,
	type ICheckProcessedOptions,
	type IExecuteFunctions,
	sleep,
} from 'n8n-workflow';

const options: ICheckProcessedOptions = { mode: 'entries' };
/** How long to wait before looking for a mark, ms: several times what reading and writing the list takes. */
const shortestSettleMs = 60;
const longestSettleMs = 5_000;
const safety = 3;
/** How long entries are added again and again, ms. */
const recentMs = 10_000;
const mostTries = 100;
/** How many marks may be left in the list before they are removed in one go. */
const mostMarks = 20;

type Helpers = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'getProcessedDataCount' | 'removeProcessed'
>;

/** The list of a node or a workflow. Its methods are called one after the other. */
export class History {
	/** Entries of ours that others may still overwrite, and since when they are there. */
	private readonly recent = new Map<string, number>();
	private marks: string[] = [];
	private settleMs = shortestSettleMs;

	constructor(
		private readonly helpers: Helpers,
		private readonly scope: DeduplicationScope,
	) {}

	/**
	 * Adds entries.
	 *
	 * @param alongside entries that nobody else adds
	 * @returns those of the first that were not there before and were added by nobody else
	 * @throws Error if others overwrite them time and again, or what n8n's database throws
	 */
	async add(entries: string[], alongside: string[] = []): Promise<Set<string>> {
		if (this.marks.length >= mostMarks) await this.removeMarks();
		let ours = [...new Set(entries)];
		let last: { origin: string; isTakenBack: boolean } | undefined;
		for (let tries = 0; tries < mostTries; tries++) {
			const [origin, proof] = [this.newMark(), this.newMark()];
			const { added, isSlow } = await this.write([
				...this.recentEntries(),
				...alongside,
				...ours,
				...(last ? [last.origin] : []),
				origin,
				proof,
			]);
			if (!last && added.size === 2) return new Set(); // the marks alone: all the rest was there before
			// Somebody may have written our own last addition back: what is there is ours, or is still to be taken back.
			const isOwn = last !== undefined && !added.has(last.origin);
			ours = ours.filter((entry) => isOwn || added.has(entry));
			const isTakenBack: boolean = isSlow || (isOwn && last?.isTakenBack === true);
			if (isTakenBack) await this.remove([...ours, origin, ...(last ? [last.origin] : [])]);
			last = { origin, isTakenBack };
			await sleep(this.settleMs);
			if (isTakenBack || (await this.record([proof])).has(proof)) continue;
			for (const entry of [...alongside, ...ours]) this.recent.set(entry, Date.now());
			return new Set(ours);
		}
		throw new Error('Other processes of n8n overwrite what this one writes');
	}

	/** Removes entries. */
	async remove(entries: string[]): Promise<void> {
		for (const entry of entries) this.recent.delete(entry);
		if (entries.length > 0) await this.helpers.removeProcessed(entries, this.scope, options);
	}

	/** Which entries are missing. The helper cannot look without recording, so that is undone. */
	async missing(entries: string[]): Promise<Set<string>> {
		const missing = await this.record(entries);
		await this.remove([...missing]);
		return missing;
	}

	/** How many entries there are, of all who use the list. */
	async count(): Promise<number> {
		return (await this.helpers.getProcessedDataCount(this.scope, options)) - this.marks.length;
	}

	/** Removes what {@link add} has left of its own. */
	async removeMarks(): Promise<void> {
		await this.remove(this.marks);
		this.marks = [];
	}

	private newMark(): string {
		const mark = `mark ${randomUUID()}`;
		this.marks.push(mark);
		return mark;
	}

	private async write(entries: string[]): Promise<{ added: Set<string>; isSlow: boolean }> {
		const start = Date.now();
		const added = await this.record(entries);
		const took = Date.now() - start;
		const isSlow = safety * took > this.settleMs && this.settleMs < longestSettleMs;
		// Longer at once, shorter step by step: one pause of the database shall not slow down the rest of a campaign.
		const fitting = Math.min(Math.max(2 * safety * took, shortestSettleMs), longestSettleMs);
		this.settleMs = Math.max(fitting, isSlow ? 0 : this.settleMs / 2);
		return { added, isSlow };
	}

	private async record(entries: string[]): Promise<Set<string>> {
		if (entries.length === 0) return new Set();
		const record = async () =>
			await this.helpers.checkProcessedAndRecord([...new Set(entries)], this.scope, options);
		// n8n refuses to make a list that another process has made in this very moment; there is one now.
		const { new: added } = await record().catch(record);
		return new Set(added.map(String));
	}

	private recentEntries(): string[] {
		for (const [entry, since] of this.recent) {
			if (Date.now() - since < recentMs) break;
			this.recent.delete(entry);
		}
		return [...this.recent.keys()];
	}
}
