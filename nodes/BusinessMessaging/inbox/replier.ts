/** What is known of the person who answers: the country of the phone, and the day on which the answer was written. */
import { memoize, uniq } from 'lodash';
import { DateTime } from 'luxon';

import { mainCountryOf, timeZonesOf } from '../phone/timeZones';
import { asMilliseconds } from '../reading/readResponse';

/** Who answers, and when. */
export interface Replier {
	/** Phone number in E.164. */
	phone: string;
	/** The times that are known of the message, as the service or n8n writes them. It was written at one of them. */
	times: ReadonlyArray<string | number>;
}

/** How people of a country write dates, as far as the runtime knows. */
export interface Customs {
	/** The locale, e.g. de-DE; undefined if the country is not known. */
	locale?: string;
	/** The order of day, month and year in a date of digits; undefined if the country is not known. */
	order?: DateOrder;
	/** The sign in a date of digits without a year. */
	separator?: string;
	/** The days with which weeks may begin; 1 is Monday. */
	weekStarts: number[];
	/** False if years, and in some countries days and months too, are not those of the Gregorian calendar. */
	isGregorian: boolean;
}
export type DateOrder = 'DMY' | 'MDY' | 'YMD';

/** Monday, Sunday and Saturday. */
const allStarts = [1, 7, 6];

/** Depending on its version, the runtime has the week as a property or as a method. */
interface Region extends Intl.Locale {
	weekInfo?: { firstDay: number };
	getWeekInfo?: () => { firstDay: number };
}

const knownCustoms = memoize((country: string): Customs => {
	const { language, script } = new Intl.Locale(`und-${country}`).maximize();
	// With a script that its language has anyway, en-Latn-GB is written like en-US.
	const isUsual = new Intl.Locale(`${language}-${country}`).maximize().script === script;
	const locale = [language, ...(isUsual ? [] : [script]), country].join('-');
	const parts = new Intl.DateTimeFormat(locale, { dateStyle: 'short' }).formatToParts();
	const { calendar } = new Intl.DateTimeFormat(locale).resolvedOptions();
	const order = parts
		.flatMap(({ type }) => (['day', 'month', 'year'].includes(type) ? type[0].toUpperCase() : []))
		.join('');
	const withoutYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'numeric' });
	const separator = withoutYear.formatToParts().find(({ type }) => type === 'literal')?.value;
	const region: Region = new Intl.Locale(locale);
	const firstDay = (region.getWeekInfo?.() ?? region.weekInfo)?.firstDay;
	return {
		locale,
		weekStarts: firstDay === undefined ? allStarts : [firstDay],
		...(['DMY', 'MDY', 'YMD'].includes(order) && { order: order as DateOrder }),
		separator: separator?.trim(),
		isGregorian: calendar === 'gregory',
	};
});

/** The customs of the country of a phone number. */
export function customsOf(phone: string): Customs {
	const country = mainCountryOf(phone);
	return country === undefined
		? { isGregorian: true, weekStarts: allStarts }
		: knownCustoms(country);
}

/** The time zones of a country are at most this far apart, hours. More are those of all countries with +1. */
const maxApart = 12;

/**
 * The days that may be today where the person is, as yyyy-MM-dd; empty if no time is known.
 * @param workflowZone counts if the number says nothing about the time zone
 */
export function todaysOf({ phone, times }: Replier, workflowZone: string): string[] {
	const zones = timeZonesOf(phone);
	const days = times.map(asMilliseconds).flatMap((time) => {
		if (Number.isNaN(time)) return [];
		const inZones = zones.map((zone) => DateTime.fromMillis(time, { zone }));
		const offsets = inZones.map(({ offset }) => offset);
		const isKnown =
			zones.length > 0 && Math.max(...offsets) - Math.min(...offsets) <= 60 * maxApart;
		const there = isKnown ? inZones : [DateTime.fromMillis(time, { zone: workflowZone })];
		return there.map((day) => day.toISODate() ?? []).flat();
	});
	return uniq(days);
}
