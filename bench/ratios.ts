/** Compares the ratios of two runs of a benchmark: unlike times, they depend little on the machine. */
import { printTable } from '../harness/cli';

/** Names of figures that are ratios: those that are better if they are smaller, and those that are better if they are greater. */
const smallerIsBetter = ['ratio', 'ratioToBest', 'cpuRatio', 'timesBest'];
const greaterIsBetter = ['shareOfPlan', 'speed', 'cpu'];

/** The greatest factor by which a ratio may be worse: short runs vary. */
const tolerance = 1.5;

/** Each ratio by its path in the figures, converted so that a smaller one is better. */
function ratiosIn(figures: unknown, place = ''): Map<string, number> {
	const found = new Map<string, number>();
	if (typeof figures !== 'object' || figures === null) return found;
	for (const [name, value] of Object.entries(figures) as Array<[string, unknown]>) {
		const here = `${place}/${name}`;
		if (typeof value === 'number' && smallerIsBetter.includes(name)) found.set(here, value);
		else if (typeof value === 'number' && greaterIsBetter.includes(name))
			found.set(here, 1 / value);
		else for (const [inner, ratio] of ratiosIn(value, here)) found.set(inner, ratio);
	}
	return found;
}

/** Prints both runs side by side. @returns one sentence for each ratio that has become worse or is missing */
export function compareRatios(earlier: unknown, now: unknown): string[] {
	const current = ratiosIn(now);
	const rows = [...ratiosIn(earlier)].map(([place, before]) => {
		const after = current.get(place);
		return { place, before, now: after, times: after === undefined ? NaN : after / before };
	});
	console.log('Ratios of an earlier run and of this one, the smaller the better:');
	printTable(rows);
	return rows.flatMap(({ place, times }) => {
		if (Number.isNaN(times)) return [`${place} was measured earlier, and is missing now.`];
		return times > tolerance ? [`${place} is ${times.toFixed(2)} times as bad as earlier.`] : [];
	});
}
