/** Reads a date as people write it: 5.12., 12/31, "le 5 décembre", "next Tuesday", "5 Dec, after 4pm please". */
import { once, uniq } from 'lodash';
import { DateTime } from 'luxon';

import { withLatinDigits } from '../phone/readPhone';
import {
	type Context,
	type DateReading,
	type ExpectedDate,
	contradiction,
	dayOfMonth,
	fromToday,
	nextWeekday,
	noDate,
	plusDays,
	readNamed,
	thisWeekday,
} from './dateMeaning';
import { type Month, type Numeral, type Token, tokensOf } from './dateTokens';
import { type DateWords, dateLanguages, dateWordsOf, plainText } from './dateWords';
import { readDigits } from './digitDates';
import { mapInTurns } from '../yieldToN8n';
import { type Replier, customsOf, todaysOf } from './replier';

/** Collects the words of all languages in turns, once in a process: the first date in another language would block n8n. */
export const prepareDates = once(async (): Promise<void> => {
	await mapInTurns(dateLanguages, (language) => dateWordsOf(language, 'other'));
});

/** A longer text says more than a date. */
const maxLength = 100;

/** Reads a date. Nothing is guessed: what can mean two days is not clear. */
export function readDate(text: string, expected: ExpectedDate, replier: Replier): DateReading {
	if (text.length > maxLength || /[?؟？]/.test(text)) return noDate;
	const folded = plainText(withLatinDigits(text));
	if (folded === '') return noDate;
	const customs = customsOf(replier.phone);
	const days = todaysOf(replier, expected.timeZone);
	const todays = days.length > 0 ? days : [undefined];
	return joined(todays.map((today) => readOn(folded, { today, customs, expected })));
}

/** All dates of several readings: clear if each is, and all mean the same one. */
function joined(readings: DateReading[]): DateReading {
	const dates = uniq(readings.flatMap((reading) => reading.dates)).sort();
	return { dates, isClear: dates.length === 1 && readings.every(({ isClear }) => isClear) };
}

function readOn(text: string, context: Context): DateReading {
	const { locale = 'en' } = context.customs;
	const read = (...words: Parameters<typeof dateWordsOf>) =>
		readIn(text, dateWordsOf(...words), context);
	return (
		read(locale, 'own') ??
		read('en', 'english') ??
		joined(dateLanguages.flatMap((language) => read(language, 'other') ?? []))
	);
}

/** @returns undefined if a word is not known in the language, or the words are no date */
function readIn(text: string, words: DateWords, context: Context): DateReading | undefined {
	const tokens = tokensOf(text, words);
	if (!tokens) return undefined;
	const readings = alternatives(tokens).flatMap((one) => readTokens(one, context) ?? []);
	if (readings.length === 0) return undefined;
	// A word with two meanings may mean a day that is past, which does not count. A contradiction does.
	return joined(readings.filter((one) => one.dates.length > 0 || one === noDate));
}

/** All combinations of what the tokens may mean; only a few words have several meanings. */
function alternatives(tokens: Token[][]): Token[][] {
	let all: Token[][] = [[]];
	for (const meanings of tokens) {
		if (all.length * meanings.length > 16) return [];
		all = all.flatMap((one) => meanings.map((meaning) => [...one, meaning]));
	}
	return all;
}

/** @returns undefined if the tokens are no date; an unclear reading if they contradict each other */
function readTokens(tokens: Token[], context: Context): DateReading | undefined {
	const all = <Is extends Token['is']>(is: Is) =>
		tokens.filter((token): token is Extract<Token, { is: Is }> => token.is === is);
	const [months, weekdays, days] = [all('month'), all('weekday'), all('day')];
	const [numbers, dates, weeks] = [all('number'), all('digits'), all('nextWeek')];
	const next = [...all('next'), ...weeks];
	const counts = [months, weekdays, days, dates, next].map(({ length }) => length);
	if (Math.max(...counts) > 1) return undefined;
	const [weekday] = weekdays;
	const hasDay = months.length + days.length + dates.length > 0;
	if (weekday && !hasDay) {
		if (numbers.length > 0)
			return numbers.length + next.length === 1
				? dayOfMonth(weekday, numbers[0], context)
				: undefined;
		return next.length > 0
			? nextWeekday(weekday.value, weeks.length > 0, context)
			: thisWeekday(weekday.value, context);
	}
	if (next.length > 0) return undefined;
	const found = readDay({ months, days, dates, numbers }, tokens, weekday?.value, context);
	if (!found) return undefined;
	const [day] = days;
	const relative = day && context.today && plusDays(context.today, day.value);
	const isOnDay = (date: string) => !weekday || DateTime.fromISO(date).weekday === weekday.value;
	const agree = found.dates.filter((date) => isOnDay(date) && (!relative || date === relative));
	if (agree.length > 0 || !weekday) return { ...found, dates: agree };
	return found.dates.length > 0 ? contradiction(weekday) : found;
}

type Of<Is extends Token['is']> = Array<Extract<Token, { is: Is }>>;
interface DayTokens {
	months: Of<'month'>;
	days: Of<'day'>;
	dates: Of<'digits'>;
	numbers: Of<'number'>;
}

/** A day that has a month, digits or a word such as "tomorrow". */
function readDay(
	{ months, days, dates, numbers }: DayTokens,
	tokens: Token[],
	weekday: number | undefined,
	context: Context,
): DateReading | undefined {
	if (dates.length > 0)
		return months.length + numbers.length === 0
			? readDigits(dates[0], weekday, context)
			: undefined;
	const isNamed = (token: Token): token is Numeral | Month =>
		token.is === 'number' || token.is === 'month';
	if (months.length > 0) return readNamed(tokens.filter(isNamed), context);
	return days.length > 0 && numbers.length === 0 ? fromToday([days[0].value], context) : undefined;
}
