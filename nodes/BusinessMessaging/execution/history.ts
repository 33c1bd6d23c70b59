/**
 * A list of entries in n8n's database, for several processes of n8n. n8n's helper reads and writes the whole list without a
 * lock, so a process can overwrite what another one has added. So each addition has a mark. The node looks for it after a
 * pause: if it is gone, the addition is repeated. docs/adr/0004-memory.md
 */
import { randomUUID } from 'crypto';
import {
	type DeduplicationScope,
	type ICheckProcessedOptions,
	type IExecuteFunctions,
	sleep,
} from 'n8n-workflow';

import { InputError } from '../transport/errors';

const options: ICheckProcessedOptions = { mode: 'entries' };
/** How long to wait before looking for a mark, ms: several times longer than the list takes to read and write. */
const minPauseMs = 60;
const maxPauseMs = 5_000;
const safety = 3;
/** How long entries are added again together with later ones, ms. */
const recentMs = 10_000;
const maxAttempts = 100;
/** How many marks may be left in the list before they are removed in one go. */
const maxMarks = 20;

type Helpers = Pick<IExecuteFunctions['helpers'], 'checkProcessedAndRecord' | 'removeProcessed'>;

/** The list of a node or a workflow. Its methods are called one after the other. */
export class History {
	/** Entries that the next call removes. Any run may add to it at any time. */
	readonly removals = new Set<string>();
	/** Our entries that other processes may still overwrite, and when they were added. */
	private readonly recent = new Map<string, number>();
	private marks: string[] = [];
	private pauseMs = minPauseMs;

	constructor(
		private readonly helpers: Helpers,
		private readonly scope: DeduplicationScope,
	) {}

	/**
	 * Adds entries. If that fails, they are among the removals.
	 *
	 * @param alongside entries that only this process adds
	 * @returns those of `entries` that are new and that only this process has added
	 * @throws Error if others overwrite them again and again, or what n8n's database throws
	 */
	async add(entries: string[], alongside: string[] = []): Promise<Set<string>> {
		await (this.marks.length >= maxMarks ? this.removeMarks() : this.remove());
		let ours = [...new Set(entries)];
		let last: { origin: string[]; isTakenBack: boolean } = { origin: [], isTakenBack: false };
		for (let attempt = 0; attempt < maxAttempts; attempt++) {
			const [origin, proof] = [this.newMark(), this.newMark()];
			const others = [...this.recentEntries(), ...alongside, ...last.origin];
			const { added, isSlow } = await this.write([...others, ...ours, origin, proof]);
			if (attempt === 0 && added.size === 2) return new Set(); // only the marks are new
			// Another process may have written our last addition back: the entries are then ours, or still have to be removed.
			const isOwn = last.origin.some((mark) => !added.has(mark));
			ours = ours.filter((entry) => isOwn || added.has(entry));
			for (const entry of entries) this.removals.delete(entry);
			for (const entry of ours) this.removals.add(entry); // unless this goes well
			const isTakenBack: boolean = isSlow || (isOwn && last.isTakenBack);
			if (isTakenBack) await this.remove([origin, ...last.origin]);
			last = { origin: [origin], isTakenBack };
			await sleep(this.pauseMs);
			if (isTakenBack || (await this.record([proof])).has(proof)) continue;
			for (const entry of [...alongside, ...ours]) this.recent.set(entry, Date.now());
			for (const entry of ours) this.removals.delete(entry);
			return new Set(ours);
		}
		throw new Error('Other n8n processes keep overwriting the entries of this one');
	}

	/** Removes these entries and all removals. If that fails, they are removed with the next call. */
	async remove(entries: string[] = []): Promise<void> {
		for (const entry of entries) this.removals.add(entry);
		const removed = [...this.removals];
		if (removed.length === 0) return;
		for (const entry of removed) this.recent.delete(entry);
		await this.timed(async () => {
			await this.helpers.removeProcessed(removed, this.scope, options);
		});
		for (const entry of removed) this.removals.delete(entry);
	}

	/** Which entries are missing. The helper has no lookup: it records the entries, so they are removed again. */
	async missing(entries: string[]): Promise<Set<string>> {
		const missing = await this.record(entries);
		await this.remove([...missing]);
		return missing;
	}

	/** Removes the marks that {@link add} has left. */
	async removeMarks(): Promise<void> {
		await this.remove(this.marks.splice(0));
	}

	private newMark(): string {
		const mark = `mark ${randomUUID()}`;
		this.marks.push(mark);
		return mark;
	}

	private async write(entries: string[]): Promise<{ added: Set<string>; isSlow: boolean }> {
		const before = this.pauseMs;
		// The pause grows at once and shrinks step by step, so one delay of the database does not slow down the rest of a campaign.
		this.pauseMs = Math.max(before / 2, minPauseMs);
		const start = Date.now();
		const added = await this.record(entries);
		const isSlow = safety * (Date.now() - start) > before && before < maxPauseMs;
		return { added, isSlow };
	}

	private async record(entries: string[]): Promise<Set<string>> {
		if (entries.length === 0) return new Set();
		const record = async () =>
			await this.helpers.checkProcessedAndRecord([...new Set(entries)], this.scope, options);
		// n8n fails if another process creates the list at the same moment. The list then exists, so try again.
		const { new: added } = await this.timed(async () => await record().catch(record));
		return new Set(added.map(String));
	}

	/** Other processes are as slow: if one of our calls takes long, so may one of theirs that overwrites our addition. */
	private async timed<T>(call: () => Promise<T>): Promise<T> {
		const start = Date.now();
		try {
			return await call();
		} finally {
			const fitting = 2 * safety * (Date.now() - start);
			this.pauseMs = Math.max(this.pauseMs, Math.min(fitting, maxPauseMs));
		}
	}

	private recentEntries(): string[] {
		for (const [entry, since] of this.recent)
			if (Date.now() - since >= recentMs) this.recent.delete(entry);
		return [...this.recent.keys()];
	}
}

/** The failure of a message that was not sent because n8n's database could not be written. */
export function notWritten(feature: string, cause: unknown): InputError {
	return new InputError(
		`${feature} could not write to n8n's database, so this message was not sent`,
		`Run the node again when the database works. (${String(cause)})`,
	);
}
