/** Which days the parts of a date can mean. */
import { range, uniq } from 'lodash';
import { DateTime } from 'luxon';

import type { Month, Numeral, Weekday } from './dateTokens';
import type { Customs } from './replier';

/** What a date question expects. */
export interface ExpectedDate {
	/** What 01/02/2030 means; `ask` asks again. */
	dateOrder: 'ask' | 'dayFirst' | 'monthFirst';
	notBeforeToday: boolean;
	/** The workflow's time zone. */
	timeZone: string;
}

/** What a text can mean. */
export interface Context {
	/** The day on which it was written, as yyyy-MM-dd; undefined if it is not known. */
	today?: string;
	customs: Customs;
	expected: ExpectedDate;
}

/** Years that are more distant from today count as mistakes, or as those of another calendar. */
const maxYears = { ahead: 30, back: 130 };
/** A year of two digits means one of the years around this year. */
const shortYears = { ahead: 10, back: 99 };
/** If a day without a year has been a few weeks ago, it is not certain that the next one is meant. */
const maxDaysWithoutYear = 330;

/**
 * The dates that a text can mean, as yyyy-MM-dd: none, or the only one, or several of which one must be chosen.
 * `isClear` says whether the only one counts.
 */
export interface DateReading {
	dates: string[];
	isClear: boolean;
}

/** The reading of a text that contradicts itself. */
export const noDate: DateReading = { dates: [], isClear: false };

/** A day that is not of the weekday: unclear. A short word may have been no weekday at all, as "on" in English, and Danish for Wednesday. */
export function contradiction(weekday: Weekday): DateReading | undefined {
	return weekday.isShort ? undefined : noDate;
}

/** Two dates with one of which the day may be meant, or only one. */
export function only(dates: Array<string | undefined>, context: Context): DateReading {
	const possible = uniq(dates.flatMap((date) => (date && isPossible(date, context) ? date : [])));
	return { dates: possible.sort(), isClear: possible.length === 1 };
}

/** Whether a day can be an answer. */
export function isPossible(date: string, { today, expected }: Context): boolean {
	if (today === undefined) return /^(?:19|20)/.test(date);
	const years = Number(date.slice(0, 4)) - Number(today.slice(0, 4));
	if (years > maxYears.ahead || -years > maxYears.back) return false;
	return !expected.notBeforeToday || date >= today;
}

/** A day as yyyy-MM-dd; undefined if there is no such day. */
export function dateOf(year: number, month: number, day: number): string | undefined {
	const date = DateTime.utc(year, month, day);
	return date.isValid && year > 999 ? (date.toISODate() ?? undefined) : undefined;
}

/** The days this many days from today. */
export function fromToday(days: number[], context: Context): DateReading | undefined {
	const { today } = context;
	return today === undefined
		? undefined
		: only(
				days.map((one) => plusDays(today, one)),
				context,
			);
}

/** @param date as yyyy-MM-dd, like the result */
export function plusDays(date: string, days: number): string | undefined {
	return DateTime.fromISO(date).plus({ days }).toISODate() ?? undefined;
}

/** The next such weekday, which may be today or in a week. If dates may be past, it may have been the last one. */
export function thisWeekday(weekday: number, context: Context): DateReading | undefined {
	const { today, expected } = context;
	if (today === undefined) return undefined;
	const ahead = daysUntil(weekday, today);
	const past = expected.notBeforeToday ? [] : [ahead - 7];
	return fromToday([ahead, ...(ahead === 0 ? [7] : []), ...past], context);
}

/** "Next Tuesday" is the next one, or the one in next week. */
export function nextWeekday(
	weekday: number,
	saysWeek: boolean,
	context: Context,
): DateReading | undefined {
	const { today } = context;
	if (today === undefined) return undefined;
	const ahead = daysUntil(weekday, today) || 7;
	const inNextWeek = context.customs.weekStarts.map((first) => {
		const toWeek = daysUntil(first, today) || 7;
		return toWeek + ((weekday - first + 7) % 7);
	});
	return fromToday(saysWeek ? inNextWeek : [ahead, ...inNextWeek], context);
}

function daysUntil(weekday: number, today: string): number {
	return (weekday - DateTime.fromISO(today).weekday + 7) % 7;
}

/** "Friday the 4th" is the next such day, if it is a Friday. "Friday 4" may also be Friday at four. */
export function dayOfMonth(
	weekday: Weekday,
	{ text, isOrdinal }: Numeral,
	context: Context,
): DateReading | undefined {
	const { today } = context;
	if (today === undefined || text.length > 2 || !context.expected.notBeforeToday) return undefined;
	const start = DateTime.fromISO(today).startOf('month');
	const days = range(4).map((months) => {
		const { year, month } = start.plus({ months });
		return dateOf(year, month, Number(text));
	});
	const next = days.find((date) => date !== undefined && date >= today);
	if (next === undefined || DateTime.fromISO(next).weekday !== weekday.value)
		return contradiction(weekday);
	const mayBeTime = !isOrdinal && Number(text) <= 24;
	const other = mayBeTime ? thisWeekday(weekday.value, context)?.dates : [];
	return only([next, ...(other ?? [])], context);
}

/** A day and the name of a month, perhaps with a year: 5 Dec, December 5th, 5 Dec 26, 2026. december 5. */
export function readNamed(
	tokens: Array<Numeral | Month>,
	context: Context,
): DateReading | undefined {
	const place = tokens.findIndex(({ is }) => is === 'month');
	const month = (tokens[place] as Month).value;
	const numbers = tokens.filter((token): token is Numeral => token.is === 'number');
	const isDay = (one?: Numeral) =>
		one !== undefined && one.text.length <= 2 && Number(one.text) > 0;
	const isYear = (one?: Numeral) => one?.text.length === 4;
	const [first, second] = numbers;
	if (numbers.length === 1 && isDay(first)) return withoutYear(month, Number(first.text), context);
	if (numbers.length !== 2) return undefined;
	const dated = (day: Numeral, year: string) =>
		only(
			yearsOf(year, context).map((one) => dateOf(one, month, Number(day.text))),
			context,
		);
	if (isDay(first) && isYear(second)) return place < 2 ? dated(first, second.text) : undefined;
	if (isYear(first) && isDay(second)) return place < 2 ? dated(second, first.text) : undefined;
	const isShortDate = place === 1 && isDay(first) && second.text.length === 2 && !second.isOrdinal;
	if (!isShortDate || !context.customs.isGregorian) return undefined;
	const isYearFirst = context.customs.order === 'YMD' && first.text.length === 2;
	const readings = [dated(first, second.text), ...(isYearFirst ? [dated(second, first.text)] : [])];
	return only(
		readings.flatMap(({ dates }) => dates),
		context,
	);
}

/** The next such day; if dates may be past, it may also have been the last one. */
export function withoutYear(month: number, day: number, context: Context): DateReading | undefined {
	const { today, expected } = context;
	if (today === undefined) return undefined;
	const thisYear = Number(today.slice(0, 4));
	// the 29th of February may be eight years away
	const find = (end: number, counts: (date: string) => boolean) =>
		range(thisYear, end)
			.map((year) => dateOf(year, month, day))
			.find((date) => date !== undefined && counts(date));
	const next = find(thisYear + 9, (date) => date >= today);
	if (next === undefined) return noDate;
	const last = find(thisYear - 9, (date) => date < today);
	const found = only([next, ...(expected.notBeforeToday ? [] : [last])], context);
	return { ...found, isClear: found.isClear && isSoon(next, context) };
}

/** Whether a day without a year is soon enough to be certain. The next 29th of February may be years away. */
export function isSoon(date: string, { today = date }: Context): boolean {
	const days = DateTime.fromISO(date).diff(DateTime.fromISO(today)).as('days');
	return days <= maxDaysWithoutYear || date.endsWith('-02-29');
}

/** The years that a year of four or two digits can mean. */
export function yearsOf(year: string, { today, expected }: Context): number[] {
	if (year.length === 4) return [Number(year)];
	if (today === undefined || year.length !== 2) return [];
	const thisYear = Number(today.slice(0, 4));
	const back = expected.notBeforeToday ? 0 : shortYears.back;
	return [1900, 2000, 2100]
		.map((century) => century + Number(year))
		.filter((one) => one - thisYear <= shortYears.ahead && thisYear - one <= back);
}
