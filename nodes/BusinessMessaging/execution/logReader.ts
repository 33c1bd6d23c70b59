/** What a run reads from the campaign log: everything about a campaign once and then what is new, or all of some people. */
import { partition, uniq } from 'lodash';

import { lastDigits } from '../phone/compare';
import type { LogWriter, NewLogRow } from './claim';
import { type LogRow, LogView, type Wish } from './campaignLog';

/** Which rows are read: all conditions hold. */
export interface LogFilter {
	/** Its name may be written in any way; other campaigns may come as well. */
	campaign?: string;
	/** Made since this time, ms. */
	since?: number;
	/** Written by other executions than this one. */
	notBy?: string;
	/** Claims of this execution. */
	claimsOf?: string;
}

/** Reads the campaign log. All methods throw an Error if n8n does not carry them out. */
export interface LogSource {
	/** The rows after an ID (exclusive) in the order of their IDs, in parts. */
	read: (filter: LogFilter, from: number) => AsyncIterable<LogRow[]>;
	/** Adds rows, and then makes several reads in the same call. @returns the rows of all; undefined if there may be more */
	insertAndRead: (
		rows: NewLogRow[],
		reads: Array<{ filter: LogFilter; from: number }>,
	) => Promise<LogRow[] | undefined>;
	/** The rows with one of these last digits in their phone, however they are written; others may come as well. */
	readPeople: (lastDigits: string[]) => Promise<LogRow[]>;
	/** The last row; undefined in an empty table. */
	last: () => Promise<LogRow | undefined>;
}

/** Knows the rows about some messages. */
export interface LogReader {
	/** Whether several runs use it. */
	readonly isShared: boolean;
	/** What is known before a look. */
	readonly known?: LogView;
	/** The greatest ID that was seen. */
	readonly greatest: number;
	/** Reads what the log has about the wishes of a run. @throws Error */
	read: (wishes: Wish[]) => Promise<void>;
	/**
	 * Adds rows, and reads what has changed. The view has all rows about the wishes.
	 *
	 * @param wishes the messages whose rows are needed
	 * @param waiting the lowest ID of a claim that waits for others
	 * @param found called with each row that may be an own claim
	 * @param added claims to be added
	 * @throws Error
	 */
	look: (
		wishes: Array<Pick<Wish, 'phone'>>,
		waiting: number,
		found: (row: LogRow) => void,
		added?: NewLogRow[],
	) => Promise<LogView>;
	/** The next look reads everything again. */
	forget: () => void;
}

/** With more campaigns in a run, the whole log is read instead of one campaign after the other. */
const maxCampaigns = 100;

/** Reads all about the campaigns of one run, and then only what is new. */
export class CampaignReader implements LogReader {
	readonly isShared = false;
	known = new LogView();
	private filter: LogFilter = {};
	/** After this ID, there may be rows of this run whose ID is not known. */
	private ownFrom = 0;
	/** Whether the view has the messages of this run; no look reads them again. */
	private knowsOwn = true;

	constructor(
		private readonly source: LogSource,
		private readonly execution: string,
	) {}

	get greatest(): number {
		return this.known.newest.id;
	}

	forget(): void {
		this.known = new LogView();
		this.ownFrom = 0;
		this.knowsOwn = false;
	}

	async read(wishes: Wish[]): Promise<void> {
		const campaigns = new Set(wishes.flatMap(({ campaign }) => campaign ?? []));
		const since = Math.min(...wishes.map(({ cap }) => cap?.since ?? Infinity));
		if (campaigns.size === 1 && since === Infinity) this.filter = { campaign: [...campaigns][0] };
		const last = await this.source.last();
		if (campaigns.size > maxCampaigns) await this.readAll({});
		else for (const campaign of campaigns) await this.readAll({ campaign });
		if (since !== Infinity) await this.readAll({ since });
		if (!last) return;
		this.known.see(last);
		this.ownFrom = last.id;
		this.known.endLook(last.createdAt);
	}

	/** Reads the rows that were made since the last look, and those that may not have been visible then. */
	async look(
		_: unknown,
		waiting: number,
		found: (row: LogRow) => void,
		added: NewLogRow[] = [],
	): Promise<LogView> {
		const { execution, known: view } = this;
		let { ownFrom } = this;
		const own = { filter: { claimsOf: execution }, from: ownFrom };
		const from = Math.min(view.from, waiting);
		const isOfOthers = (row: LogRow) => row.execution !== execution;
		const gone = new Set(view.idsAfter(from, isOfOthers));
		const others = {
			filter: this.knowsOwn ? { ...this.filter, notBy: execution } : this.filter,
			from,
		};
		const isOwn = (row: LogRow) =>
			row.id > own.from && row.execution === execution && row.status === 'sending';
		const together =
			added.length > 0 ? await this.source.insertAndRead(added, [own, others]) : undefined;
		const [ownRows, otherRows] = partition(together, isOwn);
		for await (const rows of together ? [ownRows] : this.source.read(own.filter, own.from))
			for (const row of rows) {
				this.note(row);
				ownFrom = row.id;
				found(row);
			}
		const { createdAt } = view.newest;
		for await (const rows of together ? [otherRows] : this.source.read(others.filter, from))
			for (const row of rows) {
				this.note(row);
				gone.delete(row.id);
			}
		for (const id of gone) view.remove(id);
		this.knowsOwn = true;
		this.ownFrom = ownFrom; // only now: if a call has failed, the next look finds them again
		view.endLook(createdAt);
		return view;
	}

	private note(row: LogRow): void {
		this.known.see(row);
		this.known.add(row);
	}

	private async readAll(filter: LogFilter): Promise<void> {
		for await (const rows of this.source.read(filter, 0)) {
			for (const row of rows) this.known.add(row);
			this.known.see(rows[rows.length - 1]);
		}
	}
}

/** Reads all about some people each time, for runs with few people each. */
export class PeopleReader implements LogReader {
	readonly isShared = true;
	greatest = 0;

	constructor(private readonly source: Pick<LogSource & LogWriter, 'readPeople' | 'insert'>) {}

	/** Nothing is known before the claim: the look after it shows everything. */
	async read(): Promise<void> {}

	async look(
		wishes: Array<Pick<Wish, 'phone'>>,
		_: unknown,
		found: (row: LogRow) => void,
		added: NewLogRow[] = [],
	): Promise<LogView> {
		if (added.length > 0) await this.source.insert(added);
		const digits = uniq(wishes.map(({ phone }) => lastDigits(phone)));
		const view = new LogView();
		for (const row of await this.source.readPeople(digits)) {
			this.greatest = Math.max(this.greatest, row.id);
			view.add(row);
			found(row);
		}
		return view;
	}

	forget(): void {
		this.greatest = 0;
	}
}
