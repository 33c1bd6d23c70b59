/** What came first, even if n8n's clock is put back. Like keeper.ts, without n8n. */

/** n8n's clock for what came first, ms: if n8n's clock is put back, this one goes on from where it was. */
export class SteadyClock {
	private latest = -Infinity;
	private aheadMs = 0;

	constructor(private readonly wall: () => number) {}

	now(): number {
		const now = this.wall() + this.aheadMs;
		this.learn(now);
		this.aheadMs += this.latest - now;
		return this.latest;
	}

	/** Learns a time that was stored: from now on, the clock shows no earlier one. */
	learn(time: number): void {
		this.latest = Math.max(this.latest, time);
	}
}
