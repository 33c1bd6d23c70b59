/**
 * What the specification leaves open, and the answers a service could give: one entry for each variation point.
 * docs/api-assumptions.md says where the answers come from.
 */
import { answerPoints } from './variationPoints/answers';
import { eventPoints } from './variationPoints/events';
import { listingPoints } from './variationPoints/listings';

/** All variation points by name. */
export const variationPoints = { ...answerPoints, ...listingPoints, ...eventPoints };
type Table = typeof variationPoints;

/** Name of an variation point, e.g. `page-base`. */
export type VariationPointName = keyof Table;

/** One value for each variation point. Numbers are written as text. */
export type Choice = { -readonly [Name in VariationPointName]: Table[Name]['values'][number][0] };

/** The names of all variation points. */
export const variationPointNames = Object.keys(variationPoints) as VariationPointName[];

/** The values of an variation point; the first is what the sandbox does by itself. */
export function valuesOf<Name extends VariationPointName>(name: Name): Array<Choice[Name]> {
	return variationPoints[name].values.map(([value]) => value) as Array<Choice[Name]>;
}
