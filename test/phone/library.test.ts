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
import type { INodePropertyOptions } from 'n8n-workflow';
import { defaultCountryField } from '../../nodes/BusinessMessaging/operations/phone';
import { plusMissing, readPhone } from '../../nodes/BusinessMessaging/phone/read';
import { phoneTable, phoneTableFile } from '../../scripts/phoneTable';
import { samePhoneKey, toE164 } from '../../nodes/BusinessMessaging/phone/compare';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const numbersPerCountry = 40;

/** Where ours differs from the library on purpose. */
const isDifferentOnPurpose = {
	/** E.164 allows 15 digits, and the service's documentation asks for at least 7. */
	tooLongOrShort: (e164: string) => e164.length < 8 || e164.length > 16,
	/** Seven digits after +1, e.g. 310 1234: can only be dialled within Canada, so no message reaches it. */
	onlyWithinCanada: (e164: string) => /^\+1\d{7}$/.test(e164),
	/** 00 always means + to us, since people copy numbers between countries; some countries begin numbers so. */
	begins00: (written: string) => written.startsWith('00'),
	/** The library calls Mexico's former mobile numbers impossible; services still know their users by them. */
	formerMexican: (e164: string) => /^\+521[2-9]\d{9}$/.test(e164),
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
 * Some country with this calling code has numbers that long. (Where several have it, the library chooses one by the first
 * digits before it looks at the length.)
 */
function isPossible(e164: string): boolean {
	const number = parse(e164);
	if (!number || number.isPossible()) return number !== undefined;
	return getCountries()
		.map((country) => plans[country])
		.filter(([callingCode]) => callingCode === number.countryCallingCode)
		.some(([, , , lengths]) => lengths.includes(number.nationalNumber.length));
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

const shift = (by: number) => (text: string) =>
	text.replace(/[0-9+()]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + by));
const digitsFrom = (zero: number) => (text: string) =>
	text.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));

/** What can be done to a written number without making it another one. */
const disguises: Record<string, (text: string) => string> = {
	'as it is': (text) => text,
	dots: (text) => text.replace(/[ -]/g, '.'),
	dashes: (text) => text.replace(/ /g, '-'),
	'long dashes': (text) => text.replace(/[ -]/g, ' \u2013 '),
	'hard spaces': (text) => text.replace(/ /g, '\u00a0'),
	'no spaces': (text) => text.replace(/ /g, ''),
	'spaces around': (text) => `\t ${text} \n`,
	'marks of direction': (text) => `\u202a${text}\u202c`,
	'zero-width spaces': (text) => text.replace(/ /g, ' \u200b'),
	'an apostrophe': (text) => `'${text}`,
	'full-width signs': shift(0xfee0),
	'Arabic digits': digitsFrom(0x660),
	'Persian digits': digitsFrom(0x6f0),
	'ext.': (text) => `${text} ext. 12`,
	x: (text) => `${text} x12`,
};

/** Ways to write a number with its calling code. */
const international: Record<string, (number: PhoneNumber) => string> = {
	'+': (number) => number.formatInternational(),
	'E.164': (number) => number.number,
	'00': (number) => number.formatInternational().replace('+', '00'),
	'(+)': (number) => number.formatInternational().replace(/^\+(\d+)/, '(+$1)'),
	'(area)': (number) => number.formatInternational().replace(/^(\S+) (\d+)(?= )/, '$1 ($2)'),
	'(trunk)': (number) => withTrunk(number, (trunk) => `(${trunk})`),
	trunk: (number) => withTrunk(number, (trunk) => trunk),
	'area/': (number) => number.formatInternational().replace(/^(\S+ \d{1,5}) (?=\d)/, '$1/'),
	'tel:': (number) => number.format('RFC3966'),
};

/** Ways to write a number within its country. */
const local: typeof international = {
	usual: (number) => number.formatNational(),
	digits: (number) => number.formatNational().replace(/\D/g, ''),
	'area/': (number) => number.formatNational().replace(/^(\D*\d{1,6}\)?) (?=\d)/, '$1/'),
};

/** As local people write it, with the country before it: +49 (0)30 123456. The library shows what the trunk prefix is. */
function withTrunk(number: PhoneNumber, write: (trunk: string) => string): string {
	const { nationalNumber, countryCallingCode } = number;
	const local = number.formatNational().replace(/\D/g, '');
	const trunk = local.endsWith(nationalNumber) ? local.slice(0, -nationalNumber.length) : '';
	const written = `+${countryCallingCode} ${trunk && write(trunk)}${nationalNumber}`;
	// What the library itself takes for another number is not a usual way to write this one.
	return parse(written)?.number === number.number ? written : number.number;
}

const oneOf = <T>(ways: Record<string, T>) => fc.constantFrom(...Object.values(ways));
/** The first failure is shown as it is: making it smaller takes minutes. */
const settings = { seed, numRuns: numbersPerCountry, endOnFailure: true };

type Check = (number: PhoneNumber, written: string, disguise: (text: string) => string) => void;

/** Checks numbers of every country, written in one of these ways. */
function inEveryCountry(ways: typeof international, check: Check): void {
	for (const country of getCountries()) {
		const numbers = validNumbers(country);
		const property = fc.property(
			numbers,
			oneOf(ways),
			oneOf(disguises),
			(number, write, disguise) => {
				const written = write(number);
				fc.pre(!isDifferentOnPurpose.endsDotZero(disguise(written)));
				check(number, written, disguise);
			},
		);
		fc.assert(property, settings);
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
	const digits = { digits: ({ number }: PhoneNumber) => number.slice(1) };

	test('reads international numbers of every country in every usual way', () => {
		inEveryCountry(international, ({ number }, written, disguise) => {
			const text = disguise(written);
			expect({ text, ...readPhone(text) }).toMatchObject({ text, e164: number });
		});
	});

	test('reads local numbers of every country in every usual way', () => {
		inEveryCountry(local, (number, written, disguise) => {
			fc.pre(!isDifferentOnPurpose.begins00(written));
			fc.pre(parse(written, number.country)?.number === number.number);
			expectNumberOrBoth(disguise(written), number);
		});
	});

	test('reads numbers of every country that lack only the +, if the user says so', () => {
		inEveryCountry(digits, (number, written, disguise) => {
			expect(readPhone(disguise(written), plusMissing)).toMatchObject({ e164: number.number });
			expect(readPhone(written)).toMatchObject({ detail: `Did you mean ${number.number}?` });
			expectNumberOrBoth(written, number);
		});
	});

	test('never makes of any digits a number that is impossible, or another one than is valid', () => {
		const codes = Object.keys({ ...metadata.country_calling_codes, ...metadata.nonGeographic });
		const national = fc.stringMatching(/^\d{4,15}$/);
		const withCode = fc
			.tuple(fc.constantFrom(...codes), national)
			.map(([code, rest]) => `+${code}${rest}`);
		const texts = fc.oneof(withCode, national);
		const property = fc.property(texts, fc.constantFrom(...getCountries()), (text, country) => {
			const { e164 } = readPhone(text, country);
			if (e164 === undefined) return;
			const { formerMexican, begins00 } = isDifferentOnPurpose;
			expect(parse(e164)?.number).toBe(e164);
			const isFine = isPossible(e164) || formerMexican(e164);
			expect({ e164, isFine }).toEqual({ e164, isFine: true });
			const library = parse(text, country);
			if (library?.isValid() && !begins00(text)) expect(e164).toBe(library.number);
		});
		fc.assert(property, { ...settings, numRuns: 20_000 });
	});
});

test('the table of numbering plans is what `npm run docs` writes, and every country can be chosen', () => {
	expect(readFileSync(phoneTableFile, 'utf8')).toBe(phoneTable());
	const options = defaultCountryField.options as INodePropertyOptions[];
	const codes = options.slice(2).map(({ value }) => value);
	expect(codes.sort()).toEqual(Object.keys(metadata.countries).sort());
	expect(options).toContainEqual({ name: 'Germany', value: 'DE' });
	expect(options.filter(({ name, value }) => name === value)).toEqual([]);
});

describe('numbers as people write them', () => {
	test.each([
		['+49 170 1234567', '', '+491701234567'],
		['0049 (170) 12.34-567', '', '+491701234567'],
		['tel:7042;phone-context=+1-914-555', '', '+19145557042'],
		// a trunk prefix is left out
		['+49 (0)170 1234567', '', '+491701234567'],
		['+49 0170 1234567', '', '+491701234567'],
		['+36 (06) 1 234 5678', '', '+3612345678'],
		['+34 (0)612 345 678', '', '+34612345678'],
		// a 0 that belongs to the number is kept
		['+39 (0)6 1234 5678', '', '+390612345678'],
		['+378 (0549) 882345', '', '+3780549882345'],
		['0170 1234567', 'DE', '+491701234567'],
		['1701234567', 'DE', '+491701234567'],
		['011 49 170 1234567', 'US', '+491701234567'],
		['011 15-2345-6789', 'AR', '+5491123456789'],
		['447700900123', 'GB', '+447700900123'],
		['0044 7700 900123', 'DE', '+447700900123'],
		['49 (0)170 1234567', plusMissing, '+491701234567'],
	])('reads %j with the Default Country "%s"', (written, country, e164) => {
		expect(readPhone(written, country)).toEqual({ e164, hints: [] });
	});

	test.each([
		['+1 555 123 4567 ext. 5', '5'],
		['+1 555 123 4567, extension 12', '12'],
		['+1 555 123 4567 x12', '12'],
		['+1 555 123 4567 #12', '12'],
		['tel:+1-555-123-4567;ext=5', '5'],
	])('reads the extension of %s as no part of the number', (written, extension) => {
		const hints = [`The extension ${extension} of +15551234567 was left out.`];
		expect(readPhone(written)).toEqual({ e164: '+15551234567', hints });
	});

	describe('refuses what may be another number than was meant:', () => {
		test.each([
			['+1 555 123 4567 (12)', '', 'contains more than a phone number'],
			['+49 30 1234567/68', '', 'contains more than a phone number'],
			['030 123456 / 654321', 'DE', 'contains more than a phone number'],
			['030 1234567\n030 765432', 'DE', 'contains more than a phone number'],
			['+491701234567.0', '', 'contains more than a phone number'],
			['+49170123456;+49170123457', '', 'is not a phone number'],
			['4.91701E+11', '', 'is not a phone number'],
			['+49 CALL ME', '', 'is not a phone number'],
			['+49+170 1234567', '', 'is not a phone number'],
			['', '', 'is not a phone number'],
			['(0) 0176 1234567', '', 'has no country code'],
			['(0) 0176 1234567', 'DE', "does not fit 'Default Country'"],
			['0170 1234567', '', 'has no country code'],
			['0170 1234567', plusMissing, 'does not begin with a country code'],
			['5551234567', plusMissing, 'is not a valid number for +55'],
			['491701234567', 'DE', 'can be two numbers'],
			['015 5 3769 36648', 'IL', 'can be two numbers'],
			['+39 (0)331 1234567', '', 'can be two numbers'],
			['+375 8122 854943', '', 'can be two numbers'],
			['+375 0 8122 854943', '', 'can be two numbers'],
			['123', 'US', "does not fit 'Default Country'"],
			['+0170 1234567', '', 'does not begin with a country code'],
			['+49170', '', 'is not a valid number for +49'],
			['+4917012345678901', '', 'is not a valid number for +49'],
			['+44 7700 9001', '', 'is not a valid number for +44'],
		])('%j with the Default Country "%s"', (written, country, problem) => {
			expect(readPhone(written, country)).toMatchObject({ problem });
		});
	});

	test.each([
		['447700900123', '', 'Did you mean +447700900123?'],
		['447700900123', 'US', 'Did you mean +447700900123?'],
		['0170 1234567', '', undefined],
		['491701234567', 'DE', 'It may be +49491701234567 or +491701234567.'],
		['+375 8122 854943', '', 'It may be +3758122854943 or +375122854943.'],
		['+44 7700 9001234', '', '+44 is followed by 7, 9, 10 digits.'],
		['+1 555 123 4567 (12)', '', '+15551234567 ends before "(12)".'],
	])('says of %s with the Default Country "%s": %s', (written, country, detail) => {
		expect(readPhone(written, country)).toEqual({ problem: expect.any(String), detail });
	});

	test('takes an international number that is newer than the table as it is, and says so', () => {
		expect(readPhone('+44 4700 900123')).toEqual({
			e164: '+444700900123',
			hints: ['+444700900123 looks unusual: no such numbers are known in its country.'],
		});
	});

	test('reads a text of any length and refuses what is far too long at once', () => {
		const parts = ['+', '(', '/', ';a', 'x', '1', ' ', '.0', 'ext ', ', '];
		for (const part of parts) expect(readPhone(part.repeat(200_000), 'DE').e164).toBeUndefined();
	});

	test.each([
		['Mexico with the former 1', '+5215512345678', '+525512345678'],
		['Argentina with and without 9', '+5491123456789', '+541123456789'],
		['Brazil with and without the ninth digit', '+5511987654321', '+551187654321'],
		['with and without the +', '491701234567', '+491701234567'],
	])('treats the two forms of one phone as the same: %s', (_, one, other) => {
		expect(samePhoneKey(one)).toBe(samePhoneKey(other));
	});

	test.each([
		['a mobile and the landline with its last eight digits', '+5511934567890', '+551134567890'],
		['neighbours', '+491701234567', '+491701234568'],
		['a US number that begins like a Mexican one', '+15215512345', '+525512345'],
		['a long number with digits as in Brazil', '+4955119876543', '+49551187654'],
	])('distinguishes two phones: %s', (_, one, other) => {
		expect(samePhoneKey(one)).not.toBe(samePhoneKey(other));
	});

	test.each([
		['491701234567', '+491701234567'],
		['+491701234567', '+491701234567'],
		['+49 170 1234567', '+491701234567'],
		['5215512345678', '+5215512345678'],
		['0170 1234567', '0170 1234567'],
		['12345', '12345'],
		['ACME', 'ACME'],
		['', ''],
	])('returns a sender %j as %j', (from, expected) => {
		expect(toE164(from)).toBe(expected);
	});
});
