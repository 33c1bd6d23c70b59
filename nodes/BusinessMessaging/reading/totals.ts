/** Which figure of a response is the number of all records of a list: only one that agrees with what comes. */

interface Figure {
	/** As the newest page shows it. */
	latest: number;
	/** The greatest of all pages: a list may get shorter while it is read. */
	greatest: number;
}

/** The figures of a list while it is read, by the names of their fields. */
export class Totals {
	private readonly figures = new Map<string, Figure>();
	/** The greatest figure of the first page. */
	announced = 0;

	/** Adds the figures of a page. */
	add(figures: Map<string, number>): void {
		if (this.figures.size === 0) this.announced = Math.max(0, ...figures.values());
		for (const [name, latest] of figures) {
			const { greatest = 0 } = this.figures.get(name) ?? {};
			this.figures.set(name, { latest, greatest: Math.max(greatest, latest) });
		}
	}

	/** Whether a figure agrees with the number of all records. */
	has(count: number): boolean {
		return [...this.figures.values()].some(({ latest }) => latest === count);
	}

	/**
	 * The total, as far as is known after `count` records: the figure that agrees with them, else the smallest that says there
	 * are more. One that was passed is no total, nor is one that may only count the first page.
	 */
	of(count: number, firstPage: number): Figure | undefined {
		const possible = [...this.figures.values()].filter(
			({ greatest }) => greatest > firstPage && greatest >= count,
		);
		const agreeing = possible.find(({ latest }) => latest <= count);
		return agreeing ?? possible.sort((one, other) => one.latest - other.latest)[0];
	}
}
