/** Random numbers from a seed, and a clock that waits for nobody. */
/** Random numbers from 0 to 1. */
export function randomFrom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** A clock that jumps to the next thing to happen. */
export class Clock {
	now = 1_000_000;
	steps = 0;
	private readonly events: Array<{ at: number; run: () => void }> = [];

	after(ms: number, run: () => void): void {
		this.events.push({ at: this.now + ms, run });
	}

	/** Lets everything happen. @throws Error if it does not end */
	async runAll(): Promise<void> {
		for (; ; this.steps++) {
			await new Promise(setImmediate);
			if (this.events.length === 0) return;
			if (this.steps > 20_000) throw new Error('It does not end');
			const at = Math.min(...this.events.map((event) => event.at));
			const index = this.events.findIndex((event) => event.at === at);
			const [{ run }] = this.events.splice(index, 1);
			this.now = at;
			run();
		}
	}
}
