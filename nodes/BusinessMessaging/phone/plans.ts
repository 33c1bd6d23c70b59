/** The numbering plans of all countries. */
import { groupBy, keyBy } from 'lodash';

import { numberingPlanTable } from './numberingPlanTable';

/** How the numbers of a country are written. */
export type NumberingPlan = ReturnType<typeof readLine>;

function readLine(line: string) {
	const [country, callingCode, lengths, pattern, trunk = '', trunkReplacement = '', exitCode = ''] =
		line.split(' ');
	return {
		/** ISO code, or the calling code where no country has it. */
		country,
		callingCode,
		/** How many digits may follow the calling code, and what they may be. */
		lengths: lengths.split(',').map(Number),
		pattern: new RegExp(`^(?:${pattern})$`),
		/** What is dialled before a number within the country, e.g. 0, and what it becomes from abroad. */
		trunk: new RegExp(`^(?:${trunk})`),
		trunkReplacement,
		/** What is dialled before another calling code, if it does not begin with 00; else empty. */
		exitCode,
	};
}

const plans = numberingPlanTable.trim().split('\n').map(readLine);
const byCallingCode = groupBy(plans, 'callingCode');

/** The plans by their countries. */
export const planOf: Partial<Record<string, NumberingPlan>> = keyBy(plans, 'country');

/** The plans of the calling code at the start of the digits, the main country first; empty for none. */
export function plansFor(digits: string): NumberingPlan[] {
	return [1, 2, 3].flatMap((length) => byCallingCode[digits.slice(0, length)] ?? []);
}

/** A number without the trunk prefix of its country; as it is if it has none. */
export function withoutTrunk(digits: string, { trunk, trunkReplacement }: NumberingPlan): string {
	return digits.replace(trunk, trunk.exec(digits)?.at(-1) ? trunkReplacement : '');
}
