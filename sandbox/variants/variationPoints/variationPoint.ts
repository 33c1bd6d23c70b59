/** Something that the specification leaves open, and how services could behave. */
export interface VariationPoint {
	/** What it is about. */
	words: string;
	/** Values, with what each stands for where its name does not say it; the first is what the sandbox does by itself. */
	values: ReadonlyArray<Value>;
}

type Value = string | readonly [name: string, words: string];

/** Name of a value and what it stands for. */
export function namedValue(value: Value): readonly [name: string, words: string] {
	return typeof value === 'string' ? [value, value] : value;
}
