/** The time zones in which a phone may be, according to its number. */
import { memoize, uniq } from 'lodash';

import { plansFor } from './plans';

/** Countries that are missing in the runtime's data. */
const furtherZones: Partial<Record<string, string>> = {
	AC: 'Atlantic/St_Helena',
	TA: 'Atlantic/St_Helena',
	XK: 'Europe/Belgrade',
};

/** The runtime knows them by one of two names, depending on its version. */
type Region = Intl.Locale & { timeZones?: string[]; getTimeZones?: () => string[] | undefined };

/**
 * The IANA time zones of the countries that a number can belong to, e.g. all of the United States and Canada for most
 * numbers with +1.
 *
 * @param e164 a number in E.164
 * @returns empty for a number of no country, e.g. +800
 */
export function timeZonesOf(e164: string): string[] {
	const digits = e164.slice(1);
	const plans = plansFor(digits);
	const fitting = plans.filter(({ callingCode, pattern }) =>
		pattern.test(digits.slice(callingCode.length)),
	);
	const countries = uniq((fitting.length > 0 ? fitting : plans).map(({ country }) => country));
	return countries.flatMap((country) => zonesOfCountry(country));
}

const zonesOfCountry = memoize((country: string): string[] => {
	if (!/^[A-Z]{2}$/.test(country)) return [];
	const region: Region = new Intl.Locale(`und-${country}`);
	const zones = region.getTimeZones?.() ?? region.timeZones ?? [];
	const further = furtherZones[country];
	return zones.length === 0 && further ? [further] : zones;
});
