/** What a judge says. */
export interface Verdict {
	/** Who says it, and by which rules. */
	judge: string;
	/** In a few words, with figures. */
	words: string;
	/** One line each; none is a pass. */
	complaints: string[];
}
