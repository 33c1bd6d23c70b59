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
const minPauseMs = 60;
const maxPauseMs = 5_000;
const safety = 3;
/** How long entries are added again and again, ms. */
const recentMs = 10_000;
const maxAttempts = 100;
/** How many marks may be left in the list before they are removed in one go. */
const maxMarks = 20;

type Helpers = Pick<IExecuteFunctions['helpers'], 'checkProcessedAndRecord' | 'removeProcessed'>;

/** The list of a node or a workflow. Its methods are called one after the other. */
export class History {
	/** Entries that are to be removed, since a call that should have removed or kept them has failed. */
	abandoned: string[] = [];
	/** Entries of ours that others may still overwrite, and since when they are there. */
	private readonly recent = new Map<string, number>();
	private marks: string[] = [];
	private pauseMs = minPauseMs;

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
		await (this.marks.length >= maxMarks ? this.removeMarks() : this.remove([]));
		let ours = [...new Set(entries)];
		let last: { origin: string[]; isTakenBack: boolean } = { origin: [], isTakenBack: false };
		for (let attempt = 0; attempt < maxAttempts; attempt++) {
			const [origin, proof] = [this.newMark(), this.newMark()];
			const { added, isSlow } = await this.write([
				...this.recentEntries(),
				...alongside,
				...ours,
				...last.origin,
				origin,
				proof,
			]);
			if (attempt === 0 && added.size === 2) return new Set(); // the marks alone: all the rest was there before
			// Somebody may have written our own last addition back: what is there is ours, or is still to be taken back.
			const isOwn = last.origin.some((mark) => !added.has(mark));
			ours = ours.filter((entry) => isOwn || added.has(entry));
			this.abandoned = ours; // unless this goes well
			const isTakenBack: boolean = isSlow || (isOwn && last.isTakenBack);
			if (isTakenBack) await this.remove([origin, ...last.origin]);
			last = { origin: [origin], isTakenBack };
			await sleep(this.pauseMs);
			if (isTakenBack || (await this.record([proof])).has(proof)) continue;
			for (const entry of [...alongside, ...ours]) this.recent.set(entry, Date.now());
			this.abandoned = [];
			return new Set(ours);
		}
		throw new Error('Other processes of n8n overwrite what this one writes');
	}

	/** Removes entries, and those that were abandoned. If that fails, they are removed with the next call. */
	async remove(entries: string[]): Promise<void> {
		for (const entry of entries) this.recent.delete(entry);
		this.abandoned = [...this.abandoned, ...entries];
		if (this.abandoned.length === 0) return;
		await this.helpers.removeProcessed(this.abandoned, this.scope, options);
		this.abandoned = [];
	}

	/** Which entries are missing. The helper cannot look without recording, so that is undone. */
	async missing(entries: string[]): Promise<Set<string>> {
		const missing = await this.record(entries);
		await this.remove([...missing]);
		return missing;
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
		const isSlow = safety * took > this.pauseMs && this.pauseMs < maxPauseMs;
		// Longer at once, shorter step by step: one pause of the database does not slow down the rest of a campaign.
		const fitting = Math.min(Math.max(2 * safety * took, minPauseMs), maxPauseMs);
		this.pauseMs = Math.max(fitting, isSlow ? 0 : this.pauseMs / 2);
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
