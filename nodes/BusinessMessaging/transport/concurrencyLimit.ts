/** Finds out how many requests of one key may be under way at once, as TCP does: docs/adr/0003-rate.md */
import { clamp } from 'lodash';

const firstLimit = 4;
const firstStep = 2;
/** How many requests must be accepted before a number that is refused often is tried again. Doubled each time, up to the maximum. */
const minPatience = 50;
const maxPatience = 1_000;

/** The counters since the last change of the limit. `most`: requests under way; `wasFull`: a request had to wait. */
const newRound = (underWay = 0) => ({ accepted: 0, most: underWay, wasFull: false });

/** The limit for simultaneous requests. It uses no clock and no timer. */
export class ConcurrencyLimit {
	underWay = 0;
	private limit = firstLimit;
	/** By how much the limit is raised the next time. */
	private step = firstStep;
	private round = newRound();
	/** The latest number of simultaneous requests that were all accepted. */
	private enough = 1;
	/** The number of simultaneous requests that is too many, and the one that was too many the time before. */
	private tooMany = Infinity;
	private tooManyBefore = Infinity;
	/** How many requests must be accepted before `tooMany` is tried again, and how many were accepted since the last refusal. */
	private patience = 0;
	private accepted = Infinity;
	/** Whether responses may still come to requests that were under way at the last refusal. */
	private isSettling = false;

	/** About how many simultaneous requests the service accepts, if it keeps refusing more. */
	get known(): number | undefined {
		const isKnown = this.patience > 0 && this.tooMany < Infinity && !this.isSettling;
		return isKnown ? this.tooMany - 1 : undefined;
	}

	/** Whether a request has to end before another one may go. */
	isFull(): boolean {
		this.round.wasFull ||= this.underWay >= this.limit;
		return this.underWay >= this.limit;
	}

	/** @returns how many are under way, including this one */
	begin(): number {
		this.underWay++;
		this.round.most = Math.max(this.round.most, this.underWay);
		return this.underWay;
	}

	/** @returns how many were under way, including this one */
	end(): number {
		return this.underWay--;
	}

	/** Notes that a request was refused while others were under way. */
	slowDown(): void {
		this.isSettling = true;
		this.step = 1;
		this.tooMany = this.round.most;
		if (this.tooMany <= this.enough) this.enough = 1;
		this.set(this.round.most / 2);
	}

	/** Notes that another request was refused which was under way at the same time. So even fewer were accepted. */
	lower(): void {
		if (this.isSettling) this.tooMany = Math.max(this.enough + 1, this.tooMany - 1);
	}

	/**
	 * Notes that the service accepts requests again. If we have not waited, too many requests at once were the reason for
	 * the refusal. If we have, the rate may have been, unless about the same number is refused again.
	 */
	resume(hasWaited: boolean): void {
		if (!this.isSettling) return;
		this.isSettling = false;
		const isSoon = this.accepted < 2 * Math.max(this.patience, minPatience);
		// If responses come in another order, the number is found less exactly.
		const isSame = Math.abs(this.tooMany - this.tooManyBefore) <= 1 + this.tooMany / 10;
		const isReason = !hasWaited || (isSoon && isSame);
		const patience = isSoon ? 2 * this.patience : this.patience;
		this.patience = isReason ? clamp(patience, minPatience, maxPatience) : 0;
		this.tooManyBefore = this.tooMany;
		this.accepted = 0;
		this.set(Math.min(this.limit, this.tooMany - 1));
		if (hasWaited && !isReason) [this.tooMany, this.step] = [Infinity, this.limit];
	}

	/** Notes that a request was accepted. Only if more requests were waiting, this shows that the service accepts so many at once. */
	accept(): void {
		this.accepted++;
		this.round.accepted++;
		if (this.round.wasFull && this.round.accepted >= this.limit) this.raise();
	}

	private raise(): void {
		this.enough = this.limit;
		if (this.limit >= this.tooMany) {
			// The number that was too many before has now been accepted.
			[this.tooMany, this.step] = [Infinity, 1];
		}
		const greatest = this.tooMany - 1;
		const hasPatience = this.limit === greatest && this.round.accepted < this.patience;
		if (hasPatience) return;
		this.set(this.limit < greatest ? Math.min(this.limit + this.step, greatest) : this.tooMany);
		this.step *= 2;
	}

	private set(limit: number): void {
		this.limit = Math.max(1, Math.floor(limit));
		this.round = newRound(this.underWay);
	}
}
