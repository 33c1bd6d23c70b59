/** What a process does with the rules, in virtual time: the calls of a list (EntryStore), and runs (SendOnce, FrequencyCap). */
import type { Call, Claims } from '../../../nodes/BusinessMessaging/execution/claims';
import type { Campaign, Schedule, Stall } from './claimSchedules';

/** The entries of a message that was sent. */
export const confirmationsOf = (key: string) => [`sent ${key}`, `confirmed ${key}`];

/** The content of a list; undefined before it is created. */
export type List = ReadonlySet<string> | undefined;

/** The rules of a process. */
export type Rules = Pick<
	Claims,
	'want' | 'ask' | 'add' | 'remove' | 'next' | 'note' | 'isAlone' | 'unwritten'
>;

export type Reason = 'alreadySent' | 'mayHaveBeenSent';

/** One message: `open` while it is sent, or for ever if its process was killed. */
export type Message = { state: 'open' | 'sent' | 'refused'; wasAlone: boolean };

/** What processes share. */
export interface World {
	readonly schedule: Schedule;
	readonly time: number;
	after(ms: number, run: () => void): void;
	epoch(process: number): number;
	begun(): void;
	over(): void;
	store(process: number, list: number): Store;
	read(list: number): List;
	write(list: number, content: List): void;
	noteRemoved(entries: string[]): void;
	noteFound(entry: string, finder: Store): void;
	durations(process: number): Record<Stall['where'], number>;
	lands(process: number, epoch: number): boolean;
	send(person: string, wasAlone: boolean, max: number): Message;
	report(key: string, reason: Reason): void;
}

/** The shell of the rules: carries out their calls one after the other. */
export class Store {
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
		private readonly simulation: World,
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
				simulation.noteRemoved(call.entries);
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
export class Run {
	private readonly store: Store;
	private readonly written: string[] = [];
	private readonly reports: Array<[string, Reason]> = [];
	private isOver = false;
	private next = 0;
	private underWay = 0;

	constructor(
		private readonly simulation: World,
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
			this.lookUp(key, confirmationsOf(key));
		});
	}

	private lookUp(key: string, [confirmation, ...others]: string[]): void {
		this.store.ask(confirmation, (isFound) => {
			if (isFound) this.simulation.noteFound(confirmation, this.store);
			if (isFound && others.length > 0) return this.lookUp(key, others);
			this.reports.push([key, isFound ? 'alreadySent' : 'mayHaveBeenSent']);
			this.done();
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
				for (const confirmation of confirmationsOf(person)) store.add(confirmation);
				this.written.push(...confirmationsOf(person));
			}
			this.done();
		});
	}
}
