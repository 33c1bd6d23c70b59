/** Time that only the test moves: pauses end in the order of their times. */

/** When each test begins, ms since 1970. */
export const begin = 1_900_000_000_000;

/** How often the clock may be read before the test lets time pass: a loop without an end reads it more often. */
const maxSteps = 12_000;

/** Lets everything happen that waits for nothing else. */
export const settle = async () => await new Promise<void>((resolve) => setImmediate(resolve));

interface Timer {
	at: number;
	end: () => void;
}

/** A clock, and the pauses of what is tested. */
export class Clock {
	/** Since the beginning, ms. */
	time = 0;
	/** The pauses that have begun, ms. */
	readonly pauses: number[] = [];
	private timers: Timer[] = [];
	private steps = 0;

	/** ms since 1970. @throws if it is read without end */
	now(): number {
		if (++this.steps > maxSteps) throw new Error('It never ends');
		return begin + this.time;
	}

	async pause(ms: number): Promise<void> {
		this.pauses.push(ms);
		const at = this.time + Math.max(0, ms);
		await new Promise<void>((end) => this.timers.push({ at, end }));
	}

	/** Lets time pass, ms. */
	async pass(ms: number): Promise<void> {
		const until = this.time + ms;
		this.steps = 0;
		for (await settle(); this.endPause(until); await settle());
		this.time = until;
	}

	/** Lets time pass until a promise is settled. */
	async until<T>(promise: Promise<T>): Promise<T> {
		let isSettled = false;
		const end = () => (isSettled = true);
		promise.then(end, end);
		this.steps = 0;
		for (await settle(); !isSettled; await settle())
			if (!this.endPause(Infinity)) throw new Error('Nothing will happen any more');
		return await promise;
	}

	/** The pauses of a process that no longer exists never end. */
	protected forgetPauses(): void {
		this.timers = [];
	}

	/** Ends the pause that is over first, if it is by a time. @returns whether there is one */
	private endPause(until: number): boolean {
		const [next] = this.timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
		if (!next) return false;
		this.timers = this.timers.filter((timer) => timer !== next);
		this.time = Math.max(this.time, next.at);
		next.end();
		return true;
	}
}
