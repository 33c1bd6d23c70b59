/**
 * Send Once and Frequency Cap in virtual time: processes run campaigns over lists that are read, changed and written back as
 * a whole, as n8n's store does it. The real rules (Claims) in a model of everything around them.
 */
import fc from 'fast-check';

import { type Call, Claims } from '../../nodes/BusinessMessaging/execution/claims';

/** A run of a node: it wants all keys of a range, or a place for each person of it. */
interface Campaign {
	process: number;
	/** Of the node, or of the workflow for a cap. */
	list: number;
	at: number;
	first: number;
	count: number;
	/** How many items are under way at once. */
	width: number;
	/** Whether it has a cap instead of Send Once. */
	isCapped: boolean;
}

/** Where a call stands still. */
interface Stall {
	process: number;
	/** Which of the calls of the process, from 0. */
	call: number;
	where: 'first' | 'between' | 'last';
	ms: number;
}

interface Kill {
	process: number;
	at: number;
	/** Whether what it was writing still arrives. */
	lands: boolean;
}

/** What happens, apart from what the rules decide. */
export interface Schedule {
	campaigns: Campaign[];
	stalls: Stall[];
	kills: Kill[];
	/** The maximum number of messages to one person. */
	cap: number;
	/** The usual time of a part of a call, ms. */
	latency: number;
	/** Items with these remainders (of 5) are refused by the service the first time. */
	refused: number;
}

/** What a schedule has shown. */
export interface Result {
	steps: number;
	sent: number;
	/** Rules that were broken, in words. */
	failures: string[];
	/** Who got a message twice because a process that had worked alone was met by one that stood still: docs/campaigns.md names it. */
	metLate: string[];
	/** Messages under way that count as sent because a process was killed, or stood still, while it asked for them. */
	askedInVain: string[];
}

/** Random schedules for a number of processes. */
export const schedules = (processes: number): fc.Arbitrary<Schedule> => {
	const process = fc.nat(processes - 1);
	const campaign = fc.record({
		process,
		list: fc.nat(1),
		at: fc.oneof(fc.nat(50), fc.nat(3_000), fc.nat(60_000)),
		first: fc.nat(5),
		count: fc.integer({ min: 1, max: 6 }),
		width: fc.integer({ min: 1, max: 4 }),
		isCapped: fc.constant(false),
	});
	const capped = fc.record({
		process,
		list: fc.constant(2),
		at: fc.oneof(fc.nat(50), fc.nat(20_000)),
		first: fc.nat(2),
		count: fc.integer({ min: 1, max: 3 }),
		width: fc.integer({ min: 1, max: 4 }),
		isCapped: fc.constant(true),
	});
	return fc.record({
		campaigns: fc.array(fc.oneof({ weight: 3, arbitrary: campaign }, capped), {
			minLength: 1,
			maxLength: 8,
		}),
		stalls: fc.array(
			fc.record({
				process,
				call: fc.oneof(fc.nat(6), fc.nat(40)),
				where: fc.constantFrom('first', 'between', 'between', 'last'),
				ms: fc.oneof(fc.nat(1_500), fc.nat(10_000), fc.integer({ min: 9_000, max: 10_000 })),
			}),
			{ maxLength: 8 },
		),
		kills: fc.array(
			fc.record({ process, at: fc.oneof(fc.nat(2_000), fc.nat(40_000)), lands: fc.boolean() }),
			{ maxLength: 3 },
		),
		cap: fc.integer({ min: 1, max: 3 }),
		latency: fc.constantFrom(1, 5, 30, 150),
		refused: fc.nat(9),
	}) as fc.Arbitrary<Schedule>;
};

type List = ReadonlySet<string> | undefined;
type Rules = Pick<
	Claims,
	'want' | 'ask' | 'add' | 'remove' | 'next' | 'note' | 'isAlone' | 'unwritten'
>;

/** Runs a schedule. `make` gives the rules of a process, so that broken ones can be tried. */
export function simulate(
	schedule: Schedule,
	make: (id: string) => Rules = (id) => new Claims(id),
): Result {
	return new Simulation(schedule, make).run();
}

type Reason = 'alreadySent' | 'mayHaveBeenSent';

/** One message: `open` while it is sent, or for ever if its process was killed. */
type Message = { state: 'open' | 'sent' | 'refused'; wasAlone: boolean };

class Simulation {
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
	/** Confirmations that a look-up has added and that were not, or not for good, removed again: their process was killed, or another one has written an older copy back. */
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

	/** Whoever may not have got a message is reported as such by one run at least. */
	private checkReports(): void {
		for (const [key, reasons] of this.reports) {
			const all = this.messages.get(key) ?? [];
			const isSent = all.some(({ state }) => state === 'sent');
			if (!reasons.has('alreadySent') || reasons.has('mayHaveBeenSent') || isSent) continue;
			if (this.doubtful.has(`sent ${key}`)) this.result.askedInVain.push(key);
			else this.fail(`${key} counts as sent, but was not`);
		}
	}
}

/** The shell of the rules: carries out their calls one after the other. */
class Store {
	running = 0;
	/** Entries of messages that are being sent. */
	readonly underWay = new Set<string>();
	/** What was asked for and may still have to be removed. */
	readonly questions = new Set<string>();
	private isBusy = false;
	private flushing = 0;
	private readonly waiting = new Map<string, Array<(verdict: boolean) => void>>();
	private readonly epoch: number;

	constructor(
		private readonly simulation: Simulation,
		readonly process: number,
		private readonly list: number,
		private readonly rules: Rules,
	) {
		this.epoch = simulation.epoch(process);
	}

	get isAlive(): boolean {
		return this.simulation.epoch(this.process) === this.epoch;
	}

	get isAlone(): boolean {
		return this.rules.isAlone(this.simulation.time);
	}

	want(entry: string, then: (verdict: boolean) => void): void {
		if (!this.rules.want(entry)) {
			this.underWay.add(entry);
			return then(false);
		}
		this.wait(entry, then);
	}

	ask(entry: string, then: (verdict: boolean) => void): void {
		this.rules.ask(entry);
		this.questions.add(entry);
		this.wait(entry, then);
	}

	add(entry: string): void {
		this.rules.add(entry);
		this.work();
	}

	remove(entry: string): void {
		this.rules.remove(entry);
		this.work();
	}

	flush(entries: string[], then: () => void): void {
		this.flushing++;
		const look = () => {
			if (!this.isAlive) return;
			if (
				this.rules.unwritten.some((entry) => entries.includes(entry) || this.questions.has(entry))
			) {
				this.work();
				this.simulation.after(20, look);
			} else {
				this.flushing--;
				then();
			}
		};
		look();
	}

	private wait(entry: string, then: (verdict: boolean) => void): void {
		this.waiting.set(entry, [...(this.waiting.get(entry) ?? []), then]);
		this.simulation.after(10, () => this.work());
	}

	private work(): void {
		if (this.isBusy || !this.isAlive) return;
		const step = this.rules.next(this.simulation.time, this.flushing > 0);
		if (step === undefined) return;
		if (typeof step === 'number') {
			this.simulation.after(Math.max(step - this.simulation.time, 1), () => this.work());
			return;
		}
		this.isBusy = true;
		this.call(step);
	}

	private call(call: Call): void {
		const { simulation, list } = this;
		const startedAt = simulation.time;
		const { first, between, last } = simulation.durations(this.process);
		let before = 0;
		let copy: List;
		let added = new Set<string>();
		let after = 0;
		let hasFailed = false;
		const read = () => {
			copy = simulation.read(list);
		};
		const write = () => {
			if (!this.isAlive && !simulation.lands(this.process, this.epoch)) return;
			const entries = new Set(copy);
			if (call.method === 'remove') {
				for (const entry of call.entries) entries.delete(entry);
				after = before - call.entries.length;
				if (copy === undefined) return;
			} else {
				if (copy === undefined && simulation.read(list) !== undefined) {
					hasFailed = true;
					return;
				}
				added = new Set(call.entries.filter((entry) => !entries.has(entry)));
				for (const entry of added) entries.add(entry);
				after = before + added.size;
			}
			simulation.write(list, entries);
		};
		const end = () => {
			this.isBusy = false;
			if (!this.isAlive) return;
			if (!hasFailed) {
				const endedAt = simulation.time;
				const verdicts = this.rules.note(call, { added, before, after, startedAt, endedAt });
				if (call.method === 'remove') {
					simulation.noteRemoved(call.entries);
					const { unwritten } = this.rules;
					for (const entry of call.entries)
						if (!unwritten.includes(entry)) this.questions.delete(entry);
				}
				for (const [entry, verdict] of verdicts) {
					if (verdict) this.questions.delete(entry);
					this.settle(entry, verdict);
				}
			}
			this.work();
		};
		simulation.after(first / 2, () => (before = simulation.read(list)?.size ?? 0));
		simulation.after(first, read);
		simulation.after(first + between, write);
		simulation.after(first + between + last, end);
	}

	private settle(entry: string, verdict: boolean): void {
		const [then, ...others] = this.waiting.get(entry) ?? [];
		this.waiting.delete(entry);
		then?.(verdict);
		for (const other of others) other(verdict);
	}
}

/** A run of a node, as SendOnce and FrequencyCap guard it. */
class Run {
	private readonly store: Store;
	private readonly written: string[] = [];
	private readonly reports: Array<[string, Reason]> = [];
	private isOver = false;
	private next = 0;
	private underWay = 0;

	constructor(
		private readonly simulation: Simulation,
		private readonly campaign: Campaign,
	) {
		this.store = simulation.store(campaign.process, campaign.list);
	}

	begin(): void {
		this.store.running++;
		this.simulation.begun();
		this.step();
	}

	private step(): void {
		const { count, first, width } = this.campaign;
		while (this.underWay < width && this.next < count) {
			this.underWay++;
			this.item(first + this.next++);
		}
		if (this.underWay > 0 || this.next < count || this.isOver) return;
		this.isOver = true;
		this.store.flush(this.written, () => {
			for (const [key, reason] of this.reports) this.simulation.report(key, reason);
			this.store.running--;
			this.simulation.over();
		});
	}

	private done(): void {
		this.underWay--;
		this.step();
	}

	private item(number: number): void {
		const { isCapped, list } = this.campaign;
		if (isCapped) return this.place(`p${number}`, 1);
		const key = `${list}/k${number}`;
		this.store.want(`claimed ${key}`, (isOurs) => {
			if (isOurs) return this.send(key, `claimed ${key}`, 1);
			if (this.store.underWay.has(`claimed ${key}`)) {
				this.reports.push([key, 'mayHaveBeenSent']);
				return this.done();
			}
			this.store.ask(`sent ${key}`, (isSent) => {
				this.reports.push([key, isSent ? 'alreadySent' : 'mayHaveBeenSent']);
				this.done();
			});
		});
	}

	private place(person: string, place: number): void {
		const { cap } = this.simulation.schedule;
		if (place > cap) return this.done();
		const entry = `cap ${person} ${place}`;
		this.store.want(entry, (isOurs) => {
			if (isOurs) this.send(person, entry, cap);
			else this.place(person, place + 1);
		});
	}

	private send(person: string, entry: string, max: number): void {
		const { simulation, store } = this;
		const message = simulation.send(person, store.isAlone, max);
		store.underWay.add(entry);
		simulation.after(40 + ((person.length + this.next * 13) % 60), () => {
			if (!store.isAlive) return;
			const isRefused = (this.next + person.length) % 10 < simulation.schedule.refused % 4;
			message.state = isRefused ? 'refused' : 'sent';
			store.underWay.delete(entry);
			if (isRefused) {
				store.remove(entry);
				this.written.push(entry);
			} else if (!this.campaign.isCapped) {
				store.add(`sent ${person}`);
				this.written.push(`sent ${person}`);
			}
			this.done();
		});
	}
}
