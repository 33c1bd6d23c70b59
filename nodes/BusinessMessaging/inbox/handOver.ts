/** Gives runs their replies when they are due, and starts the workflow with replies that a run can no longer get. */
import {
	type Run,
	afterHandOver,
	chooseReplies,
	dueAt,
	handOverOf,
	isAskerDead,
	isPast,
	lateMessages,
	repliesDueAt,
	withoutTexts,
} from './core';
import type { Known } from './known';
import { sameMomentMs } from './recognition';
import { toRecord } from './records';

/** How long after a run's time limit a trigger that is not the owner still forwards messages of the people, ms. */
const forwardMs = 3_600_000;
/** The longest pause, ms. A pause that is no longer needed stays in memory until it ends. */
const maxPauseMs = 600_000;

/** Hands replies over to runs. */
export class HandOver {
	/** When each run is checked next, ms since 1970. */
	private readonly timers = new Map<string, number>();
	private readonly handingOver = new Set<string>();

	constructor(private readonly known: Known) {}

	/** Makes sure that a run is checked when it is due. */
	schedule(run: Run): void {
		const due = run.owner === this.known.own ? dueAt(run) : run.until + forwardMs;
		if ((this.timers.get(run.id) ?? Infinity) <= due) return;
		this.timers.set(run.id, due);
		void this.wake(run.id, due);
	}

	private async wake(id: string, due: number): Promise<void> {
		const { ports } = this.known;
		do {
			await ports.pause(Math.min(due - ports.now(), maxPauseMs));
			if (this.timers.get(id) !== due) return;
		} while (ports.now() < due);
		this.timers.delete(id);
		const run = this.known.runs.get(id);
		if (!run) return;
		if (run.owner === this.known.own) {
			await this.handOver(id);
		} else if (ports.now() < run.until + forwardMs) {
			this.schedule(run);
		} else {
			this.known.forget(id);
			void this.known.guard();
		}
	}

	/** Gives a run its replies, and starts the workflow with replies that the run can no longer get. */
	private async handOver(id: string): Promise<void> {
		if (this.handingOver.has(id)) return;
		this.handingOver.add(id);
		let mayHaveGot = this.known.runs.get(id)?.handing !== undefined;
		let wasPast = false;
		for (let attempt = 0; ; attempt++) {
			const run = this.known.runs.get(id);
			const now = this.known.ports.now();
			if (!run || run.isOver || isAskerDead(run, now)) break;
			const isTooLate = isPast(run, now);
			// The first long pause must not come at once.
			if (isTooLate && !wasPast) attempt = 0;
			wasPast = isTooLate;
			if (now < dueAt(run)) {
				this.handingOver.delete(id);
				this.schedule(run);
				return;
			}
			const isForWorkflow = lateMessages(run).length > 0;
			if (isForWorkflow) await this.startLate(run);
			const chosen = isForWorkflow ? undefined : await this.choose(run);
			mayHaveGot ||= chosen?.isEarlier === true;
			if (chosen) {
				const record = toRecord(handOverOf(chosen.run), this.known.own);
				const state = await this.known.ports.callRun(chosen.run, record);
				const known = this.known.runs.get(id) ?? chosen.run;
				afterHandOver(known, state, mayHaveGot, this.known.ports.now());
				mayHaveGot ||= state === 'unknown';
				this.known.changed(known);
				if (known.isOver) break;
			}
			await this.known.ports.pause(backoffMs(attempt, isTooLate ? maxPauseMs : undefined));
		}
		await this.finish(id);
		this.handingOver.delete(id);
	}

	/**
	 * Reads the stored state, then stores which replies the run gets, before the run gets them.
	 *
	 * @returns undefined if n8n does not respond or something has changed
	 */
	private async choose(run: Run): Promise<{ run: Run; isEarlier: boolean } | undefined> {
		if (!(await this.synchronize(run))) return undefined;
		const current = this.known.runs.get(run.id);
		if (!current || current.isOver || this.known.ports.now() < repliesDueAt(current))
			return undefined;
		if (current.handing) return { run: current, isEarlier: run.handing === undefined };
		chooseReplies(current);
		this.known.changed(current);
		if (!(await this.synchronize(current))) return undefined;
		const chosen = this.known.runs.get(run.id);
		return chosen && { run: chosen, isEarlier: false };
	}

	/** Starts the workflow with the messages that a run has not got, stores that the run is over, and forgets the run. */
	private async finish(id: string): Promise<void> {
		for (let attempt = 0; ; attempt++) {
			const run = this.known.runs.get(id);
			if (!run) return;
			run.isOver = true;
			this.known.changed(run);
			if (await this.startLate(run)) {
				const current = this.known.runs.get(id);
				if (!current) return;
				if (lateMessages(current).length === 0) {
					this.known.retire(current);
					void this.report(current);
					return;
				}
			}
			await this.known.ports.pause(backoffMs(attempt, maxPauseMs));
		}
	}

	/**
	 * Starts the workflow with the messages that a run will never get, and stores that.
	 *
	 * @returns whether no message is left, and this is stored
	 */
	private async startLate(run: Run): Promise<boolean> {
		const keys = lateMessages(run).map(({ message }) => message.key);
		if (keys.length === 0) return await this.synchronize(run);
		const record = toRecord(run, this.known.own);
		const result = await this.known.ports.callTrigger(this.known.own, {
			is: 'late',
			id: run.id,
			run: record,
			keys,
		});
		const isStarted = typeof result === 'object' && result.isStarted === true;
		const current = this.known.runs.get(run.id);
		if (!isStarted || !current) return false;
		this.known.noteStarted(run.id, keys);
		return await this.synchronize(current);
	}

	/**
	 * Stores that a run is settled, and later tells the other triggers. Then they need not ask about messages of its
	 * people any more. They are not told at once, because they may still get copies of its replies that nothing
	 * identifies.
	 */
	private async report(run: Run): Promise<void> {
		await this.known.ports.callTrigger(this.known.own, { is: 'sync' });
		await this.known.ports.pause(sameMomentMs);
		const over = withoutTexts(run);
		const others = run.triggers.filter((trigger) => trigger !== this.known.own);
		await Promise.all(
			others.map(async (trigger) => {
				const rest = { id: run.id, skewMs: null, without: [] };
				const request = { is: 'tell' as const, run: toRecord(over, trigger), ...rest };
				await this.known.ports.callTrigger(trigger, request);
			}),
		);
	}

	/**
	 * Tells the process that takes this trigger's deliveries about a run, and learns what that process knows.
	 *
	 * @returns false without a response
	 */
	private async synchronize(run: Run): Promise<boolean> {
		const record = toRecord(run, this.known.own);
		const result = await this.known.ports.callTrigger(this.known.own, {
			is: 'sync',
			id: run.id,
			run: record,
		});
		if (typeof result !== 'object' || result.inbox !== 'yes') return false;
		for (const [id, known] of result.runs ?? []) this.known.mergeText(id, known);
		if (result.isSettled) {
			this.known.settle(run.id);
			this.known.forget(run.id);
		}
		return true;
	}

	/** No longer checks a run. */
	forget(id: string): void {
		this.timers.delete(id);
	}
}

/**
 * How long to wait before n8n is called again, ms. Once a run can no longer get its replies, pauses may be longer: the
 * trigger may be unpublished, or receive no messages any more, for weeks.
 */
function backoffMs(attempt: number, mostMs = 10_000): number {
	return Math.min(50 * 2 ** attempt, mostMs);
}
