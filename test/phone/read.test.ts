import { samePhoneKey, toE164 } from '../../nodes/BusinessMessaging/phone/compare';
import { plusMissing, readPhone } from '../../nodes/BusinessMessaging/phone/read';

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
		['+39 (0)331 1234567', '', 'can be two numbers'],
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
