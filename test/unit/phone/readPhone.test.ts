/** Phone numbers as people and spreadsheets write them, and texts that are refused. */
import {
	isPersonId,
	plusMissing,
	readPhone,
} from '../../../nodes/BusinessMessaging/phone/readPhone';

const noExtension = 'The extension 12 of +15551234567 was left out.';
const unusual = (e164: string) =>
	`${e164} looks unusual: its country has no known numbers of this form.`;

test.each<[string, string, string, string[]]>([
	['tel:7042;phone-context=+1-914-555', '', '+19145557042', []],
	['tel:+49-170-1234567;phone-context=+1', '', '+491701234567', []], // an international number needs no context
	// a trunk prefix is left out, and a 0 that belongs to the number is kept
	['+49 (0)170 1234567', '', '+491701234567', []],
	...['(+49) 170 1234567', '[+49] 170-1234567', '(0049) 170 1234567', '(+49170) 1234567'].map(
		(written): [string, string, string, string[]] => [written, '', '+491701234567', []],
	),
	// former numbers by which services still know their users
	...['+5215512345678', '+22507123456', '+22997123456'].map(
		(former): [string, string, string, string[]] => [former, '', former, []],
	),
	['+49 0170 1234567', '', '+491701234567', []],
	// from a spreadsheet or a list
	["' +49 170 1234567", '', '+491701234567', []],
	...["'+49 170 1234567", " '+49 170 1234567", '’+49 170 1234567'].map(
		(written): [string, string, string, string[]] => [written, '', '+491701234567', []],
	),
	[`+49 30 123456${' '.repeat(20)}7`, '', '+49301234567', []],
	['+49 170 1234567,', '', '+491701234567', []],
	['+49 170 1234567 , ', '', '+491701234567', []],
	['+36 (06) 1 234 5678', '', '+3612345678', []],
	['+34 (0)612 345 678', '', '+34612345678', []],
	['+39 (0)6 1234 5678', '', '+390612345678', []],
	['01481 256789', 'GG', '+441481256789', []],
	['256789', 'GG', '+441481256789', []],
	// the part before a slash is shorter than a number with its area code, so it is no number of its own
	['0170/1234567', 'DE', '+491701234567', []],
	['+49 33055/70123', '', '+493305570123', []],
	['+43 512 345/678', '', '+43512345678', []],
	// dialled to another country, or without the +
	['011 49 170 1234567', 'US', '+491701234567', []],
	['011 15-2345-6789', 'AR', '+5491123456789', []],
	['0044 7700 900123', 'DE', '+447700900123', []],
	['447700900123', 'GB', '+447700900123', []],
	['49 (0)170 1234567', plusMissing, '+491701234567', []],
	['tel:+1-555-123-4567;ext=12', '', '+15551234567', [noExtension]],
	['+1 555 123 4567 #12', '', '+15551234567', [noExtension]],
	['+1 555 123 4567, ext. 12', '', '+15551234567', [noExtension]],
	// may be of a range that is newer than the table
	['+44 4700 900123', '', '+444700900123', [unusual('+444700900123')]],
	['+34 412 345 678', '', '+34412345678', [unusual('+34412345678')]],
])(
	'reads %j with the Default Country "%s" as %s, with hints: %j',
	(written, country, e164, hints) => {
		expect(readPhone(written, country)).toMatchObject({ e164, hints });
	},
);

const lostDigits: [string, string] = [
	'has lost digits: a spreadsheet shortened it',
	'In the spreadsheet, format the column as text, enter the numbers and export again.',
];
const several = 'contains more than a phone number';

test.each<[string, string, [problem: string, detail?: string]]>([
	['+1 555 123 4567 (12)', '', [several, 'Did you mean +15551234567, without "(12)"?']],
	['030 123456 / 654321', 'DE', [several, 'Did you mean +4930123456, without "/ 654321"?']],
	['+43 5123 456/78', '', [several, 'Did you mean +435123456, without "/78"?']],
	['+491701234567.0', '', [several, 'Did you mean +491701234567, without ".0"?']],
	['+49170123456;+49170123457', '', ['is not a phone number']],
	...['4.91701E+11', ' 4.477E+11\n', '4,477E+11', '4.477e11', '+4.477E+11', "'5E+10"].map(
		(written): [string, string, [string, string]] => [written, '', lostDigits],
	),
	...['+49 CALL ME', "+49 170'1234567", '+49 170, 1234567'].map(
		(written): [string, string, [string]] => [written, '', ['is not a phone number']],
	),
	['0170 1234567', '', ['has no country code']],
	['0170/1234567', '', ['has no country code']],
	['447700900123', '', ['has no country code', 'Did you mean +447700900123?']],
	['123', 'US', ["is not a valid number for 'Default Country'"]],
	['07 12 34 56', 'CI', ["is not a valid number for 'Default Country'"]], // dialled like this until 2021
	['0170 1234567', plusMissing, ['does not begin with a country code']],
	['491701234567', 'DE', ['can be two numbers', 'It may be +49491701234567 or +491701234567.']],
	['+375 8122 854943', '', ['can be two numbers', 'It may be +3758122854943 or +375122854943.']],
	['+375 808131451102', '', ['can be two numbers', 'It may be +3758131451102 or +375131451102.']],
	['+44 0470 090012', '', ['is not a valid number for +44', '+44 is followed by 7, 9, 10 digits.']],
	[
		'+44 7700 9001',
		'',
		['is not a valid number for +44', '+44 is followed by 7, 9, 10 digits, here by 8.'],
	],
	[
		'+49 1701 23456 78901',
		'',
		['is not a valid number for +49', '+49 is followed by 5 to 13 digits, here by 14.'],
	],
])('refuses %j with the Default Country "%s": %j', (written, country, [problem, detail]) => {
	expect(readPhone(written, country)).toEqual({ problem, detail });
});

const ends = ['.0', '.00', '.000', ' (2)', ' [2]', '/2', ' / 22', '\n2', ' ext. 2', ' #2'];

test.each([
	['+491701234560', 'DE', '0170 1234560'],
	['+447700900123', 'GB', '07700 900123'],
	['+15551234567', 'US', '(555) 123-4567'],
	['+390612345678', 'IT', '06 1234 5678'],
])(
	'never proposes or reads a number of other digits: %s with whatever follows it',
	(e164, country, local) => {
		const spellings = [
			e164,
			e164.slice(1),
			`00${e164.slice(1)}`,
			e164.replace(/^(...)(...)/, '$1 $2 '),
		];
		const settings: Array<[known: string, spellings: string[]]> = [
			['', [...spellings, local]],
			[plusMissing, spellings],
			[country, [...spellings, local]],
		];
		for (const [known, texts] of settings)
			for (const written of texts.flatMap((text) => ends.map((end) => text + end))) {
				const shown = JSON.stringify(readPhone(written, known)).match(/\+\d{6,}/g) ?? [];
				// Without its +, a number may be a local one, and the error names both.
				const others = shown.filter((one) => one !== e164 && !one.endsWith(e164.slice(1)));
				expect({ written, known, others }).toEqual({ written, known, others: [] });
			}
	},
);

test.each([
	['US.13491208655302741918', true],
	['1349120865530274', true],
	['491701234567', false],
	// digits with dots and dashes may come from a spreadsheet
	['134912086553.0274', false],
	['1349120865530274.0', false],
	['1-3491208655302741', false],
])('for %j, whether it is an ID of a person: %s', (text, isId) => {
	expect(isPersonId(text)).toBe(isId);
});

test('refuses a far too long text at once', () => {
	const parts = ['+', '(', '/', ';a', 'x', '1', ' ', '.0', 'ext ', ', '];
	for (const part of parts) expect(readPhone(part.repeat(200_000), 'DE').e164).toBeUndefined();
});
