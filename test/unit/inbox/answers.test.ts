/** How a reply is read as a date, a number, an email address or a choice, and what is written after one that does not fit. */
import {
	notRepeated,
	readAnswer,
	repetitionOf,
	joinTexts,
} from '../../../nodes/BusinessMessaging/inbox/answers';
import {
	type ExpectedAnswer,
	defaultAnswer,
} from '../../../nodes/BusinessMessaging/operations/sending/questionFields';

const expected = (more: Partial<ExpectedAnswer>): ExpectedAnswer => ({
	...defaultAnswer(),
	...more,
});

/** Somebody whose number says nothing about country and time zone. */
const replier = { phone: '+80012345678', times: ['2026-11-29T12:00:00Z'] };

test.each<[text: string | null, value: number | undefined]>([
	['7', 7],
	[' 42 ', 42],
	['+5', 5],
	['-3', -3],
	['−3', -3],
	['٤٢', 42],
	['1 234', 1234],
	['1 000,50', 1000.5],
	['1 000 000', 1_000_000],
	['-1 234.5', -1234.5],
	['−1 234', -1234],
	['10 12', undefined],
	['2 3', undefined],
	["5'11", undefined],
	['1 000 50', undefined],
	["1 000'000", undefined],
	['1 0000', undefined],
	['0 5', undefined],
	['100 2000', undefined],
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
	expect(readAnswer(text, expected({ kind: 'number' }), replier)).toBe(value);
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
	expect(readAnswer(text, expected({ kind: 'email' }), replier)).toBe(address);
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
	['Small|Large', '2 please', 'Large'],
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
	['Größe M|Größe L', 'GROESSE M', 'Größe M'],
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
	['Size 2|Size 1', '1', undefined],
	['1 week|later', '2', undefined],
	['None|1|2|3|More', '4', undefined],
	['None|1|2|3|More', '5', undefined],
	['None|1|2|3|More', '3', '3'],
	['Less than 5|5|10|20', '2', undefined],
	['Less than 5|5|10|20', '3', undefined],
	['Less than 5|5|10|20', '5', '5'],
	['1 or 2|2 or 3', '2', undefined],
	['No ①|No ②', '2', undefined],
	// words around a choice
	['Refund|Exchange', 'refund pls', 'Refund'],
	['Refund|Exchange', "I'd like the exchange please, thanks!", 'Exchange'],
	['Refund|Exchange', 'Ok, refund', 'Refund'],
	['Refund|Exchange', 'not the refund', undefined],
	['Refund|Exchange', 'no refund', undefined],
	['Refund|Exchange', 'refund?', undefined],
	['Refund|Exchange', 'refund or exchange', undefined],
	['Refund|Exchange', 'refund exchange', undefined],
	['Refund|Exchange', 'refund, but not now', undefined],
	['Refund|Exchange', `refund ${'please '.repeat(20)}`, undefined],
	['Refund?|Exchange', 'refund?', 'Refund?'],
	['Large|Extra Large', 'extra large please', 'Extra Large'],
	['Large|Extra Large', 'large please', 'Large'],
	['Tea|Tea please', 'tea please', 'Tea please'],
	['The red one|The blue one', 'the blue one, thanks', 'The blue one'],
	['A|B', 'a b', undefined],
	// the place of a choice
	['Refund|Exchange|Voucher', 'the second one', 'Exchange'],
	['Refund|Exchange|Voucher', 'Second', 'Exchange'],
	['Refund|Exchange|Voucher', '3rd please', 'Voucher'],
	['Refund|Exchange|Voucher', 'the last one', 'Voucher'],
	['Refund|Exchange|Voucher', 'option 2', 'Exchange'],
	['Refund|Exchange|Voucher', 'die zweite bitte', 'Exchange'],
	['Refund|Exchange|Voucher', 'le premier', 'Refund'],
	['Refund|Exchange|Voucher', 'el último', 'Voucher'],
	['Refund|Exchange|Voucher', 'the fourth', undefined],
	['Refund|Exchange|Voucher', 'the first or the second', undefined],
	['Refund|Exchange|Voucher', 'not the first', undefined],
	['First floor|Second floor', 'the second one', undefined],
	['None|1|2|3|More', 'the second one', undefined],
	// one wrong letter
	['Refund|Exchange', 'Refnd', 'Refund'],
	['Refund|Exchange', 'exhcange', 'Exchange'],
	['Refund|Exchange', 'refundd', 'Refund'],
	['Refund|Exchange', 'refand', 'Refund'],
	['Refund|Exchange', 'refnd pls', undefined],
	['Refund|Exchange', 'rfnd', undefined],
	['Refund|Refind', 'refand', undefined],
	['Home|Office', 'none', undefined],
	['Later|Now', 'water', undefined],
	['Size 12|Size 13', 'size 14', undefined],
	['Größe|Farbe', 'grosse', 'Größe'],
])('of the choices %s, the reply %j means %j', (choices, text, choice) => {
	const question = expected({ kind: 'choice', choices: choices.split('|') });
	expect(readAnswer(text, question, replier)).toBe(choice);
});

test.each(['Hello ', '', null])('as free text, the reply %j is the answer as it is', (text) => {
	expect(readAnswer(text, expected({ kind: 'freeText' }), replier)).toBe(text);
});

test.each([[' Yes '], [null]])('a yes or no may have spaces around it: %j', (text) => {
	const value = text === null ? undefined : true;
	expect(readAnswer(text, expected({ kind: 'approval', yesWords: ['Yes'] }), replier)).toBe(value);
});

const repeated = (
	more: Partial<ExpectedAnswer>,
	text: string | null = 'Hm',
	phone = '+4915112345678',
) => repetitionOf(expected(more), text, { phone, times: ['2026-11-29T12:00:00Z'] });

test.each<[Partial<ExpectedAnswer>, hint: string]>([
	[{ kind: 'approval' }, '👍 / 👎'],
	[{ kind: 'approval', yesWords: ['Aye', 'yes'], noWords: ['Nay'] }, 'Aye / Nay'],
	[{ kind: 'date' }, '📅 6. Dezember 2026, 7. Dezember 2026, …'],
	[{ kind: 'email' }, '…@…'],
	[{ kind: 'number' }, '1, 2, 3, …'],
	[{ kind: 'choice', choices: ['Klein', 'Groß'] }, '1) Klein\n2) Groß'],
	[{ kind: 'choice', choices: ['1 Woche', 'später'] }, '1 Woche\nspäter'],
	[{ kind: 'choice', choices: ['2', '+4', '-6'] }, '2\n+4\n-6'],
])(
	'after a reply that does not fit %j, the question is repeated without words of ours',
	(more, hint) => {
		expect(repeated({ ...more, questionText: 'Welche Farbe?' })).toBe(`❓ Welche Farbe?\n${hint}`);
		expect(repeated(more)).toBe(`❓\n${hint}`);
		expect(repeated({ ...more, repeatText: 'Wie bitte?' })).toBe('Wie bitte?');
	},
);

test.each([
	['+4915112345678', 'Welcher Tag?', '📅 2. Januar 2027', '📅 1. Februar 2027'],
	['+12125550123', 'Which day?', '📅 January 2, 2027', '📅 February 1, 2027'],
	['+919876543210', 'Which day?', '📅 2 January 2027', '📅 1 February 2027'],
	['+12125550123', 'Какой день?', '📅 2027-01-02', '📅 2027-02-01'],
	['+79161234567', 'Какой день?', '📅 2 января 2027 г.', '📅 1 февраля 2027 г.'],
	['+819012345678', '何日ですか', '📅 2027年1月2日', '📅 2027年2月1日'],
])('a date that can mean two days is asked again with both: %s', (phone, question, ...days) => {
	const date = { kind: 'date' as const };
	const text = '01/02/2027';
	const lines = days.join('\n');
	expect(repeated({ ...date, questionText: question }, text, phone)).toBe(
		`❓ ${question}\n${lines}`,
	);
	expect(repeated({ ...date, repeatText: question }, text, phone)).toBe(`${question}\n${lines}`);
});

test('without a time, the repeated question has no example', () => {
	const question = expected({ kind: 'date', questionText: 'Which day?' });
	const text = repetitionOf(question, null, { phone: '+12125550123', times: ['soon'] });
	expect(text).toBe('❓ Which day?');
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
	expect(joinTexts(texts.map((one) => ({ text: one })))).toBe(text);
});
