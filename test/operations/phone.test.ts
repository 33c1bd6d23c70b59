import { phoneNumber } from '../../nodes/BusinessMessaging/operations/phone';

test.each([
	['+49 170 1234567', '+491701234567'],
	['0049 (170) 12.34-567', '+491701234567'],
	['  +1 (555) 000–1234 ', '+15550001234'],
	['+49 (0)170 1234567', '+491701234567'],
	['\u202a+44 20 7946 0958\u202c', '+442079460958'],
	['(+33) 1/99-00-12-34', '+33199001234'],
])('understands %s', (written, normalised) => {
	expect(phoneNumber(written)).toBe(normalised);
});

test.each([
	['0170 1234567', 'The country code is missing.'],
	['491701234567', 'The country code is missing.'],
	['+49 CALL ME', 'It holds letters'],
	['+4917012345678901', 'It has more than 15 digits.'],
	['+49170', 'It has fewer than 7 digits.'],
	['+0170 1234567', 'No country code begins with 0.'],
	['+', 'letters or other signs'],
	['', 'There is nothing in the field'],
])('refuses %s and says why, with an example', (written, reason) => {
	expect(() => phoneNumber(written)).toThrow(
		expect.objectContaining({
			message:
				written === ''
					? 'The phone number is empty'
					: `"${written}" is not a phone number in international format`,
			description: expect.stringContaining(reason),
		}),
	);
	expect(() => phoneNumber(written)).toThrow(
		expect.objectContaining({ description: expect.stringContaining('e.g. +49 170 1234567') }),
	);
});
