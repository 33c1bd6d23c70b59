/** Whom an entry of a list means that people write by hand. */
import { readEntry } from '../../../nodes/BusinessMessaging/phone/entry';

test.each<[entry: string, people: string[], digits: string[]]>([
	['+44 7700 900123', ['+447700900123'], []],
	['0044 7700/900123', ['+447700900123'], []],
	['+44 7700 900123 (Anna 2)', ['+447700900123'], ['0900123']],
	[
		'Anna +44 7700 900123, Bea +44 7700 900124',
		['+447700900123', '+447700900124'],
		['0900123', '0900124'],
	],
	['+447700900123 +447700900124', ['+447700900123', '+447700900124'], ['0900123', '0900124']],
	['069 / 1234567', [], ['1234567']],
	['Anna', [], []],
	['Anna 2024', [], []],
	['', [], []],
])('%j means the people %j, and those with the last digits %j', (entry, people, digits) => {
	const read = readEntry(entry);
	expect(read.people.filter((key) => key.startsWith('+'))).toEqual(people);
	expect(read.digits).toEqual(digits);
});

test.each([
	'07700 900123 / 07700 900124',
	'07700 900123 07700 900124',
	'7700900123/7700900124',
	'0900123 / 0900124',
])('%j means both people, although only a space or a slash is between their numbers', (entry) => {
	expect(readEntry(entry).digits).toEqual(expect.arrayContaining(['0900123', '0900124']));
});
