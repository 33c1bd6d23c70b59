/** How a reply is read as a date, a number, an email address or a choice, and what is written after one that does not fit. */
import { Settings } from 'luxon';

import {
	notRepeated,
	readAnswer,
	repetitionOf,
	textOf,
} from '../../../nodes/BusinessMessaging/inbox/answers';
import {
	type ExpectedAnswer,
	defaultAnswer,
} from '../../../nodes/BusinessMessaging/operations/sending/questionFields';

const expected = (more: Partial<ExpectedAnswer>): ExpectedAnswer => ({
	...defaultAnswer(),
	...more,
});

const february = '2030-02-01';

test.each<[text: string, dayFirst: string | undefined, monthFirst: string | undefined]>([
	['2030-2-1', february, february],
	['2030-02-01', february, february],
	['2030/2/1', february, february],
	['1.2.2030', february, february],
	['01.02.2030', february, february],
	['1. 2. 2030', february, february],
	['1 February 2030', february, february],
	['1 Feb 2030', february, february],
	['February 1, 2030', february, february],
	['Feb 1, 2030', february, february],
	['1/2/2030', february, '2030-01-02'],
	['1-2-2030', february, '2030-01-02'],
	['2/1/2030', '2030-01-02', february],
	['2-1-2030', '2030-01-02', february],
	['١/٢/٢٠٣٠', february, '2030-01-02'],
	[' 2030-02-01\n', february, february],
	['31/1/2030', '2030-01-31', undefined],
	['1/31/2030', undefined, '2030-01-31'],
	['30.2.2030', undefined, undefined],
	['2030', undefined, undefined],
	['soon', undefined, undefined],
	['', undefined, undefined],
])('the date %j means %s, or %s if the month comes first', (text, dayFirst, monthFirst) => {
	expect(readAnswer(text, expected({ kind: 'date' }))).toBe(dayFirst);
	expect(readAnswer(text, expected({ kind: 'date', isDayFirst: false }))).toBe(monthFirst);
});

test("the names of months are English, whatever the language of n8n's server is", () => {
	const { defaultLocale } = Settings;
	Settings.defaultLocale = 'de';
	try {
		expect(readAnswer('1 February 2030', expected({ kind: 'date' }))).toBe(february);
	} finally {
		Settings.defaultLocale = defaultLocale;
	}
});

test.each<[text: string | null, value: number | undefined]>([
	['7', 7],
	[' 42 ', 42],
	['+5', 5],
	['-3', -3],
	['−3', -3],
	['٤٢', 42],
	['1 234', 1234],
	["1'234", 1234],
	['1’234', 1234],
	['9007199254740991', 9_007_199_254_740_991],
	['9007199254740993', undefined],
	['1.5', 1.5],
	['1,5', 1.5],
	['٣٫٥', 3.5],
	['-0,25', -0.25],
	['+12.34', 12.34],
	['0.125', 0.125],
	['0,125', 0.125],
	['1234.567', 1234.567],
	['1234,567', 1234.567],
	['01.234', 1.234],
	['1.2345', 1.2345],
	// A separator that may also separate thousands
	['1,234', undefined],
	['1.234', undefined],
	['-1.234', undefined],
	['+12,345', undefined],
	['123.456', undefined],
	['1,234,567', 1_234_567],
	['1.234.567', 1_234_567],
	['-12,345,678', -12_345_678],
	['1,234.5', 1234.5],
	['1.234,5', 1234.5],
	['12.345.678,5', 12_345_678.5],
	['-12,345,678.25', -12_345_678.25],
	['1,234.567', 1234.567],
	['1,23,456', undefined],
	['1.23.456', undefined],
	['1234,567,890', undefined],
	['1234.567.890', undefined],
	['1,234,56', undefined],
	['1.234,567.8', undefined],
	['12,34.5', undefined],
	['1234,567.8', undefined],
	['1234.567,8', undefined],
	['1,', undefined],
	['.5', undefined],
	['5 apples', undefined],
	['about 5', undefined],
	['x1,234,567', undefined],
	['1,234,567x', undefined],
	['x1.5', undefined],
	['1.5x', undefined],
	['x1,5', undefined],
	['1,5x', undefined],
	['--5', undefined],
	['five', undefined],
	['', undefined],
	[null, undefined],
])('the number %j is read as %j', (text, value) => {
	expect(readAnswer(text, expected({ kind: 'number' }))).toBe(value);
});

test.each<[text: string | null, address: string | undefined]>([
	['anna@example.com', 'anna@example.com'],
	[' anna@example.com\n', 'anna@example.com'],
	['mailto:anna@example.com', 'anna@example.com'],
	['MAILTO:anna@example.com', 'anna@example.com'],
	['e-mailto:anna@example.com', undefined],
	['anna@', undefined],
	[null, undefined],
])('the email address %j is read as %j', (text, address) => {
	expect(readAnswer(text, expected({ kind: 'email' }))).toBe(address);
});

test.each<[choices: string, text: string | null, choice: string | undefined]>([
	['Small|Large', 'Small', 'Small'],
	['Small|Large', ' small! ', 'Small'],
	['Small|Large', '*LARGE*', 'Large'],
	['Small|Large', '"large".', 'Large'],
	['Small|Large', '¡large!', 'Large'],
	['Small|Large', '- large', 'Large'],
	['Small|Large', '2', 'Large'],
	['Small|Large', '(2)', 'Large'],
	['Small|Large', '2.', 'Large'],
	['Small|Large', '٢', 'Large'],
	['Small|Large', '002', 'Large'],
	['Small|Large', '0002', undefined],
	['Small|Large', '0', undefined],
	['Small|Large', '3', undefined],
	['Small|Large', '2 please', undefined],
	['Small|Large', 'no 2', undefined],
	['Small|Large', 'x1', undefined],
	['Small|Large', '', undefined],
	['Small|Large', null, undefined],
	['Small|small', 'small', 'small'],
	['Small|small', 'SMALL', 'Small'],
	['👍|👎', '👍🏽', '👍'],
	['❤️|x', '❤', '❤️'],
	['ﬁne|bad', 'fine', 'ﬁne'],
	['İptal|Onayla', 'iptal', 'İptal'],
	['iptal|onayla', 'İPTAL。', 'iptal'],
	['Größe M|Größe L', 'GROESSE M', undefined],
	['Straße|Platz', 'STRASSE', 'Straße'],
	['Café|Bar', 'cafe', 'Café'],
	['ano|año', 'AÑO!', 'año'],
	['Small|Large', '1️⃣', 'Small'],
	['Small|Large', '\u202alarge\u200b', 'Large'],
	['C|C#', 'c#', 'C#'],
	['-|+', '+', '+'],
	['-|***', '*', undefined],
	['-|***', '***', '***'],
	// If all choices begin with digits, a number counts only if it means one choice.
	['2|4|6', '2', '2'],
	['2|4|6', '3', undefined],
	['1 week|2 weeks', '2', '2 weeks'],
	['2 weeks|1 week', '2', undefined],
	['+1 day|+2 days', '1', '+1 day'],
	['10|20 or more', '1', undefined],
	['Size 2|Size 1', '1', 'Size 2'],
	['1 week|later', '2', 'later'],
])('of the choices %s, the reply %j means %j', (choices, text, choice) => {
	const question = expected({ kind: 'choice', choices: choices.split('|') });
	expect(readAnswer(text, question)).toBe(choice);
});

test.each(['Hello ', '', null])('as free text, the reply %j is the answer as it is', (text) => {
	expect(readAnswer(text, expected({ kind: 'freeText' }))).toBe(text);
});

test.each([[' Yes '], [null]])('a yes or no may have spaces around it: %j', (text) => {
	const value = text === null ? undefined : true;
	expect(readAnswer(text, expected({ kind: 'approval', yesWords: ['Yes'] }))).toBe(value);
});

test.each<[Partial<ExpectedAnswer>, wanted: string]>([
	[{ kind: 'approval' }, 'yes or no'],
	[{ kind: 'date' }, 'a date, e.g. 2030-01-31'],
	[{ kind: 'email' }, 'an email address'],
	[{ kind: 'freeText' }, 'a text'],
	[{ kind: 'number' }, 'a number in digits'],
	[{ kind: 'choice', choices: ['Small', 'Large'] }, 'one of these: 1) Small, 2) Large'],
	[{ kind: 'choice', choices: ['1 week', 'later'] }, 'one of these: 1) 1 week, 2) later'],
	[{ kind: 'choice', choices: ['No 1', 'No 2'] }, 'one of these: 1) No 1, 2) No 2'],
	[{ kind: 'choice', choices: ['2', '+4', '-6'] }, 'one of these: 2, +4, -6'],
])('a reply that does not fit %j is answered with what the reply must be', (more, wanted) => {
	const words = `Sorry, I did not understand that. Please answer with ${wanted}.`;
	expect(repetitionOf(expected(more))).toBe(words);
	expect(repetitionOf(expected({ ...more, repeatText: 'Pardon?' }))).toBe('Pardon?');
});

test('the line in the log says why a question may not have been repeated', () => {
	expect(notRepeated('timeout')).toBe(
		'The reply was not valid, and Send and Wait could not ask again: timeout',
	);
});

test.each<[texts: Array<string | null>, text: string | null]>([
	[['Hm', null, 'Tuesday'], 'Hm\nTuesday'],
	[['Tuesday'], 'Tuesday'],
	[[''], ''],
	[[null, null], null],
	[[], null],
])('the messages %j are one text: %j', (texts, text) => {
	expect(textOf(texts.map((one) => ({ text: one })))).toBe(text);
});
