interface Figure {
	latest: number;
	/** The greatest figure of all pages: a list may get shorter while it is read. */
	greatest: number;
}

/** The figures in the pages of a list, by field. Only one that agrees with the records read so far can be the total. */
export class Totals {
	private readonly figures = new Map<string, Figure>();
	/** The greatest figure of the first page. */
	announced = 0;

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

	/** Whether a figure of any page agrees with this number of records: the list may have got shorter since. */
	hasSaid(count: number): boolean {
		return [...this.figures.values()].some((figure) => Object.values(figure).includes(count));
	}

	/**
	 * The total as far as it is known: the figure that agrees with `count` records, else the smallest greater one. A
	 * figure that is not greater than the first page may only count that page.
	 */
	of(count: number, firstPage: number): Figure | undefined {
		const possible = [...this.figures.values()].filter(
			({ greatest }) => greatest > firstPage && greatest >= count,
		);
		const agreeing = possible.find(({ latest }) => latest <= count);
		return agreeing ?? possible.sort((one, other) => one.latest - other.latest)[0];
	}
}
