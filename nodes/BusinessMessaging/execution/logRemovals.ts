/** Removes rows of the campaign log that are over. */
import { partition } from 'lodash';

import type { LogWriter } from './claim';

/** A row that is to be removed. */
export interface Removal {
	execution: string;
	/** The key of the claim, if this run has made it. */
	key: string;
	/** Empty if the result of its message is written in another row. */
	phone: string;
	/** Whether it is certainly not the last row. */
	isBelow: boolean;
}

/** A claim stays beside its result so long, ms: it does no harm there, and many are removed by one call. */
export const settledMs = 2_000;

/** Rows that are to be removed. */
export class RowRemovals {
	private readonly rows = new Map<number, Removal>();
	/** When the first of them was added, ms. */
	private begin = 0;

	constructor(
		private readonly writer: LogWriter,
		private readonly elapsed: () => number,
		private readonly onRemoved: (removal: Removal) => void,
	) {}

	get isEmpty(): boolean {
		return this.rows.size === 0;
	}

	get ids(): number[] {
		return [...this.rows.keys()];
	}

	get all(): Removal[] {
		return [...this.rows.values()];
	}

	/** Whether they are to be removed now. The rows of messages that were not tried hold back others. */
	areDue(isAtTheEnd: boolean): boolean {
		if (this.isEmpty) return false;
		const isOld = this.elapsed() - this.begin >= settledMs;
		return isAtTheEnd || isOld || this.all.some(({ isBelow }) => !isBelow);
	}

	add(id: number, removal: Removal): void {
		if (this.isEmpty) this.begin = this.elapsed();
		if (!this.rows.has(id)) this.rows.set(id, removal);
	}

	/** Leaves the rows of a run where they are. */
	forget(execution: string): void {
		for (const [id, row] of this.rows) if (row.execution === execution) this.rows.delete(id);
	}

	/**
	 * Deletes the rows, but not the last one: SQLite gives its ID again, and runs look only behind the rows that they know.
	 *
	 * @param greatest the greatest ID that was seen
	 * @throws Error
	 */
	async carryOut(greatest: number): Promise<void> {
		const isBelow = (id: number) => this.rows.get(id)!.isBelow || id < greatest;
		const [gone, last] = partition([...this.rows.keys()], isBelow);
		if (last.length > 0) await this.writer.retire(last);
		this.end(last);
		if (gone.length > 0) await this.writer.delete(gone);
		this.end(gone);
	}

	private end(ids: number[]): void {
		for (const id of ids) {
			const removal = this.rows.get(id);
			this.rows.delete(id);
			if (removal) this.onRemoved(removal);
		}
	}
}
