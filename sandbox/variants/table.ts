/**
 * What the specification leaves open, and the answers a service could give: one entry for each open point.
 * docs/api-assumptions.md says where the answers come from.
 */
import { answerPoints } from './points/answers';
import { eventPoints } from './points/events';
import { listingPoints } from './points/listings';

/** All open points by name. */
export const openPoints = { ...answerPoints, ...listingPoints, ...eventPoints };
type Table = typeof openPoints;

/** Name of an open point, e.g. `page-base`. */
export type PointName = keyof Table;

/** One value for each open point. Numbers are written as text. */
export type Choice = { -readonly [Name in PointName]: Table[Name]['values'][number][0] };

/** The names of all open points. */
export const pointNames = Object.keys(openPoints) as PointName[];

/** The values of an open point; the first is what the sandbox does by itself. */
export function valuesOf<Name extends PointName>(name: Name): Array<Choice[Name]> {
	return openPoints[name].values.map(([value]) => value) as Array<Choice[Name]>;
}
