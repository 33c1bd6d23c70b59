/**
 * How many requests of one key may be under way at once, found out as TCP does: raised faster and faster while all are accepted, halved when one is
 * refused, then raised slowly. A number that is refused again and again is tried more and more rarely. docs/adr/0003-rate.md
 */
import { clamp } from 'lodash';

/** How many go out at once at first, and how many more then. */
const firstLimit = 4;
const firstStep = 2;
/** How many requests must be accepted before a number that was refused is tried again, if that happens often; doubled each time. */
const minPatience = 50;
const maxPatience = 1_000;

/** Begins again after each change of the limit. */
const newRound = (underWay = 0) => ({ accepted: 0, most: underWay, wasFull: false });

/** No clock, no timer. */
export class ConcurrencyLimit {
	/** Requests that have begun and not ended. */
	underWay = 0;
	private limit = firstLimit;
	/** By how much the limit is raised next. */
	private step = firstStep;
	/** Since the last change of the limit: how many requests were accepted, how many ran at once at most, and whether one had to wait. */
	private round = newRound();
	/** How many at once were all accepted. */
	private enough = 1;
	/** How many at once are too many, and how many were too many the time before. */
	private tooMany = Infinity;
	private tooManyBefore = Infinity;
	/** How many requests must be accepted before `tooMany` are tried again, and how many were since the last refusal. */
	private patience = 0;
	private accepted = Infinity;
	/** Whether responses to requests that were under way at a refusal may still come. */
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

	/** @returns how many are under way with this one */
	begin(): number {
		this.underWay++;
		this.round.most = Math.max(this.round.most, this.underWay);
		return this.underWay;
	}

	/** @returns how many were under way with this one */
	end(): number {
		return this.underWay--;
	}

	/** A request was refused while others were under way. */
	slowDown(): void {
		this.isSettling = true;
		this.step = 1;
		this.tooMany = this.round.most;
		if (this.tooMany <= this.enough) this.enough = 1;
		this.set(this.round.most / 2);
	}

	/** Another one that was sent beside it was refused too, so fewer were accepted. */
	lower(): void {
		if (this.isSettling) this.tooMany = Math.max(this.enough + 1, this.tooMany - 1);
	}

	/**
	 * The service accepts requests again. Without a wait, too many at once were the reason. After a wait, the rate may have been, unless
	 * the same number is refused again.
	 */
	resume(hasWaited: boolean): void {
		if (!this.isSettling) return;
		this.isSettling = false;
		const isSoon = this.accepted < 2 * Math.max(this.patience, minPatience);
		const isSame = Math.abs(this.tooMany - this.tooManyBefore) <= 1;
		const isReason = !hasWaited || (isSoon && isSame);
		const patience = isSoon ? 2 * this.patience : this.patience;
		this.patience = isReason ? clamp(patience, minPatience, maxPatience) : 0;
		this.tooManyBefore = this.tooMany;
		this.accepted = 0;
		this.set(Math.min(this.limit, this.tooMany - 1));
		if (hasWaited && !isReason) [this.tooMany, this.step] = [Infinity, this.limit];
	}

	/** A request was accepted. Only if more had wanted to go, it shows that the service accepts so many. */
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
