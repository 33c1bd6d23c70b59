/** Many things to do later, on one timer. */

const tickMs = 10;

/** Runs tasks after a delay, to the nearest 10 ms above, in the order in which they fall due. */
export class Scheduler {
	private readonly due = new Map<number, Array<() => void>>();

	private timer?: NodeJS.Timeout;

	private lastTick = 0;

	private closed = false;

	/** @param delayMs at least this long from now, ms */
	after(delayMs: number, task: () => void): void {
		if (this.closed) return;
		const now = performance.now();
		if (!this.timer) {
			this.lastTick = Math.floor(now / tickMs);
			this.timer = setInterval(() => this.run(), tickMs);
		}
		const tick = Math.max(Math.ceil((now + delayMs) / tickMs), this.lastTick + 1);
		const tasks = this.due.get(tick);
		if (tasks) tasks.push(task);
		else this.due.set(tick, [task]);
	}

	/** Resolves after `delayMs`; never, if the scheduler is closed before. */
	async wait(delayMs: number): Promise<void> {
		return await new Promise((resolve) => this.after(delayMs, resolve));
	}

	/** Drops everything that is still to be done. */
	close(): void {
		this.closed = true;
		this.due.clear();
		clearInterval(this.timer);
	}

	private run(): void {
		const now = Math.floor(performance.now() / tickMs);
		while (this.lastTick < now) {
			const tasks = this.due.get(++this.lastTick);
			this.due.delete(this.lastTick);
			tasks?.forEach((task) => task());
		}
		if (this.due.size > 0) return;
		clearInterval(this.timer);
		this.timer = undefined;
	}
}
