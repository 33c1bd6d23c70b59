/** What the process of a trigger knows about runs, and what n8n stores of it with the trigger. */
import { union, uniq } from 'lodash';

import { BoundedMap } from '../boundedMap';
import { type Run, type Sender, isOpen, keysOf, mergeRun } from './core';
import type { Delivery, InboxPorts } from './ports';
import { fromRecord, toRecord } from './records';
import { Runs } from './runs';

/** How many settled messages and runs a trigger recognizes, and for how long, minutes. */
const maxSettled = 10_000;
const maxSettledMinutes = 2 * 24 * 60;
const minuteMs = 60_000;
/** Replies that arrive within this time, ms, are stored together, because storing takes long with thousands of people. */
const storeDelayMs = 200;
/** How long a delivery waits for another delivery that stores its changes too, ms. */
const maxStoringMs = 2_000;
/** Pauses between the checks whether n8n still has what was stored, ms: an execution may write back an older copy. */
const guardPausesMs = [1_000, 4_000, 16_000];
/** The pause between the further checks while runs are open, ms: an execution may take hours, or a trigger may keep a copy for weeks. */
const guardAgainMs = 600_000;
const maxAttempts = 4;
/** Length of the random beginning of an encrypted text, characters. It tells such texts apart. */
const tagLength = 16;
/** The name of the entry with everything settled. All other entries have the names of runs. */
const settledName = 'settled';

/** What a process knows. n8n reads all of it with each delivery; if a delivery changes it, n8n writes back all of it. */
export class Known {
	readonly runs = new Runs();
	/** The stored text of each run that has not changed since. */
	private readonly texts = new Map<string, string>();
	/** The beginnings of stored texts whose content is known. */
	private readonly seen = new BoundedMap<string, true>({ maxSize: 20_000 });
	/** Keys of settled replies and names of settled runs, each with its time in minutes. */
	private readonly settled = new BoundedMap<string, number>({ maxSize: maxSettled });
	/** The runs that have changed since n8n last stored them for certain. */
	private readonly changedRuns = new Set<string>();
	private settledText?: string;
	private loadedSettled?: string;
	/** The number of deliveries with changes that still wait for n8n's response. */
	private storing = 0;
	/** Resolves to whether n8n has stored everything that is known now. It belongs to a delivery that n8n has not begun to store. */
	private gathering?: Promise<boolean>;
	private changes = 0;
	private isGuarding = false;
	/** Owners that a run could not reach. New runs do not wait for them, until they call again or another run names them. */
	readonly gone = new Set<string>();
	/** The value that n8n stores: the state at the moment of storing. */
	private readonly live = { toJSON: () => (this.isEmpty ? undefined : this.toStored()) };
	/** Called when a run has changed, and when it is forgotten. */
	onChange: (run: Run) => void = () => {};
	onForget: (id: string) => void = () => {};

	/** @param own URL of the trigger without its secret */
	constructor(
		readonly own: string,
		public ports: InboxPorts,
	) {}

	/** Whether nothing is known. */
	get isEmpty(): boolean {
		return this.runs.size + this.settled.size === 0;
	}

	/** Lets all texts be encrypted again. */
	sealAgain(): void {
		this.texts.clear();
	}

	/** Whether a key is that of a settled reply, or of a settled run. */
	isSettled(key: string): boolean {
		return this.settled.has(key);
	}

	/** Adds what n8n has stored with the trigger. */
	load({ stored }: Pick<Delivery, 'stored'>): void {
		let unreadable = 0;
		let isOther = false;
		for (const [id, text] of entriesOf(stored)) {
			if (id === settledName) this.loadSettled(text);
			else if (this.texts.get(id) !== text) {
				isOther = true;
				if (this.seen.has(tagOf(text))) continue;
				const record = this.ports.unseal(text);
				if (record === undefined) unreadable++;
				else this.mergeText(id, record, text);
				this.seen.set(tagOf(text), true);
			}
		}
		// This process has just started, or an execution has written back an older copy.
		if (isOther && !this.isGuarding) void this.guard();
		if (unreadable > 0)
			this.ports.warn(
				`Send and Wait cannot read open questions that were stored with another API key (${unreadable}). Replies to them start workflows.`,
			);
	}

	private loadSettled(text: string): void {
		if (text === this.settledText || text === this.loadedSettled) return;
		this.loadedSettled = text;
		const now = this.minute();
		for (const entry of text.split(' ')) {
			const [key, minute] = entry.split('.');
			const at = Number.parseInt(minute, 36);
			if (now - at < maxSettledMinutes && !this.settled.has(key)) this.settle(copyOf(key), at);
		}
		for (const run of this.runs.all()) if (this.settled.has(run.id)) this.forget(run.id);
	}

	/** Remembers the key of a settled reply, or the name of a settled run. */
	settle(key: string, minute = this.minute()): void {
		this.settled.set(key, minute);
		this.settledText = undefined;
	}

	private minute(): number {
		return Math.floor(this.ports.now() / minuteMs);
	}

	private toStored(): Record<string, string> {
		const runs = this.runs.all().map(({ id }) => [id, this.textOf(id)]);
		if (this.settled.size === 0) return Object.fromEntries(runs) as Record<string, string>;
		this.settledText ??= this.settled
			.all()
			.filter(([, at]) => this.minute() - at < maxSettledMinutes)
			.map(([key, at]) => `${key}.${at.toString(36)}`)
			.join(' ');
		return Object.fromEntries([...runs, [settledName, this.settledText]]) as Record<string, string>;
	}

	private textOf(id: string): string {
		const known = this.texts.get(id);
		if (known !== undefined) return known;
		const text = this.ports.seal(toRecord(this.runs.get(id) as Run, this.own));
		this.texts.set(id, text);
		this.seen.set(tagOf(text), true);
		return text;
	}

	/** Whether n8n had stored all that is known when a delivery arrived. If so, no run counts as changed any more. */
	isStored({ stored }: Pick<Delivery, 'stored'>): boolean {
		const entries = entriesOf(stored);
		const known = this.toStored();
		const isAll =
			entries.length === Object.keys(known).length &&
			entries.every(([id, text]) => known[id] === text);
		if (isAll) this.changedRuns.clear();
		return isAll;
	}

	/**
	 * Makes sure that n8n has stored the latest changes of these runs. If it may not have, a call to this trigger makes n8n
	 * store everything.
	 *
	 * @returns false if n8n did not confirm it
	 */
	async ensureStored(runs: Run[]): Promise<boolean> {
		if (!runs.some(({ id }) => this.changedRuns.has(id))) return true;
		const result = await this.ports.callTrigger(this.own, { is: 'sync' });
		return typeof result === 'object' && result.inbox === 'yes';
	}

	/**
	 * Lets n8n store everything that is known before this delivery gets its response: with this delivery, or with another
	 * one of the same moment, because n8n writes everything each time.
	 *
	 * @param isStarting whether the delivery starts a workflow: then n8n may forget that the data was changed
	 */
	async persist(delivery: Delivery, isStarting = false): Promise<void> {
		void this.guard();
		const { gathering } = this;
		if (gathering) {
			const late = this.ports.pause(maxStoringMs).then(() => false);
			if (await Promise.race([gathering, late])) return;
			if (this.gathering === gathering) this.gathering = undefined;
			return await this.persist(delivery, isStarting);
		}
		if (isStarting) return delivery.store(this.live);
		const stored = delivery.ended.then((end) => end === 'received');
		this.gathering = stored;
		if (this.storing > 0) await this.ports.pause(storeDelayMs);
		this.storing++;
		let written: Array<[id: string, text: string | undefined]> = [];
		void stored.then((isStored) => {
			this.storing--;
			for (const [id, text] of isStored ? written : [])
				if (this.texts.get(id) === text) this.changedRuns.delete(id);
		});
		delivery.store({
			toJSON: () => {
				// Later changes are stored with another delivery.
				if (this.gathering === stored) this.gathering = undefined;
				const value = this.live.toJSON();
				written = [...this.changedRuns].map((id) => [id, this.texts.get(id)]);
				return value;
			},
		});
	}

	/**
	 * Lets n8n store everything that is known together with a delivery's other changes. Otherwise, n8n writes back what
	 * it had when the delivery arrived, which may have been before the first question.
	 */
	keep(delivery: Delivery): void {
		delivery.store(this.live);
	}

	/**
	 * Checks several times, and then as long as there are runs, whether n8n still has what was stored: an execution may
	 * write back an older copy.
	 */
	async guard(): Promise<void> {
		const change = ++this.changes;
		this.isGuarding = true;
		for (let turn = 0; turn < guardPausesMs.length || this.runs.size > 0; turn++) {
			let pauseMs = guardPausesMs[turn] ?? guardAgainMs;
			for (let attempt = 0; attempt < maxAttempts; attempt++) {
				await this.ports.pause(pauseMs);
				// A later change has its own guard.
				if (change !== this.changes) return;
				const result = await this.ports.callTrigger(this.own, { is: 'sync' });
				if (typeof result === 'object' || (result && !this.isGuarding)) break;
				pauseMs = Math.min(pauseMs, 16_000);
			}
			this.isGuarding = turn + 1 < guardPausesMs.length;
		}
	}

	/** Adds the record of a run. @returns undefined if the record is invalid, or the run is settled */
	mergeText(id: string, record: string, text?: string): Run | undefined {
		if (this.settled.has(id)) return undefined;
		const run = fromRecord(id, record, this.own);
		if (!run) return undefined;
		const merged = this.merge(run);
		if (text !== undefined && toRecord(merged, this.own) === record) {
			this.texts.set(id, text);
			this.changedRuns.delete(id);
		}
		return merged;
	}

	/** Adds a run, or a newer state of it. */
	merge(run: Run): Run {
		const known = this.runs.get(run.id);
		const merged = known ? mergeRun(known, run) : run;
		this.runs.set(merged);
		this.changed(merged);
		return merged;
	}

	/** Lets a changed run be stored again, and be checked when it is due. */
	changed(run: Run): void {
		this.texts.delete(run.id);
		this.changedRuns.add(run.id);
		this.onChange(run);
	}

	/** Remembers that the workflow was started with these messages, which came too late for their run. */
	noteStarted(id: string, keys: string[]): void {
		const run = this.runs.get(id);
		if (!run) return;
		run.started = union(run.started, keys);
		this.changed(run);
	}

	/** Remembers the sender's name in each run whose question the message quotes. */
	learnSender(message: Sender): void {
		for (const run of this.runs.learnSender(message)) this.changed(run);
	}

	/** Forgets a run. */
	forget(id: string): void {
		this.runs.delete(id);
		this.texts.delete(id);
		this.changedRuns.delete(id);
		this.onForget(id);
	}

	/** Forgets a run, but remembers which messages were replies to it. */
	retire(run: Run): void {
		for (const key of [...keysOf(run), run.id]) this.settle(key);
		this.forget(run.id);
	}

	/** The owner of open questions that can be reached; if there are several, the first one in the order of URLs. */
	get owner(): string | undefined {
		const owners = this.runs.all().flatMap((run) => (this.isOpen(run) ? run.owner : []));
		return uniq(owners)
			.filter((owner) => !this.gone.has(owner))
			.sort()[0];
	}

	/** Whether a run may get replies. */
	isOpen(run: Run): boolean {
		return isOpen(run, this.ports.now());
	}
}

/** The stored entries with their names, which are those of runs and one more. */
export function entriesOf(stored: unknown): Array<[string, string]> {
	const isStored = typeof stored === 'object' && stored !== null;
	return isStored ? (Object.entries(stored) as Array<[string, string]>) : [];
}

function tagOf(text: string): string {
	return copyOf(text.slice(0, tagLength));
}

/** A copy of a part of a text: V8 keeps a whole text in memory as long as a part of it is in use. */
function copyOf(part: string): string {
	return String(Buffer.from(part));
}
