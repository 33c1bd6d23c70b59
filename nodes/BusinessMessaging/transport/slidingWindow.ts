import { sortedLastIndex } from 'lodash';

/** Counts requests, so that any window holds at most as many as a limit allows. Times are in ms of a monotonic clock. */
export class SlidingWindow {
	/** When the requests of the last window ended, oldest first. The service has counted each of them before that. */
	private readonly ended: number[] = [];
	private underWay = 0;

	constructor(private readonly ms: number) {}

	begin(): void {
		this.underWay++;
	}

	/** @param counts whether the service counts the request */
	end(now: number, counts: boolean): void {
		this.underWay--;
		if (counts) this.ended.push(now);
	}

	/** How long until another request may begin, ms; Infinity if one has to end first. */
	waitMs(now: number, most: number): number {
		while (this.ended[0] + this.ms <= now) this.ended.shift();
		if (this.ended.length + this.underWay < most) return 0;
		return this.ended.length > 0 ? this.ended[0] + this.ms - now : Infinity;
	}

	/** How many requests may begin within this time, ms. */
	freeWithin(ms: number, now: number, most: number): number {
		const counting = this.ended.length - sortedLastIndex(this.ended, now + ms - this.ms);
		return Math.max(0, most - counting - this.underWay);
	}
}

/** At most so many requests in a window. */
export interface Limit {
	window: SlidingWindow;
	most: number;
}
