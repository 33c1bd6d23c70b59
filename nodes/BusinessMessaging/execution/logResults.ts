/** Writes the results of messages into the campaign log. */
import { difference, partition } from 'lodash';

import type { LogWriter, NewLogRow } from './claim';

/** A result that is to be written. */
interface Result {
	row: NewLogRow;
	/** The ID of its claim, and when it was claimed, ms. */
	id: number;
	begin: number;
}

/** A receipt waits longer than this for the result of its message before it is recorded in the claim, ms. */
const maxEarlyMs = 5_000;

/** Results that are to be written. */
export class RowResults {
	private waiting: Result[] = [];

	constructor(
		private readonly writer: LogWriter,
		private readonly elapsed: () => number,
		/** Called with each result that is written: in its claim, or in a row beside it. */
		private readonly onWritten: (row: NewLogRow, isInClaim: boolean) => void,
	) {}

	get size(): number {
		return this.waiting.length;
	}

	/** The phones of a run's results. */
	phonesOf(execution: string): string[] {
		return this.waiting
			.filter(({ row }) => row.execution === execution)
			.map(({ row }) => row.phone);
	}

	add(result: Result): void {
		this.waiting.push(result);
	}

	/** Gives up the results of a run. */
	forget(execution: string): void {
		this.waiting = this.waiting.filter(({ row }) => row.execution !== execution);
	}

	/**
	 * Writes all in new rows, except for late ones in whose claims something was recorded meanwhile: they go into their
	 * claims, so that it is not lost.
	 *
	 * @throws Error
	 */
	async write(insert: (rows: NewLogRow[]) => Promise<void>): Promise<void> {
		const all = [...this.waiting];
		const late = all.filter(({ begin }) => this.elapsed() - begin > maxEarlyMs);
		const changed = late.length > 0 ? await this.writer.changed(late.map(({ id }) => id)) : [];
		const [inClaims, beside] = partition(all, ({ id }) => changed.includes(id));
		if (beside.length > 0) await insert(beside.map(({ row }) => row));
		this.end(beside, false);
		for (const one of inClaims) {
			await this.writer.conclude(one.id, one.row);
			this.end([one], true);
		}
	}

	private end(results: Result[], isInClaim: boolean): void {
		this.waiting = difference(this.waiting, results);
		for (const { row } of results) this.onWritten(row, isInClaim);
	}
}
