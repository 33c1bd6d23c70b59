/**
 * Decides which process may take an entry of a list. Several processes read, change and write back the whole list
 * without a lock. This file holds only the rules: no n8n, no clock, no network. The states, and why this is safe:
 * docs/adr/0014-claims.md
 */
import { sum } from 'lodash';

/** All times of the protocol, ms. Tests make them shorter. */
export const timing = {
	/** The longest time that a process may take between reading and writing the list. */
	maxCall: 10_000,
	/**
	 * A call that takes longer is slow. After a slow call, the process waits before its next one, so that others can
	 * notice what the slow call has overwritten.
	 */
	slowCall: 1_000,
	/** How often a process looks whether its new claim is still in the list. */
	check: 2_000,
	/** How long a process waits after a slow call: longer than `check` and a fast call together. */
	pause: 3_500,
	/** The shortest time for which a process watches its new claim, while no other process writes to the list. */
	watchAlone: 50,
	/** How long other processes count as present after they have written to the list. */
	remember: 3_600_000,
};

/** How long a process watches its new claim while others may write: longer than anybody can hold a copy of the list without the claim. */
const watchMs = () => sum([timing.maxCall, timing.check, 2 * timing.slowCall]);

/** The greatest number of entries that one call removes: n8n searches the whole list for each of them. */
const maxRemoved = 100;

/** An entry of every new list. The process whose call has added it knows that it has created the list. */
const creation = 'list';

/** A call of n8n's store. */
export type Call =
	| { method: 'remove'; entries: string[] }
	| { method: 'add'; entries: string[]; mark: string };

/** What a call has shown. */
export interface CallResult {
	/** The entries of the call that were missing in the list. */
	added: Set<string>;
	/** How many entries the list had just before the call, and how many it has now if nobody else has written. */
	before: number;
	after: number;
	startedAt: number;
	endedAt: number;
}

/**
 * A claim of ours that was missing in the list when our call added it. Another process may be taking it at the same
 * time, so we watch it.
 */
interface Watched {
	/** An entry that only we have added, in the same call. If it is gone, another process has overwritten that call. */
	mark: string;
	since: number;
}

/** Takes the verdict on an entry. */
type Note = (entry: string, verdict: boolean) => void;

/** What one process knows of a list. */
export class Claims {
	private readonly wanted = new Set<string>();
	private readonly watched = new Map<string, Watched>();
	private readonly questions = new Set<string>();
	/** Questions to ask again, and when. The first answer was "known", but the entry may only come from the question of another process. */
	private readonly doubted = new Map<string, number>();
	/** Entries to add; for those that are in the list already, the time at which they were added. */
	private readonly additions = new Map<string, number | undefined>();
	private readonly removals = new Set<string>();
	/** Marks that are in the list. */
	private readonly marks = new Set<string>();
	/**
	 * Entries that questions have added, to be removed a second time, and when: during the first removal, another process
	 * may have been writing.
	 */
	private readonly undone = new Map<string, number>();
	/** Entries of `removals` that a question has added. */
	private readonly answers = new Set<string>();
	private calls = 0;
	private firstCallAt?: number;
	private lastCallAt = 0;
	private lastDuration = 0;
	private notBefore = 0;
	private expected?: number;
	private metAt = -Infinity;

	/**
	 * @param id of this process; no other process has the same one
	 * @param marksAtOnce how many marks that nobody watches any more are removed together
	 */
	constructor(
		private readonly id: string,
		private readonly marksAtOnce = 20,
	) {}

	/**
	 * Wants an entry for this process alone.
	 *
	 * @returns whether a verdict follows; false if another caller in this process already wants the entry
	 */
	want(entry: string): boolean {
		if (this.wanted.has(entry) || this.watched.has(entry)) return false;
		this.wanted.add(entry);
		return true;
	}

	/** Asks whether an entry is in the list. */
	ask(entry: string): void {
		if (!this.doubted.has(entry)) this.questions.add(entry);
	}

	/** Adds an entry with the next call. */
	add(entry: string): void {
		this.removals.delete(entry);
		this.undone.delete(entry);
		this.additions.set(entry, undefined);
	}

	/** Removes an entry with a next call. The entry is a claim of ours whose message was certainly not sent. */
	remove(entry: string): void {
		this.additions.delete(entry);
		this.removals.add(entry);
	}

	/** The entries that are not yet added to the list, or not yet removed from it. */
	get unwritten(): string[] {
		const additions = [...this.additions].filter(([, since]) => since === undefined);
		return [...additions.map(([entry]) => entry), ...this.removals, ...this.undone.keys()];
	}

	/** Forgets an entry that could not be written. */
	forget(entry: string): void {
		this.additions.delete(entry);
		this.removals.delete(entry);
	}

	/**
	 * Forgets everything that waits for a verdict, because the list cannot be written. An entry that another process may
	 * have taken meanwhile is not freed.
	 */
	giveUp(now: number): void {
		if (this.isAlone(now)) for (const entry of this.watched.keys()) this.removals.add(entry);
		this.wanted.clear();
		this.watched.clear();
		this.questions.clear();
		this.doubted.clear();
	}

	/** Notes that the list was deleted. What waits for a verdict is wanted or asked again. */
	noteCleared(now: number): void {
		const wanted = [...this.wanted, ...this.watched.keys()];
		const questions = [...this.questions, ...this.doubted.keys()];
		this.giveUp(now);
		this.additions.clear();
		this.removals.clear();
		this.undone.clear();
		this.marks.clear();
		this.expected = 0;
		for (const entry of wanted) this.want(entry);
		for (const entry of questions) this.ask(entry);
	}

	/** Whether nobody else has written to the list for a while. */
	isAlone(now: number): boolean {
		if (this.firstCallAt === undefined || now - this.metAt < timing.remember) return false;
		return now - this.firstCallAt >= watchMs();
	}

	/** Whether others have written to the list lately. */
	hasMet(now: number): boolean {
		return now - this.metAt < timing.remember;
	}

	/**
	 * About how long a claim waits for its verdict, ms: with other processes, the time for which it is watched; alone,
	 * two calls, a pause after each, and a shorter time for which it is watched.
	 */
	verdictMs(now: number): number {
		return this.hasMet(now) ? watchMs() : 6 * this.lastDuration;
	}

	/**
	 * What to do now.
	 *
	 * @param isFlushing whether additions and removals are written even if nothing is claimed
	 * @returns a call, the time until which nothing has to be done, or undefined if there is nothing to do
	 */
	next(now: number, isFlushing = false): Call | number | undefined {
		const isUnwritten = [...this.additions.values()].includes(undefined);
		for (const [entry, since = now] of this.additions)
			if (now - since > watchMs()) this.additions.delete(entry);
		for (const [entry, at] of this.doubted) if (now >= at) this.questions.add(entry);
		const isAsking = this.wanted.size + this.questions.size + this.removals.size > 0;
		const isUrgent = isAsking || (isFlushing && isUnwritten);
		if (!isUrgent && this.watched.size + this.undone.size + this.doubted.size === 0)
			return undefined;
		const due = Math.max(this.notBefore, isUrgent ? 0 : this.nextCheck(now));
		if (now < due) return due;
		const again = [...this.undone].filter(([, at]) => now >= at).map(([entry]) => entry);
		const removed = [...this.removals, ...again].slice(0, maxRemoved);
		if (removed.length > 0) return { method: 'remove', entries: removed };
		const mark = `mark ${this.id} ${++this.calls}`;
		const entries = new Set([
			...this.additions.keys(),
			...this.wanted,
			...this.questions,
			...this.watched.keys(),
			...[...this.watched.values()].map((watched) => watched.mark),
			...(this.wanted.size > 0 ? [mark] : []),
			...(this.expected ? [] : [creation]),
		]);
		return { method: 'add', entries: [...entries], mark };
	}

	/** Notes the result of a call. @returns for each wanted entry, whether it is ours; for each question, whether the entry is in the list */
	note(call: Call, result: CallResult): Map<string, boolean> {
		const { startedAt, endedAt, before, after } = result;
		if (this.expected !== undefined && before !== this.expected) this.metAt = endedAt;
		this.expected = after;
		this.lastDuration = endedAt - startedAt;
		const isSlow = this.lastDuration > timing.slowCall;
		this.notBefore = endedAt + (isSlow ? timing.pause : this.lastDuration);
		if (call.method === 'add') return this.noteAdded(call.mark, new Set(call.entries), result);
		for (const entry of call.entries) {
			this.undone.delete(entry);
			// Even if no other process is known: one may have read the list before this call, and write it back only now.
			if (this.removals.delete(entry) && this.answers.delete(entry))
				this.undone.set(entry, endedAt + timing.check);
		}
		return new Map();
	}

	private noteAdded(mark: string, entries: Set<string>, result: CallResult): Map<string, boolean> {
		const { added, startedAt, endedAt } = result;
		const isOverwritten = [...this.watched.values()].some((watched) => added.has(watched.mark));
		if (isOverwritten) this.metAt = endedAt;
		this.firstCallAt ??= startedAt;
		const verdicts = new Map<string, boolean>();
		const note = (entry: string, verdict: boolean) => void verdicts.set(entry, verdict);
		for (const entry of this.watched.keys())
			if (entries.has(entry)) this.noteWatched(entry, result, note);
		for (const entry of this.wanted)
			if (entries.has(entry)) this.noteWanted(entry, mark, result, note);
		for (const entry of this.questions)
			if (entries.has(entry)) this.noteQuestion(entry, result, note);
		const isAlone = this.isAlone(endedAt);
		for (const [entry, since] of this.additions) {
			if (!entries.has(entry)) continue;
			// Other processes may overwrite the entry, so later calls add it again.
			if (since === undefined) this.additions.set(entry, endedAt);
			else if (isAlone) this.additions.delete(entry);
		}
		this.removeMarks(mark, result);
		this.lastCallAt = startedAt;
		return verdicts;
	}

	/** Otherwise, runs that only find messages sent before would fill the list with marks. */
	private removeMarks(mark: string, { added, before, after }: CallResult): void {
		// The list was full and has lost its oldest entries, perhaps marks too.
		if (after < before + added.size) this.marks.clear();
		if (added.has(mark)) this.marks.add(mark);
		const watched = new Set([...this.watched.values()].map((one) => one.mark));
		const old = [...this.marks].filter((one) => !watched.has(one));
		if (old.length < this.marksAtOnce) return;
		for (const one of old) {
			this.marks.delete(one);
			this.removals.add(one);
		}
	}

	private noteWatched(entry: string, { added, startedAt, endedAt }: CallResult, note: Note): void {
		const watched = this.watched.get(entry);
		if (!watched) return;
		const isAlone = this.isAlone(endedAt);
		const isGone = added.has(entry);
		/** This process has not looked for so long that another one may have overwritten the claim, and this call may have hidden that. */
		const wasBlind = endedAt - this.lastCallAt > timing.check + 2 * timing.slowCall;
		if (isGone || (wasBlind && !isAlone)) watched.since = endedAt;
		const isTaken = added.has(watched.mark) && !isGone;
		const isOld = startedAt >= watched.since + this.neededAge(endedAt);
		if (isTaken || (isGone && this.isTooLate(endedAt))) note(entry, false);
		else if (!isGone && isOld) note(entry, true);
		else return;
		this.watched.delete(entry);
	}

	private noteWanted(entry: string, mark: string, result: CallResult, note: Note): void {
		const { added, before, endedAt } = result;
		/** This call has created the list, so nobody can hold an older copy. */
		const isCreated = added.has(creation) && before === 0;
		this.wanted.delete(entry);
		if (!added.has(entry) || this.isTooLate(endedAt)) note(entry, false);
		else if (isCreated) note(entry, true);
		else this.watched.set(entry, { mark, since: endedAt });
	}

	/** n8n's store has no lookup. To ask for an entry, the node adds it, and removes it again if it was missing. */
	private noteQuestion(entry: string, { added, endedAt }: CallResult, note: Note): void {
		const isFirst = !this.doubted.delete(entry);
		const isFromQuestion = this.removals.has(entry) || this.undone.has(entry);
		const isAdded = this.additions.has(entry);
		const isKnown = isAdded || (!added.has(entry) && !isFromQuestion);
		this.questions.delete(entry);
		if (isKnown && isFirst && !isAdded && !this.isAlone(endedAt)) {
			this.doubted.set(entry, endedAt + watchMs());
			return;
		}
		if (!isKnown) {
			this.answers.add(entry);
			this.removals.add(entry);
		}
		note(entry, isKnown);
	}

	/** Whether the last call took so long that other processes may have taken its entries and finished meanwhile. */
	private isTooLate(now: number): boolean {
		return this.lastDuration > timing.maxCall && !this.isAlone(now);
	}

	private neededAge(now: number): number {
		return this.isAlone(now) ? Math.max(timing.watchAlone, 2 * this.lastDuration) : watchMs();
	}

	private nextCheck(now: number): number {
		const since = Math.min(...[...this.watched.values()].map((watched) => watched.since));
		const decided = since + this.neededAge(now);
		const check = this.isAlone(now) ? Infinity : this.lastCallAt + timing.check;
		return Math.min(
			decided,
			this.watched.size > 0 ? check : Infinity,
			...this.undone.values(),
			...this.doubted.values(),
		);
	}
}
