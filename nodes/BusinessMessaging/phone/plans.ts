/** The numbering plans of all countries. */
import { groupBy, keyBy, memoize } from 'lodash';

import { numberingPlanTable } from './numberingPlanTable';

/** How the numbers of a country are written. */
export type NumberingPlan = ReturnType<typeof readLine>;

function readLine(line: string) {
	const [
		country,
		callingCode,
		lengths,
		pattern,
		trunk = '',
		trunkReplacement = '',
		exitCode = '00',
	] = line.replaceAll('d', '\\d').split(' ');
	return {
		/** ISO code, or the calling code if it belongs to no country. */
		country,
		callingCode,
		/** How many digits may follow the calling code, and the pattern that they must match. */
		lengths: lengths.split(',').map(Number),
		pattern: new RegExp(`^(?:${pattern})$`),
		/** The trunk prefix that is dialled within the country, e.g. 0, and what replaces it in an international number. */
		trunk: new RegExp(`^(?:${trunk})`),
		trunkReplacement,
		/** The prefix that is dialled before an international number, e.g. 00. */
		exitCode: new RegExp(`^(?:${exitCode})`),
	};
}

/** Read at first use, because most n8n never need them: these are 750 regular expressions. */
const plans = memoize(() => numberingPlanTable.trim().split('\n').map(readLine));
const byCountry = memoize(() => keyBy(plans(), 'country'));
const byCallingCode = memoize(() => groupBy(plans(), 'callingCode'));

/** The codes of all countries with a plan. */
export const countryCodes = memoize(() =>
	Object.keys(byCountry()).filter((code) => /^[A-Z]{2}$/.test(code)),
);

/** The plan of a country; undefined for a code that is none. */
export const planOf = (country: string): NumberingPlan | undefined => byCountry()[country];

/** The plans of the calling code at the start of the digits, the main country first; empty for none. */
export function plansFor(digits: string): readonly NumberingPlan[] {
	return plansBelow(digits.slice(0, 3));
}

/** Kept by the first digits, because collecting the 25 plans for +1 is most of the work of reading a number. */
const plansBelow = memoize((start: string) =>
	[1, 2, 3].flatMap((length) => byCallingCode()[start.slice(0, length)] ?? []),
);

/** A number without the trunk prefix of its country, if it has one. */
export function withoutTrunk(digits: string, { trunk, trunkReplacement }: NumberingPlan): string {
	return digits.replace(trunk, trunk.exec(digits)?.at(-1) ? trunkReplacement : '');
}
