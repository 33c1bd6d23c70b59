/** `npm run docs` writes the table of numbering plans from the metadata of libphonenumber-js, and the names of their countries. */
import path from 'node:path';

import metadata from 'libphonenumber-js/metadata.max.json';

/** A numbering plan as libphonenumber-js stores it (see its METADATA.md); 0 or null for a missing value. */
type StoredPlan = [
	callingCode: string,
	exitCodePattern: string | 0,
	pattern: string,
	lengths: number[],
	formats: unknown,
	trunk: string | null,
	trunkFormat: unknown,
	trunkPattern: string | null,
	trunkReplacement: string | null,
];

/**
 * Plans that the metadata lacks, because services still know their users by former numbers: in Mexico, mobile numbers
 * began with 1 until 2019; in Ivory Coast until 2021 and in Benin until 2024, numbers had eight digits.
 */
const formerPlans = ['52 52 11 1[2-9]d{9}', '225 225 8 [02-9]d{7}', '229 229 8 [24-9]d{7}'];

function toLine(country: string, plan: StoredPlan): string {
	const [callingCode, exitCode, pattern, lengths, , trunk, , trunkPattern, replacement] = plan;
	const columns = [
		country,
		callingCode,
		lengths.filter((length) => isUsual(country, length, callingCode.length + length)).join(','),
		pattern.replaceAll('(?:', '('),
		trunkPattern || trunk || '',
		replacement || '',
		exitCode === '00' ? '' : exitCode || '',
	];
	return columns.join(' ').replaceAll('\\d', 'd').trimEnd();
}

/**
 * Whether numbers of this length are accepted. E.164 allows 15 digits with the calling code; the service requires at
 * least 7. Canada's numbers with 7 digits can only be dialled within Canada.
 */
function isUsual(country: string, length: number, withCode: number): boolean {
	return withCode >= 7 && withCode <= 15 && !(country === 'CA' && length === 7);
}

/** The table as a TypeScript file: the countries in alphabetical order, but the main country of a shared calling code first. */
export function phoneTable(): string {
	const countries = metadata.countries as unknown as Record<string, StoredPlan>;
	const plans = metadata.nonGeographic as unknown as Record<string, StoredPlan>;
	const mainFirst = Object.values<string[]>(metadata.country_calling_codes).flat();
	const lines = [
		...mainFirst.map((country) => toLine(country, countries[country])),
		...Object.entries(plans).map(([code, plan]) => toLine(code, plan)),
		...formerPlans,
	];
	return `/**
 * The numbering plans of all countries. Written by \`npm run docs\` (scripts/phoneTable.ts) from the metadata of
 * libphonenumber-js; not to be edited. A line: country (or the calling code where no country has it), calling code,
 * lengths and pattern of national numbers, trunk prefix, what replaces it, exit code if it is not 00. In patterns, d
 * stands for a digit. The main country of a shared calling code comes before the others.
 */
export const numberingPlanTable = String.raw\`
${lines.join('\n')}
\`;
`;
}

/** The names of the countries as a TypeScript file, in their alphabetical order. */
export function countryNames(): string {
	const names = new Intl.DisplayNames('en', { type: 'region' });
	const lines = Object.keys(metadata.countries)
		// "Tristan da Cunha" is the only name that does not follow n8n's Title Case.
		.map((code) => ({ code, name: names.of(code)!.replace(' da ', ' Da ') }))
		.sort((a, b) => a.name.localeCompare(b.name, 'en'))
		.map(({ code, name }) => `${code} ${name}`);
	return `/**
 * The English names of all countries with a numbering plan. Written by \`npm run docs\` (scripts/phoneTable.ts), because asking the
 * runtime for them takes a third of the time in which the nodes load; not to be edited. A line: ISO code, name.
 */
export const countryNames = \`
${lines.join('\n')}
\`;
`;
}

const phoneFolder = path.resolve(__dirname, '../nodes/BusinessMessaging/phone');
/** The files of both. */
export const phoneTableFile = path.join(phoneFolder, 'numberingPlanTable.ts');
export const countryNamesFile = path.join(phoneFolder, 'countryNames.ts');
