/** Countries as people write them. */
import { memoize } from 'lodash';

import { foldText } from '../foldText';
import { countryCodes, plansFor } from './plans';
import { plusMissing } from './readPhone';

/** Names that the runtime does not know. */
const otherNames: Record<string, string> = {
	...{ UK: 'GB', 'Great Britain': 'GB', England: 'GB', Scotland: 'GB', Wales: 'GB' },
	...{ USA: 'US', 'United States of America': 'US', UAE: 'AE', Holland: 'NL', Burma: 'MM' },
	...{ 'Czech Republic': 'CZ', Turkey: 'TR', 'Ivory Coast': 'CI', 'Cape Verde': 'CV' },
	...{ Macedonia: 'MK', Swaziland: 'SZ', 'East Timor': 'TL', Korea: 'KR', Vatican: 'VA' },
};

/** Languages in which a country's name is known. */
const languages =
	'en de fr es pt it nl pl sv da nb fi cs hu ro tr el ru uk ar he hi id vi th ja ko zh';

function folded(name: string): string {
	return foldText(name).replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}

/** ISO codes by name; English names win. Undefined for Kongo: one country in Polish, the other in Norwegian. */
const codeByName = memoize(() => {
	const byName = new Map<string, string | undefined>();
	const english = new Set<string>();
	const add = (written: string | undefined, code: string, language = 'en') => {
		if (!written) return; // the runtime has no name in this language
		const name = folded(written);
		const isClear = !byName.has(name) || byName.get(name) === code || english.has(name);
		if (!byName.has(name) || !isClear) byName.set(name, isClear ? code : undefined);
		if (language === 'en') english.add(name);
	};
	for (const [name, code] of Object.entries(otherNames)) add(name, code);
	for (const language of languages.split(' '))
		for (const style of ['long', 'short'] as const) {
			const names = new Intl.DisplayNames(language, { type: 'region', style, fallback: 'none' });
			for (const code of countryCodes()) add(names.of(code), code, language);
		}
	return byName;
});

/**
 * The ISO code for a code in any case, a calling code such as +44 (of several countries: the main one), or a name in
 * one of many languages; undefined for anything else.
 */
export function readCountry(written: string): string | undefined {
	const text = written.trim();
	const [, digits] = /^(?:\+|00)\s?(\d{1,3})$/.exec(text) ?? [];
	if (digits !== undefined) {
		const [plan] = plansFor(digits);
		return plan?.callingCode === digits && countryCodes().includes(plan.country)
			? plan.country
			: undefined;
	}
	// With its accent, Bỉ (Belgium in Vietnamese) is not the code of Burundi.
	const code = text.toUpperCase();
	return countryCodes().includes(code) ? code : codeByName().get(folded(text));
}

/** A Default Country: an ISO code, `none` or `plusMissing`; undefined for what is no country. Only a name needs the names of all countries, which take 60 ms to collect. */
export function readDefaultCountry(written: string): string | undefined {
	return ['', 'none', plusMissing].includes(written) ? written || undefined : readCountry(written);
}
