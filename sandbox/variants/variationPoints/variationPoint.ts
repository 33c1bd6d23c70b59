/** Something that the specification leaves open, and how services could behave. */
export interface VariationPoint {
	/** What it is about. */
	words: string;
	/** Values with what each stands for; the first is what the sandbox does by itself. */
	values: ReadonlyArray<readonly [value: string, words: string]>;
}
