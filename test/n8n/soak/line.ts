/** The table of results. */
/** One line, with lists of people or events. */
export interface Line {
	what: string;
	wanted: number;
	done: number;
	lost: string[];
	doubled: string[];
	/** Missing or doubled, where the documents say that this can happen, and n8n names it or has crashed. */
	uncertain: string[];
}

/** A line before anything was counted. */
export function emptyLine(what: string): Line {
	return { what, wanted: 0, done: 0, lost: [], doubled: [], uncertain: [] };
}
