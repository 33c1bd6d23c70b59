import { samePhoneKey, toE164 } from '../../nodes/BusinessMessaging/phone/compare';

test.each([
	['Mexico with the former 1', '+5215512345678', '+525512345678'],
	['Argentina with and without 9', '+5491123456789', '+541123456789'],
	['Brazil with and without the ninth digit', '+5511987654321', '+551187654321'],
	['with and without the +', '491701234567', '+491701234567'],
])('takes the two forms of one phone for the same: %s', (_, one, other) => {
	expect(samePhoneKey(one)).toBe(samePhoneKey(other));
});

test.each([
	['a mobile and the landline with its last eight digits', '+5511934567890', '+551134567890'],
	['neighbours', '+491701234567', '+491701234568'],
	['a US number that begins like a Mexican one', '+15215512345', '+525512345'],
	['a long number with digits as in Brazil', '+4955119876543', '+49551187654'],
])('tells two phones apart: %s', (_, one, other) => {
	expect(samePhoneKey(one)).not.toBe(samePhoneKey(other));
});

test('has a key for each phone and the text itself for what is none', () => {
	expect(samePhoneKey('5215512345678')).toBe(samePhoneKey('+525512345678'));
	expect(samePhoneKey('Anna')).toBe('Anna');
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
])('gives a sender %j as %j', (from, expected) => {
	expect(toE164(from)).toBe(expected);
});
