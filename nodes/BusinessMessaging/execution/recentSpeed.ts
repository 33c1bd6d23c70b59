/** How fast a run sends at present. */

/** How far back it looks, ms. */
const recentMs = 500;

/** Counts events of the last half second. */
export class RecentSpeed {
	/** When they happened, by the clock that nobody changes, ms. */
	private times: number[] = [];

	constructor(private readonly now = () => performance.now()) {}

	add(): void {
		this.times.push(this.now());
	}

	/** Events per ms. */
	get perMs(): number {
		const begin = this.now() - recentMs;
		while (this.times[0] < begin) this.times.shift();
		return this.times.length / recentMs;
	}
}
