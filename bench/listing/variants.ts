/** The services that the benchmark lists the contacts of. */
import { variationPointNames, valuesOf, type Choice } from '../../sandbox/variants';

/** The usual one, and each that pages in another way; not one that does not page, which a loop that knows it asks but once. */
export const pagingVariants: Array<Partial<Choice>> = [
	{},
	...variationPointNames
		.filter((name) => /^(page-|last-page|list-)/.test(name))
		.flatMap((name) =>
			valuesOf(name)
				.slice(1)
				.map((value) => ({ [name]: value })),
		),
];

/** Contacts on a page of the sandbox, asked for 1,000, which is the most that the nodes ask for. */
export function pageSizeOf(variants: Partial<Choice>): number {
	return { capped: 100, honoured: 1_000, refused: 100, ignored: 20 }[
		variants['page-size'] ?? 'capped'
	];
}
