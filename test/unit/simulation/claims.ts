/**
 * Send Once and Frequency Cap in virtual time: processes run campaigns over lists that are read, changed and written back as
 * a whole, as n8n's store does it. The real rules (Claims) in a model of everything around them.
 */
import { Claims } from '../../../nodes/BusinessMessaging/execution/claims';
import {
	confirmationsOf,
	type List,
	type Message,
	type Reason,
	type Rules,
	Run,
	Store,
	type World,
} from './claimProcesses';
import type { Schedule, Stall } from './claimSchedules';

/** What a schedule has shown. */
export interface Result {
	steps: number;
	sent: number;
	/** Rules that were broken, in words. */
	failures: string[];
	/** Who got a message twice because a process that had worked alone was met by one that stood still: docs/campaigns.md names it. */
	metLate: string[];
	/** Messages that count as sent although they were not: while they were claimed, a process was killed or stood still. */
	askedInVain: string[];
}

/** Runs a schedule. `make` gives the rules of a process, so that broken ones can be tried. */
export function simulate(
	schedule: Schedule,
	// With few marks at once, even short schedules remove some.
	make: (id: string) => Rules = (id) => new Claims(id, 2),
): Result {
	return new Simulation(schedule, make).run();
}

class Simulation implements World {
	private now = 0;
	private steps = 0;
	private order = 0;
	private readonly events: Array<{ at: number; order: number; run: () => void }> = [];
	private readonly lists: List[] = [];
	private readonly messages = new Map<string, Message[]>();
	private readonly result: Result = {
		steps: 0,
		sent: 0,
		failures: [],
		metLate: [],
		askedInVain: [],
	};
	private readonly epochs: number[] = [];
	private readonly calls: number[] = [];
	private readonly stores = new Map<string, Store>();
	/**
	 * Confirmations that lookups have added, and that were not removed again, or not for good: the process of the lookup
	 * was killed, or another process has written an older copy back.
	 */
	private readonly doubtful = new Set<string>();
	private readonly removed = new Set<string>();
	private readonly reports = new Map<string, Set<Reason>>();
	private ended = 0;
	private expected = 0;

	constructor(
		readonly schedule: Schedule,
		private readonly make: (id: string) => Rules,
	) {}

	run(): Result {
		if (this.schedule.isOlder) for (const list of [0, 1, 2]) this.lists[list] = new Set(['older']);
		for (const campaign of this.schedule.campaigns)
			this.after(campaign.at, () => new Run(this, campaign).begin());
		for (const { process, at } of this.schedule.kills)
			this.after(at, () => {
				this.epochs[process] = this.epoch(process) + 1;
				for (const [name, store] of this.stores)
					if (store.process === process) {
						for (const entry of store.questions) this.doubtful.add(entry);
						this.expected -= store.running;
						this.stores.delete(name);
					}
			});
		while (this.events.length > 0 && this.steps < 20_000) {
			this.steps++;
			let first = 0;
			for (let index = 1; index < this.events.length; index++) {
				const [a, b] = [this.events[index], this.events[first]];
				if (a.at < b.at || (a.at === b.at && a.order < b.order)) first = index;
			}
			const [event] = this.events.splice(first, 1);
			this.now = event.at;
			event.run();
		}
		this.checkReports();
		if (this.ended !== this.expected) this.fail(`${this.expected - this.ended} runs do not end`);
		return { ...this.result, steps: this.steps };
	}

	get time(): number {
		return this.now;
	}

	after(ms: number, run: () => void): void {
		this.events.push({ at: this.now + ms, order: this.order++, run });
	}

	fail(what: string): void {
		this.result.failures.push(`${Math.round(this.now)} ms: ${what}`);
	}

	epoch(process: number): number {
		return this.epochs[process] ?? 0;
	}

	begun(): void {
		this.expected++;
	}

	over(): void {
		this.ended++;
	}

	store(process: number, list: number): Store {
		const name = `${process} ${list}`;
		const known = this.stores.get(name);
		if (known) return known;
		const store = new Store(this, process, list, this.make(`${name} ${this.epoch(process)}`));
		this.stores.set(name, store);
		return store;
	}

	read(list: number): List {
		return this.lists[list];
	}

	write(list: number, content: List): void {
		const before = this.lists[list];
		for (const entry of content ?? [])
			if (this.removed.has(entry) && !before?.has(entry)) this.doubtful.add(entry);
		this.lists[list] = content;
	}

	/** A confirmation was removed that a look-up had added. */
	noteRemoved(entries: string[]): void {
		for (const entry of entries) this.removed.add(entry);
	}

	/** A look-up has found a confirmation, which another process may have added by a look-up that is not removed yet. */
	noteFound(entry: string, finder: Store): void {
		const isAsked = (store: Store) => store !== finder && store.questions.has(entry);
		if ([...this.stores.values()].some(isAsked)) this.doubtful.add(entry);
	}

	/** How long the parts of the next call of a process take. */
	durations(process: number): Record<Stall['where'], number> {
		const call = (this.calls[process] = (this.calls[process] ?? -1) + 1);
		const { latency, stalls } = this.schedule;
		// Differ, so that no two processes stay in step.
		const usual = (part: number) => latency * (1 + ((call * 7 + process * 3 + part) % 5) / 5);
		const parts = { first: usual(0), between: usual(1), last: usual(2) };
		for (const stall of stalls)
			if (stall.process === process && stall.call === call)
				parts[stall.where] = Math.max(parts[stall.where], stall.ms);
		return parts;
	}

	/** Whether what a process of an epoch was writing arrives after it was killed. */
	lands(process: number, epoch: number): boolean {
		const kills = this.schedule.kills.filter((kill) => kill.process === process);
		const sorted = [...kills].sort((a, b) => a.at - b.at);
		return sorted[epoch]?.lands ?? true;
	}

	/** A message goes out. @returns what becomes of it */
	send(person: string, wasAlone: boolean, max: number): Message {
		const all = this.messages.get(person) ?? [];
		const count = all.filter(({ state }) => state !== 'refused').length;
		const message: Message = { state: 'open', wasAlone };
		all.push(message);
		this.messages.set(person, all);
		this.result.sent++;
		if (count < max) return message;
		const isNamed = all.some((one) => one.state !== 'refused' && one.wasAlone);
		if (isNamed) this.result.metLate.push(person);
		else this.fail(`${person} gets ${count + 1} messages instead of ${max}`);
		return message;
	}

	/** A run that has ended says what became of messages of others. */
	report(key: string, reason: Reason): void {
		const reasons = this.reports.get(key) ?? new Set();
		this.reports.set(key, reasons.add(reason));
	}

	/** No run says of a message that may not have been sent that it was. */
	private checkReports(): void {
		for (const [key, reasons] of this.reports) {
			const all = this.messages.get(key) ?? [];
			const isSent = all.some(({ state }) => state === 'sent');
			if (!reasons.has('alreadySent') || isSent) continue;
			if (confirmationsOf(key).every((entry) => this.doubtful.has(entry)))
				this.result.askedInVain.push(key);
			else this.fail(`${key} counts as sent, but was not`);
		}
	}
}
