/** Sentences of the documents on which people rely, with what fails if they are false: see promises.test.ts. */

/** A sentence, or a part of it; in a table, ` | ` is between two cells. */
export interface Promised {
	page: string;
	sentence: string;
	/**
	 * `FILE.test.ts: a part of the title`, a file below test/; `transport/lists: maxPages`, a constant of the nodes; or
	 * `field: NAME default`, the default or a bound of fields with this name.
	 */
	provedBy: string[];
	/** The day and the commit at which somebody has compared the sentence with all of this. */
	confirmed: string;
}

/** Sentences of a page, each with what proves it. */
export const promised = (
	page: string,
	confirmed: string,
	sentences: Record<string, string[]>,
): Promised[] =>
	Object.entries(sentences).map(([sentence, provedBy]) => ({
		...{ page, sentence, provedBy, confirmed },
	}));
