/** A point that the specification leaves open, and the answers a service could give. */
export interface OpenPoint {
	/** What it is about. */
	words: string;
	/** Values with what each stands for; the first is what the sandbox does by itself. */
	values: ReadonlyArray<readonly [value: string, words: string]>;
}
