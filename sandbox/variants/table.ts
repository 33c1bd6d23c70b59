/**
 * What the specification leaves open, and the answers a service could give: one entry for each variation point.
 * docs/api-assumptions.md says where the answers come from.
 */
import { answerPoints } from './variationPoints/answers';
import { eventPoints } from './variationPoints/events';
import { listingPoints } from './variationPoints/listings';
import { namedValue } from './variationPoints/variationPoint';

/** All variation points by name. */
export const variationPoints = { ...answerPoints, ...listingPoints, ...eventPoints };
type Table = typeof variationPoints;

/** Name of a variation point, e.g. `page-base`. */
export type VariationPointName = keyof Table;

type ValueName<Value> = Value extends readonly [infer Name, string] ? Name : Value;

/** One value for each variation point. Numbers are written as text. */
export type Choice = {
	-readonly [Name in VariationPointName]: ValueName<Table[Name]['values'][number]>;
};

/** The names of all variation points. */
export const variationPointNames = Object.keys(variationPoints) as VariationPointName[];

/** The values of a variation point; the first is what the sandbox does by itself. */
export function valuesOf<Name extends VariationPointName>(name: Name): Array<Choice[Name]> {
	return variationPoints[name].values.map((value) => namedValue(value)[0]) as Array<Choice[Name]>;
}
