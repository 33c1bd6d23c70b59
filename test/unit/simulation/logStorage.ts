/** The campaign log of a simulated n8n, for runs that send and for those that record. */
import { max, omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { RowValues, Table } from '../../../nodes/BusinessMessaging/campaign/tables';
import type { LogWriter, NewLogRow } from '../../../nodes/BusinessMessaging/execution/claim';
import type { LogRow } from '../../../nodes/BusinessMessaging/execution/campaignLog';
import { lastDigits } from '../../../nodes/BusinessMessaging/phone/compare';
import type { LogFilter, LogSource } from '../../../nodes/BusinessMessaging/execution/logReader';
import type { Clock } from './virtualTime';

/** A row, with what was recorded in it. */
export interface StoredRow extends LogRow {
	isVisible: boolean;
	/** Whether it was written as a result, and not as a claim. */
	isResult: boolean;
	messageId: string;
	deliveredAt?: string;
	readAt?: string;
	failedAt?: string;
	repliedAt?: string;
	/** When others could see it, ms. */
	visibleAt?: number;
	/** When something was recorded in it, ms. */
	recordedAt?: number;
}

/** What carries out the calls of a process. */
export interface Caller {
	/** Waits as a machine and a network do. */
	wait: () => Promise<void>;
	/** Carries out a call, which may fail. */
	call: (effect: () => Promise<void> | void) => Promise<void>;
}

const pageSize = 3;
/** An event waits this long for the result of its message, ms. */
const waitMs = 10_000;
/** A result is written at most this long after its run has looked at the claim, ms, if nothing stands still. */
const maxCallsMs = 2_000;

/** The table. */
export class LogStorage {
	rows: StoredRow[] = [];
	/** Keys of the rows that people have deleted. */
	readonly deleted = new Set<string>();
	/**
	 * Keys of messages with two rows in which something was recorded: their result took longer than an event waits, or a
	 * call has stored it and failed.
	 */
	readonly replaced = new Set<string>();
	/** Those of them in whose claims something was recorded long before their result was written beside. */
	readonly lost = new Set<string>();
	/** Keys of rows that have the ID of a row that people have deleted: a recorder may have read that one just before. */
	readonly reused = new Set<string>();
	/** The IDs of messages that receipts have written into rows, with the keys of the rows. */
	readonly settled: Array<{ key: string; messageId: string }> = [];
	/** Claims that are removed, by the ID of their row. */
	private readonly removed = new Map<number, StoredRow>();
	/** The next ID, or in SQLite the greatest one so far. */
	private nextId: number;
	/** How long the first transaction of the first run lasts, ms: its rows become visible after later ones. */
	lateMs = 0;

	constructor(
		private readonly clock: Clock,
		/** The next ID follows the greatest one in the table; otherwise, a row gets its ID before others can see it. */
		readonly isSqlite: boolean,
		private readonly random: () => number,
	) {
		this.nextId = isSqlite ? 0 : 1;
	}

	/** People delete some of the rows that are results. */
	deleteSome(): void {
		for (const { key, status } of this.rows)
			if (status !== 'sending' && this.random() < 0.3) this.deleted.add(key);
		this.rows = this.rows.filter(({ key }) => !this.deleted.has(key));
	}

	/** The table of a run that sends. */
	ofSender({ call, wait }: Caller, execution: string): LogSource & LogWriter {
		const matches = (row: StoredRow, filter: LogFilter) =>
			(filter.campaign === undefined || row.campaign === filter.campaign) &&
			(filter.since === undefined || row.createdAt >= filter.since) &&
			(filter.notBy === undefined || row.execution !== filter.notBy) &&
			(filter.claimsOf === undefined || (row.execution === execution && row.status === 'sending'));
		const insert = async (rows: NewLogRow[]) =>
			await call(async () => {
				if (this.isSqlite) this.insertAtOnce(rows);
				else await this.insertSlowly(rows, execution, wait);
			});
		return {
			read: (filter, from) => this.pages(call, (row) => matches(row, filter), from),
			insertAndRead: async (rows, reads) => {
				await insert(rows);
				const found: StoredRow[] = [];
				for (const { filter, from } of reads)
					await call(() => {
						const isFound = (row: StoredRow) => row.id > from && matches(row, filter);
						found.push(
							...this.visible()
								.filter(isFound)
								.map((row) => ({ ...row })),
						);
					});
				return found.length < pageSize ? found : undefined;
			},
			readPeople: async (digits) => {
				let found: StoredRow[] = [];
				await call(() => {
					found = this.visible().filter((row) => digits.includes(lastDigits(row.phone)));
				});
				return found.map((row) => ({ ...row }));
			},
			last: async () => await this.last(call),
			insert,
			changed: async (ids) => {
				let changed: number[] = [];
				await call(() => {
					const rows = this.rows.filter(({ id }) => ids.includes(id));
					const hasChanged = (row: StoredRow) => row.status !== 'sending' || row.repliedAt;
					changed = rows.filter(hasChanged).map(({ id }) => id);
				});
				return changed;
			},
			conclude: async (id, result) =>
				await call(() => {
					const isClaim = (row: StoredRow) => row.id === id && row.status === 'sending';
					const claim = this.rows.find((row) => isClaim(row) && row.key === result.key);
					const { key } = result;
					if (this.rows.some((row) => row.key === key && row.isResult)) this.replaced.add(key);
					if (claim) Object.assign(claim, result);
				}),
			retire: async (ids) =>
				await call(() => {
					for (const row of this.rows) if (ids.includes(row.id)) row.status = 'notSent';
				}),
			delete: async (ids) =>
				await call(() => {
					for (const row of this.rows) if (ids.includes(row.id)) this.removed.set(row.id, row);
					this.rows = this.rows.filter(({ id }) => !ids.includes(id));
				}),
		};
	}

	/** The table of a run that records, with columns as in n8n. */
	ofRecorder({ call }: Caller): Table {
		const table = {
			...{ id: '1', name: 'Business Messaging Campaigns', columns: [] },
			last: async () => toColumns(await this.last(call)),
			rowsWith: async (ids: number[]) => {
				let found: StoredRow[] = [];
				await call(() => {
					found = this.visible().filter(({ id }) => ids.includes(id));
				});
				return found.map((row) => toColumns(row)!);
			},
			update: async (ids: number[], values: RowValues) =>
				await call(() => {
					const recordedAt = this.clock.now;
					const { messageId } = values;
					for (const row of this.rows.filter(({ id }) => ids.includes(id))) {
						Object.assign(row, { ...values, recordedAt });
						if (messageId) this.settled.push({ key: row.key, messageId: String(messageId) });
					}
					for (const id of ids) {
						const row = this.rows.find((one) => one.id === id) ?? this.removed.get(id);
						const isOld = row && recordedAt - row.createdAt > waitMs;
						if (isOld && this.rows.some((one) => one.id !== id && one.key === row.key))
							this.replaced.add(row.key);
					}
				}),
			readAll: (from: number) => this.columnPages(call, from),
			readNewest: (from: number) => this.columnPages(call, from),
		};
		return table as Table & typeof table;
	}

	private visible(): StoredRow[] {
		return this.rows.filter(({ isVisible }) => isVisible).sort((one, other) => one.id - other.id);
	}

	private async last(call: Caller['call']): Promise<StoredRow | undefined> {
		let last: StoredRow | undefined;
		await call(() => void (last = this.visible().at(-1)));
		return last && { ...last };
	}

	private async *pages(
		call: Caller['call'],
		matches: (row: StoredRow) => boolean,
		from: number,
	): AsyncGenerator<StoredRow[]> {
		for (let after = from; ; ) {
			let found: StoredRow[] = [];
			await call(() => {
				const all = this.visible().filter((row) => row.id > after && matches(row));
				found = all.slice(0, pageSize).map((row) => ({ ...row }));
			});
			if (found.length > 0) yield found;
			if (found.length < pageSize) return;
			after = found[pageSize - 1].id;
		}
	}

	private async *columnPages(call: Caller['call'], from: number): AsyncGenerator<IDataObject[]> {
		for await (const rows of this.pages(call, () => true, from))
			yield rows.map((row) => toColumns(row)!);
	}

	/** Records which of these results have a claim that a receipt has changed, or were stored by a call that has failed. */
	private seeReplaced(results: NewLogRow[]): void {
		const changed = this.rows.filter(
			({ recordedAt = 0, createdAt, isResult }) => isResult || recordedAt - createdAt > waitMs,
		);
		for (const { key } of results) {
			const claim = changed.find((row) => row.key === key);
			if (claim) this.replaced.add(key);
			const { recordedAt = Infinity } = claim ?? {};
			if (this.clock.now - recordedAt > maxCallsMs) this.lost.add(key);
		}
	}

	private insertAtOnce(rows: NewLogRow[]): void {
		this.seeReplaced(rows);
		for (const row of rows) {
			const id = (max(this.rows.map((one) => one.id)) ?? 0) + 1;
			if (id <= this.nextId) this.reused.add(row.key);
			this.nextId = Math.max(this.nextId, id);
			this.rows.push(this.toStored(row, id));
			this.show(this.rows.at(-1)!);
		}
	}

	private toStored(row: NewLogRow, id: number): StoredRow {
		const isResult = row.status !== 'sending';
		return { ...row, id, createdAt: this.clock.now, isVisible: false, isResult };
	}

	private show(row: StoredRow): void {
		Object.assign(row, { isVisible: true, visibleAt: this.clock.now });
	}

	private async insertSlowly(
		rows: NewLogRow[],
		execution: string,
		wait: () => Promise<void>,
	): Promise<void> {
		const createdAt = this.clock.now;
		const stored: StoredRow[] = [];
		for (const row of rows) {
			if (stored.length > 0 && this.random() < 0.2) await wait();
			stored.push({ ...this.toStored(row, this.nextId++), createdAt });
		}
		if (execution === 'run0' && this.lateMs > 0) {
			const ms = this.lateMs;
			this.lateMs = 0;
			await new Promise<void>((done) => this.clock.after(ms, done));
		}
		await wait();
		this.seeReplaced(rows);
		this.rows.push(...stored);
		for (const row of stored) this.show(row);
	}
}

/** What only the simulation knows of a row. */
const own = ['isVisible', 'visibleAt', 'isResult', 'recordedAt'] as const;

/** A row as n8n returns it: JSON. */
function toColumns(row: StoredRow | undefined): IDataObject | undefined {
	if (!row) return undefined;
	const { key: idempotencyKey, createdAt, sentAt, ...rest } = omit(row, own);
	const toText = (time: number) => new Date(time).toISOString();
	const times = { createdAt: toText(createdAt), sentAt: toText(sentAt) };
	return JSON.parse(JSON.stringify({ ...rest, idempotencyKey, ...times })) as IDataObject;
}
