/** Whether two numbers reach the same phone, and how services write the number of a sender. */
import { isPhoneKey, samePhoneKey, toE164 } from '../../../nodes/BusinessMessaging/phone/compare';

test.each([
	['Mexico with the former 1', '+5215512345678', '+525512345678', true],
	['Argentina with and without the 9', '+5491123456789', '+541123456789', true],
	['Benin with and without the new 01', '+2290197123456', '+22997123456', true],
	['Ivory Coast (Orange) with and without the new 07', '+2250707123456', '+22507123456', true],
	['Ivory Coast (MTN) with and without the new 05', '+2250544123456', '+22544123456', true],
	['Ivory Coast (Moov) with and without the new 01', '+2250140123456', '+22540123456', true],
	['new numbers of two networks of Ivory Coast', '+2250507123456', '+2250707123456', false],
	...['6', '7', '8', '9'].map((first): [string, string, string, boolean] => [
		`Brazil with and without the ninth digit before ${first}`,
		`+55119${first}7654321`,
		`+5511${first}7654321`,
		true,
	]),
	['a Brazilian mobile and the landline like it', '+5511934567890', '+551134567890', false],
	['a US number that begins like a Mexican one', '+15215512345', '+525512345', false],
])('knows whether two numbers reach one phone: %s', (_, one, other, areSame) => {
	expect(samePhoneKey(one) === samePhoneKey(other)).toBe(areSame);
});

/** A number with a gap, as long as this. */
const wide = (length: number) => `+49${'170 1234567'.padStart(length - 3)}`;

test.each([
	['491701234567', '+491701234567'],
	['+49 170 1234567', '+491701234567'],
	['22507123456@c.us', '+22507123456'],
	['447700900001:12@s.whatsapp.net', '+447700900001'],
	['447700900001:3@c.us', '+447700900001'],
	['447700900001:12', '447700900001:12'],
	['447700900001:12@example.com', '447700900001:12@example.com'],
	['0170 1234567', '0170 1234567'],
	['ACME', 'ACME'],
	[' 491701234567 ', '+491701234567'],
	["'+491701234567", '+491701234567'],
	['+49170123 4567', '+491701234567'],
	// the number of a service counts, also if people could mean another one by it
	['whatsapp:+3758122854943', '+3758122854943'],
	['+3758122854943@c.us', '+3758122854943'],
	[wide(100), '+491701234567'],
	[wide(101), wide(101)],
])('returns a sender %j as %j', (from, expected) => {
	expect(toE164(from)).toBe(expected);
});

test.each([
	['+49 170 1234567', true],
	['whatsapp:491701234567', true],
	['US.13491208655302741918', false],
	['ACME', false],
])('for the sender %j, whether its key is that of a phone: %s', (sender, isPhone) => {
	expect(isPhoneKey(samePhoneKey(sender))).toBe(isPhone);
});
