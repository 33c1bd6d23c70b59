/**
 * Holds our reading of phone numbers against libphonenumber-js, on numbers of every country written in every usual way.
 * The library says which number a text means and whether it is valid; our code has no part in it.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
	type CountryCode,
	type PhoneNumber,
	getCountries,
	parsePhoneNumberWithError,
} from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/metadata.max.json';
import { defaultCountries } from '../../../nodes/BusinessMessaging/operations/phoneFields';
import { readCountry } from '../../../nodes/BusinessMessaging/phone/countries';
import { readPhone } from '../../../nodes/BusinessMessaging/phone/readPhone';
import { phoneTable, phoneTableFile } from '../../../scripts/phoneTable';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Where ours differs from the library on purpose. */
const isDifferentOnPurpose = {
	/** E.164 allows 15 digits, and the service's documentation asks for at least 7. */
	tooLongOrShort: (e164: string) => e164.length < 8 || e164.length > 16,
	/** Seven digits after +1, e.g. 310 1234: can only be dialled within Canada, so no message reaches it. */
	onlyWithinCanada: (e164: string) => /^\+1\d{7}$/.test(e164),
	/** 00 always means + to us, since people copy numbers between countries; some countries begin numbers so. */
	begins00: (written: string) => written.startsWith('00'),
	/** The library calls former numbers of Mexico, Ivory Coast and Benin impossible; services still know their users by them. */
	former: (e164: string) => /^\+(521[2-9]\d{9}|225[02-9]\d{7}|229[24-9]\d{7})$/.test(e164),
	/** Probably comes from a spreadsheet, so that the last digit is not part of the number. */
	endsDotZero: (written: string) => /\.0$/.test(written),
};

type StoredPlan = [
	callingCode: string,
	exitCode: string,
	pattern: string,
	lengths: number[],
	...others: unknown[],
];
const plans = metadata.countries as unknown as Record<CountryCode, StoredPlan>;

function parse(written: string, defaultCountry?: CountryCode): PhoneNumber | undefined {
	try {
		return parsePhoneNumberWithError(written, { defaultCountry, extract: false });
	} catch {
		return undefined;
	}
}

/**
 * After +61, the library removes 1831 and 1832, which hide the caller's number in Australia. Other countries with +61 have numbers that
 * begin like that.
 */
function parseE164(e164: string): PhoneNumber | undefined {
	return /^\+61183[12]/.test(e164) ? parse(e164.slice('+61'.length), 'CX') : parse(e164);
}

/** Some country with this calling code has numbers that long: the library itself chooses one by the first digits. */
function isPossible(number: PhoneNumber): boolean {
	const { countryCallingCode, nationalNumber } = number;
	const sharing = Object.values(plans).filter(
		([callingCode]) => callingCode === countryCallingCode,
	);
	const fits = ([, , , lengths]: StoredPlan) => lengths.includes(nationalNumber.length);
	return number.isPossible() || sharing.some(fits);
}

/** Valid numbers of a country, or of one that shares its numbers: landlines, mobiles, toll-free and all the other kinds that the library knows. */
function validNumbers(country: CountryCode): fc.Arbitrary<PhoneNumber> {
	const [callingCode] = plans[country];
	const types = (plans[country][11] as Array<[pattern: string] | 0 | null>) ?? [];
	const patterns = types.flatMap((type) => (type && type[0] ? [type[0]] : []));
	// without the bias towards small values, of which hardly any is a number
	return fc
		.noBias(
			fc.oneof(...patterns.map((pattern) => fc.stringMatching(new RegExp(`^(?:${pattern})$`)))),
		)
		.map((national) => parse(`+${callingCode}${national}`))
		.filter((number): number is PhoneNumber => {
			if (!number?.isValid()) return false;
			const { tooLongOrShort, onlyWithinCanada } = isDifferentOnPurpose;
			return !tooLongOrShort(number.number) && !onlyWithinCanada(number.number);
		});
}

const digitsFrom = (zero: number) => (text: string) =>
	text.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));

/** What can be done to a written number without making it another one. */
const disguises: Array<(text: string) => string> = [
	(text) => text,
	(text) => text.replace(/[ -]/g, '.'),
	(text) => text.replace(/[ -]/g, ' \u2013 '), // long dashes
	(text) => text.replace(/ /g, '\u00a0'), // hard spaces
	(text) => text.replace(/ /g, ''),
	(text) => `\t \u202a${text}\u202c \n`, // marks of direction
	(text) => `'${text}`,
	digitsFrom(0xff10), // full-width
	digitsFrom(0x660), // Arabic
	digitsFrom(0x6f0), // Persian
	(text) => `${text} ext. 12`,
];

type Way = (number: PhoneNumber) => string;

/** Ways to write a number with its calling code. */
const international: Way[] = [
	(number) => number.formatInternational(),
	(number) => number.number,
	(number) => number.formatInternational().replace('+', '00'),
	(number) => number.formatInternational().replace(/^\+(\d+)/, '(+$1)'),
	(number) => number.formatInternational().replace(/^(\S+) (\d+)(?= )/, '$1 ($2)'),
	(number) => number.formatInternational().replace(/^(\S+ \d{1,5}) (?=\d)/, '$1/'),
	(number) => number.format('RFC3966'),
];

/** Ways to write a number within its country. */
const local: Way[] = [
	(number) => number.formatNational(),
	(number) => number.formatNational().replace(/\D/g, ''),
	(number) => number.formatNational().replace(/^(\D*\d{1,6}\)?) (?=\d)/, '$1/'),
];

/** Checks numbers of every country, written in one of these ways. The first failure is shown as it is. */
function inEveryCountry(ways: Way[], check: (number: PhoneNumber, written: string) => void): void {
	const choices = [fc.constantFrom(...ways), fc.constantFrom(...disguises)] as const;
	for (const country of getCountries()) {
		const numbers = validNumbers(country);
		const property = fc.property(numbers, ...choices, (number, write, disguise) => {
			const written = disguise(write(number));
			fc.pre(!isDifferentOnPurpose.endsDotZero(written));
			check(number, written);
		});
		fc.assert(property, { seed, numRuns: 40, endOnFailure: true });
	}
}

/** Where two numbers may be meant, the library prefers one, and a message may go to a stranger: ours names both. */
function expectNumberOrBoth(written: string, { number, country }: PhoneNumber): void {
	const reading = readPhone(written, country);
	const both = [`It may be ${number} or `, ` or ${number}.`];
	if (reading.e164 === undefined && both.some((part) => reading.detail?.includes(part))) return;
	expect({ written, ...reading }).toMatchObject({ written, e164: number });
}

describe(`as libphonenumber-js does (TEST_SEED=${seed}),`, () => {
	test('reads international numbers of every country in every usual way', () => {
		inEveryCountry(international, ({ number }, written) => {
			expect({ written, ...readPhone(written) }).toMatchObject({ written, e164: number });
		});
	});

	test('reads local numbers of every country in every usual way', () => {
		inEveryCountry(local, (number, written) => {
			const digits = number.formatNational().replace(/\D/g, '');
			fc.pre(!isDifferentOnPurpose.begins00(digits));
			fc.pre(parse(digits, number.country)?.number === number.number);
			expectNumberOrBoth(written, number);
		});
	});

	test('never turns digits into an impossible number, or a valid number into another', () => {
		const codes = Object.keys({ ...metadata.country_calling_codes, ...metadata.nonGeographic });
		const national = fc.stringMatching(/^\d{4,15}$/);
		const withCode = fc
			.tuple(fc.constantFrom(...codes), national)
			.map(([code, rest]) => `+${code}${rest}`);
		const texts = fc.oneof(withCode, national);
		const property = fc.property(texts, fc.constantFrom(...getCountries()), (text, country) => {
			const { e164 } = readPhone(text, country);
			if (e164 === undefined) return;
			const { former, begins00 } = isDifferentOnPurpose;
			const number = parseE164(e164);
			const isFine = number && (isPossible(number) || former(e164));
			expect({ e164, number: number?.number, isFine }).toEqual({
				e164,
				number: e164,
				isFine: true,
			});
			const library = parse(text, country);
			if (library?.isValid() && !begins00(text)) expect(e164).toBe(library.number);
		});
		fc.assert(property, { seed, numRuns: 20_000, endOnFailure: true });
	});
});

test('the table of numbering plans is what `npm run docs` writes, and every country can be chosen', () => {
	expect(readFileSync(phoneTableFile, 'utf8')).toBe(phoneTable());
	const codes = defaultCountries.slice(2).map(({ value }) => value);
	expect(codes.sort()).toEqual(Object.keys(metadata.countries).sort());
	expect(defaultCountries).toContainEqual({ name: 'Germany', value: 'DE' });
});

test.each([
	[
		'GB',
		['GB', 'gb', ' Gb ', 'UK', 'uk', '+44', '0044', 'United Kingdom', 'great britain', 'England'],
	],
	['US', ['us', 'USA', 'U.S.A.', '+1', 'United States', 'united states of america']],
	['DE', ['de', '+49', ' +49 ', '+ 49', 'Germany', 'Deutschland', 'ALLEMAGNE', 'Alemania']],
	['AT', ['Österreich', 'Osterreich', 'austria']],
	['AE', ['UAE', 'United Arab Emirates', '+971']],
	['CI', ["Côte d'Ivoire", 'Ivory Coast']],
	['IN', ['India', 'भारत', '+91']],
	[
		undefined,
		[
			...['', ' ', 'none of these', 'Europe', '+', '+999', '+800', '44', '+4', 'XX'],
			...['+447700900123', '+44 7', 'x+44'],
		],
	],
])('as the country %s is read: %j', (country, texts) => {
	expect(texts.map((text) => [text, readCountry(text)])).toEqual(
		texts.map((text) => [text, country]),
	);
});

test('every country is read by its code, its name in the list, and its calling code if it is the main country', () => {
	for (const { name, value: code } of defaultCountries.slice(2)) {
		expect([name, readCountry(name)]).toEqual([name, code]);
		expect(readCountry(code.toLowerCase())).toBe(code);
	}
	for (const [callingCode, [main]] of Object.entries<string[]>(metadata.country_calling_codes))
		expect([callingCode, readCountry(`+${callingCode}`)]).toEqual([callingCode, main]);
});

test('a name in any language is read as a country of this name, also if it looks like a code without its accents', () => {
	const owners = new Map<string, string[]>();
	const capitals: Array<[string, string]> = [];
	const languages =
		'en de fr es pt it nl pl sv da nb fi cs hu ro tr el ru uk ar he hi id vi th ja ko zh';
	for (const language of languages.split(' '))
		for (const style of ['long', 'short'] as const) {
			const names = new Intl.DisplayNames(language, { type: 'region', style });
			for (const code of getCountries()) {
				const name = names.of(code)!;
				owners.set(name, [...(owners.get(name) ?? []), code]);
				capitals.push([name, name.toLocaleUpperCase(language)]);
			}
		}
	// an abbreviation such as RU (Reino Unido) is a code first
	const names = [...owners.keys()].filter((name) => !/^[A-Z.-]{2,6}$/.test(name));
	const isUnclear = (name: string) => name === 'Kongo' && readCountry(name) === undefined;
	const wrong = names.filter(
		(name) => !owners.get(name)!.includes(readCountry(name)!) && !isUnclear(name),
	);
	expect(wrong.map((name) => [name, owners.get(name), readCountry(name)])).toEqual([]);
	const shouted = capitals.filter(([name]) => names.includes(name) && name.length > 2);
	expect(shouted.filter(([name, text]) => readCountry(text) !== readCountry(name))).toEqual([]);
	expect(['Kongo', 'KIBRIS'].map(readCountry)).toEqual([undefined, 'CY']);
	expect(['Bỉ', 'Áo', 'टोंगा', 'الاردن'].map(readCountry)).toEqual('BE AT TO JO'.split(' '));
});
