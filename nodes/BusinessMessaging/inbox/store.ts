/** What n8n stores of the inbox: everything with each change, before n8n responds. Like keeper.ts, without n8n. */
import { isEqual, omit } from 'lodash';
import { z } from 'zod';

import type { Run } from './core';
import { type Known, hasSettledLately } from './known';
import type { InboxDelivery, KeeperPorts } from './protocol';
import { fromRecord, toRecord } from './records';

/** Changes that arrive within this time, ms, are stored together, because storing takes long with thousands of people. */
const storeDelayMs = 200;
/** How long a delivery waits for another one that stores its changes too, ms. */
const maxStoringMs = 2_000;
/** The names of the stored entries that are not runs. */
const others = ['settled', 'late', 'by'];

interface Restoring {
	/** The name of a message or run that needs no decision any more. */
	name(name: string): void;
	run(run: Run): void;
}

/** What n8n has stored of an inbox: the records of runs, and the others, by their names. */
const storedSchema = z.record(z.string(), z.string()).catch({});

/** How many runs wait for replies, as far as n8n has stored it. */
export function openRunsIn(stored: unknown): number {
	return Object.keys(omit(storedSchema.parse(stored), others)).length;
}

/** Whether nothing is open and no other trigger needs to ask about a message, as far as n8n has stored it. */
export function isIdle(stored: unknown, now: number): boolean {
	const { settled = '', late } = storedSchema.parse(stored);
	return openRunsIn(stored) === 0 && late === undefined && !hasSettledLately(settled, now);
}

/** What n8n stores of an inbox. */
export class Store {
	/** The stored texts of runs and of late replies that have not changed since. */
	private readonly texts = new Map<string, string>();
	/** The number of changes; of those that n8n has stored; and of deliveries that wait for n8n to store some. */
	private changes = 0;
	private storedChanges = 0;
	private storing = 0;
	/** Resolves to whether n8n has stored all that is known. Belongs to a delivery that n8n has not begun to store. */
	private gathering?: Promise<boolean>;
	private isLoaded = false;
	/** The processes that have stored something before this one, and others that were noticed. */
	private readonly writers = new Set<string>();

	/** `own` is the URL of the trigger without its secret; `process` differs for each process. */
	constructor(
		private readonly own: string,
		private readonly process: string,
		private readonly known: Known,
		private readonly ports: () => KeeperPorts,
	) {}

	/** Reads what n8n has stored, once. @returns whether it was read now */
	load({ stored }: Pick<InboxDelivery, 'stored'>, restoring: Restoring): boolean {
		const { by, settled = '', ...entries } = storedSchema.parse(stored);
		if (this.isLoaded) this.noticeOther(by);
		if (this.isLoaded) return false;
		this.isLoaded = true;
		if (by !== undefined) this.writers.add(by);
		for (const name of this.known.loadSettled(settled)) restoring.name(name);
		let unreadable = 0;
		for (const [name, text] of Object.entries(entries)) {
			const record = this.ports().unseal(text);
			if (record === undefined) unreadable++;
			else if (name === 'late') this.known.loadLate(record);
			else {
				const run = fromRecord(name, record, this.own);
				if (!run) continue;
				restoring.run(run);
				this.texts.set(name, text);
			}
		}
		this.storedChanges = this.changes;
		if (unreadable > 0)
			this.ports().warn(
				`Open questions were stored with another API key, so Send and Wait cannot read them: ${unreadable}. Replies to them start workflows.`,
			);
		return true;
	}

	private noticeOther(by: string | undefined): void {
		if (by === undefined || by === this.process || this.writers.has(by)) return;
		this.writers.add(by);
		this.ports().warn(
			'Several processes of n8n receive replies for Send and Wait, so replies may be lost or used twice. Route each webhook URL to one process.',
		);
	}

	/** Lets everything be encrypted again, with a new key. */
	sealAgain(): void {
		this.texts.clear();
		this.changes++;
	}

	/** A run has changed; without one, something else has. */
	noteChange(run?: Run): void {
		this.changes++;
		this.texts.delete(run?.id ?? 'late');
	}

	forget(id: string): void {
		this.texts.delete(id);
	}

	/** The value that n8n stores: the state at the moment of storing. */
	readonly live = { toJSON: (): unknown => this.toStored() };

	private toStored(): Record<string, string> | undefined {
		if (this.known.isEmpty) return undefined;
		const runs = this.known.runs.all().map(({ id }) => [id, this.textOf(id)] as const);
		return {
			...Object.fromEntries(runs),
			settled: this.known.settledText(this.ports().now()),
			...(this.known.late.size > 0 && { late: this.textOf('late') }),
			by: this.process,
		};
	}

	private textOf(id: string): string {
		const known = this.texts.get(id);
		if (known !== undefined) return known;
		const run = this.known.runs.get(id);
		const text = this.ports().seal(run ? toRecord(run, this.own) : this.known.lateText());
		this.texts.set(id, text);
		return text;
	}

	/** Whether n8n had stored what is known when a delivery arrived: an execution may have written back an older copy. */
	isStored({ stored }: InboxDelivery): boolean {
		return (
			this.changes === this.storedChanges &&
			isEqual({ ...(stored as object) }, { ...this.toStored() })
		);
	}

	/** Makes sure that n8n has stored all changes. @returns false if n8n did not confirm it */
	async ensureStored(): Promise<boolean> {
		if (this.changes === this.storedChanges) return true;
		const result = await this.ports().callTrigger(this.own, { is: 'wake' });
		return typeof result === 'object';
	}

	/**
	 * Lets n8n store everything before this delivery gets its response: with this delivery, or with another one of the
	 * same moment, because n8n writes everything each time. The delivery must start no workflow: see ensureStored.
	 */
	async persist(delivery: InboxDelivery): Promise<void> {
		const { gathering } = this;
		if (gathering) {
			if ((await Promise.race([gathering, this.ports().pause(maxStoringMs)])) === true) return;
			if (this.gathering === gathering) this.gathering = undefined;
			return await this.persist(delivery);
		}
		const stored = delivery.ended.then((end) => end === 'received');
		this.gathering = stored;
		if (this.storing > 0) await this.ports().pause(storeDelayMs);
		this.storing++;
		let written = 0;
		void stored.then((isStored) => {
			this.storing--;
			if (isStored) this.storedChanges = Math.max(this.storedChanges, written);
		});
		delivery.store({
			toJSON: () => {
				// Later changes are stored with another delivery.
				if (this.gathering === stored) this.gathering = undefined;
				written = this.changes;
				return this.toStored();
			},
		});
	}
}
