/** `npm run docs` writes the table of numbering plans from the metadata of libphonenumber-js. */
import path from 'node:path';

import metadata from 'libphonenumber-js/metadata.max.json';

/** A plan as libphonenumber-js stores it (its METADATA.md); 0 or null where there is nothing. */
type StoredPlan = [
	callingCode: string,
	exitCodePattern: string | number,
	pattern: string,
	lengths: number[],
	formats: unknown,
	trunk: string | number | null,
	trunkFormat: unknown,
	trunkPattern: string | number | null,
	trunkReplacement: string | number | null,
	...others: unknown[],
];

/** E.164 allows 15 digits with the calling code; the service asks for at least 7. */
const isLength = (digits: number) => digits >= 7 && digits <= 15;

/**
 * Plans that the metadata lacks: in Mexico, mobile numbers began with 1 until 2019, and services still know their users
 * by these numbers.
 */
const formerPlans = ['52 52 11 1[2-9]\\d{9}'];

/** Canada's 310 and seven digits in all can only be dialled within Canada. */
const onlyWithinCountry: Record<string, number[]> = { CA: [7] };

function toLine(country: string, plan: StoredPlan): string {
	const [callingCode, exitCodePattern, pattern, lengths] = plan;
	const dialled = lengths.filter((length) => !onlyWithinCountry[country]?.includes(length));
	const columns = [
		country,
		callingCode,
		dialled.filter((length) => isLength(callingCode.length + length)).join(','),
		pattern,
		plan[7] || plan[5] || '',
		plan[8] || '',
		exitCodePattern === '00' ? '' : exitCodePattern || '',
	];
	return columns.join(' ').trimEnd();
}

/** The countries in alphabetical order, but the main country of a shared calling code first. */
function planLines(): string[] {
	const countries = metadata.countries as unknown as Record<string, StoredPlan>;
	const plans = metadata.nonGeographic as unknown as Record<string, StoredPlan>;
	const mainFirst = Object.values(
		metadata.country_calling_codes as Record<string, string[]>,
	).flat();
	return [
		...mainFirst.map((country) => toLine(country, countries[country])),
		...Object.entries(plans).map(([code, plan]) => toLine(code, plan)),
		...formerPlans,
	];
}

/** The table as a TypeScript file. */
export function phoneTable(): string {
	return `/**
 * The numbering plans of all countries. Written by \`npm run docs\` (scripts/phoneTable.ts) from the metadata of
 * libphonenumber-js; not to be edited. A line: country (or the calling code where no country has it), calling code,
 * lengths and pattern of national numbers, trunk prefix, what replaces it, exit code if it is not 00. The main country
 * of a shared calling code comes before the others.
 */
export const numberingPlanTable = String.raw\`
${planLines().join('\n')}
\`;
`;
}

/** Where the table is kept. */
export const phoneTableFile = path.resolve(
	__dirname,
	'../nodes/BusinessMessaging/phone/numberingPlanTable.ts',
);
