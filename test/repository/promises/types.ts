/** Sentences on which people rely, by the page that says them. */
export type Promises = Record<
	string,
	Array<{
		/** A sentence of the page, or a part of it. In a table, ` | ` is between two cells. */
		sentence: string;
		/**
		 * What fails when the sentence is false: a file below test/ or of the project, and words that stand in it, e.g. the
		 * name of a test: `engine/reply/inbox.test.ts: the replies so far are output when the time is up`.
		 */
		provedBy: string[];
	}>
>;
