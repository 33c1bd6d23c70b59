/** The time zones in which a phone may be, according to its number. */
import { memoize, uniq } from 'lodash';

import { areaCodeTable } from './areaCodeTable';
import { plansFor } from './plans';

/** Time zones of countries that are missing in the runtime's data. */
const furtherZones: Partial<Record<string, string>> = {
	AC: 'Atlantic/St_Helena',
	TA: 'Atlantic/St_Helena',
	XK: 'Europe/Belgrade',
};

/** A region with its time zones. Depending on its version, the runtime has them as a property or as a method. */
type Region = Intl.Locale & { timeZones?: string[]; getTimeZones?: () => string[] | undefined };

/**
 * The IANA time zones in which an E.164 number can be: for +1 (25 countries and ten zones), those of its area code;
 * else those of all countries with such numbers. Empty for +800 and the like. Only Kazakhstan has +7 6 and +7 7, which
 * Russia's plan includes.
 */
export function timeZonesOf(e164: string): string[] {
	if (/^\+7[67]/.test(e164)) return zonesOfCountry('KZ');
	const [, areaCode = ''] = /^\+1(\d{3})\d{7}$/.exec(e164) ?? [];
	return zonesOfAreaCodes().get(areaCode) ?? zonesOfCountries(e164.slice(1));
}

const zonesOfAreaCodes = memoize(() => {
	const lines = areaCodeTable.trim().split('\n');
	const entries = lines.flatMap((line) => {
		const [zones, codes] = line.split(' ');
		return codes.match(/.../g)!.map((code): [string, string[]] => [code, zones.split(',')]);
	});
	return new Map(entries);
});

/** The country of an E.164 number, the main one if several have such numbers; undefined for +800 and the like. */
export function mainCountryOf(e164: string): string | undefined {
	return /^\+7[67]/.test(e164) ? 'KZ' : countriesOf(e164.slice(1))[0];
}

function countriesOf(digits: string): string[] {
	// Former numbers have a plan of their own, but are in the time zones of their country.
	const plans = plansFor(digits).filter(({ country }) => /^[A-Z]{2}$/.test(country));
	const fitting = plans.filter(({ callingCode, pattern }) =>
		pattern.test(digits.slice(callingCode.length)),
	);
	return uniq((fitting.length > 0 ? fitting : plans).map(({ country }) => country));
}

function zonesOfCountries(digits: string): string[] {
	return countriesOf(digits).flatMap((country) => zonesOfCountry(country));
}

const zonesOfCountry = memoize((country: string): string[] => {
	const region: Region = new Intl.Locale(`und-${country}`);
	const zones = region.getTimeZones?.() ?? region.timeZones ?? [];
	const further = furtherZones[country];
	return zones.length === 0 && further ? [further] : zones;
});
