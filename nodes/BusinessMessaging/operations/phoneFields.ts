/** Parameters with a phone number, and the Default Country of local numbers. */
import { samePhoneKey } from '../phone/compare';
import { readDefaultCountry } from '../phone/countries';
import { countryNames } from '../phone/countryNames';
import { planOf } from '../phone/plans';
import { isPersonId, plusMissing, readPhone } from '../phone/readPhone';
import { quoted, textOrJson } from '../jsonValues';
import { recordField } from './fields';
import { InputError } from '../transport/errors';
import type { OperationRequest, RequestSettings } from './operation';

/** What the Default Country is for, in the node and in the credential. */
export const defaultCountryDescription =
	'The country of phone numbers without a country code. Numbers with + or 00 keep their own country.';

/** What a Default Country can be, as lists of the editor show it. The value of a country is its ISO code. */
export const defaultCountries = [
	{ name: '(None) Numbers Begin With + or 00', value: 'none' },
	{ name: '(None) Only the + Is Missing', value: plusMissing },
	...countryNames
		.trim()
		.split('\n')
		.map((line) => ({ name: line.slice(3), value: line.slice(0, 2) })),
];

/** The country of local numbers. The editor asks for the list: five copies of it in the node would be slow to load. */
export const defaultCountryField = recordField({
	displayName: 'Default Country',
	name: 'defaultCountry',
	description: `${defaultCountryDescription} This country replaces that of the credential.`,
	searchListMethod: 'searchCountries',
	default: { mode: 'list', value: 'none', cachedResultName: defaultCountries[0].name },
	idMode: 'code',
	idPlaceholder: 'e.g. GB, +44 or United Kingdom',
});

/** The country of the credential's local numbers: its ISO code, or another value of the field. */
export function defaultCountryOf(credential: { defaultCountry?: unknown } | undefined): string {
	const written = textOrJson(credential?.defaultCountry);
	return readDefaultCountry(written) ?? written;
}

/**
 * Reads a field with a phone number, as E.164. The Default Country of `options` overrides the credential's.
 *
 * @throws InputError if it is not a phone number, or can mean several
 */
export function readPhoneValue(
	written: string,
	{ displayName }: { displayName: string },
	options: { defaultCountry?: string },
	settings: RequestSettings,
): { phone: string; hints: string[] } {
	const defaultCountry = options.defaultCountry ?? settings.defaultCountry;
	if (written.trim() === '')
		throw new InputError(
			`'${displayName}' is empty`,
			'Enter a phone number, or check the data that the expression refers to.',
		);
	const reading = readPhone(written, defaultCountry);
	if (reading.e164 !== undefined) return { phone: reading.e164, hints: reading.hints };
	if (isPersonId(written.trim()))
		throw new InputError(
			`"${quoted(written)}" in '${displayName}' looks like an ID, not like a phone number`,
			"The service's API knows people only by phone number. Ask this person for a number.",
		);
	const { problem, detail = '' } = reading;
	const advice = 'Write it with + and the country code, e.g. +49 170 1234567';
	const orCountry = planOf(defaultCountry)
		? ''
		: ", or set 'Default Country' under 'Options' for local numbers";
	throw new InputError(
		`"${quoted(written)}" in '${displayName}' ${problem}`,
		`${detail} ${advice}${orCountry}.`.trim(),
	);
}

/** Identifies the recipient of a message: two spellings of the number of one phone are one recipient. */
export function recipientOf({ body }: OperationRequest): string {
	return samePhoneKey(textOrJson(body?.to));
}
