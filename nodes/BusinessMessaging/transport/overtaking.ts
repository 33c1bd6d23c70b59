/**
 * Pages that came before the page before them. What is added in between pushes a record from the earlier page, which came
 * late, onto the later one, which has come without it. Whether anything was added shows with the next page that was given
 * afterwards: it begins with a record of the page before it.
 */
export class Overtaking {
	private turn = 0;
	private doubtful: Array<{ number: number; until: number }> = [];

	/**
	 * Takes note of pages in the order of the list.
	 *
	 * @param turn which answer of the listing the page was, as they came
	 * @param isPushed whether it shows that something was added
	 * @returns the pages to be read again
	 */
	note(number: number, turn: number, isPushed: boolean): number[] {
		const again = isPushed ? this.take() : [];
		this.doubtful = this.doubtful.filter(({ until }) => turn < until);
		if (turn < this.turn) this.doubtful.push({ number, until: this.turn });
		this.turn = turn;
		return again;
	}

	/** Hands over the pages that no later one has cleared up. */
	take(): number[] {
		return this.doubtful.splice(0).map(({ number }) => number);
	}
}
