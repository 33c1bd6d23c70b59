/** How a reply is read as a date: never as another day than the person means. */
import { DateTime, Settings } from 'luxon';

import type { ExpectedDate } from '../../../nodes/BusinessMessaging/inbox/dateMeaning';
import { readDate } from '../../../nodes/BusinessMessaging/inbox/readDate';
import { phones } from './phones';

const sunday = '2026-11-29';
const ask = 'ask';

/** What a text means; several days if it can mean several, `ask` if it is asked again for another reason. */
function read(
	text: string,
	country: keyof typeof phones,
	more: Partial<ExpectedDate> & { today?: string } = {},
) {
	const { today = sunday, ...rest } = more;
	const expected = { dateOrder: 'ask' as const, notBeforeToday: true, timeZone: 'UTC', ...rest };
	const replier = { phone: phones[country], times: [`${today}T12:00:00Z`] };
	const { dates, isClear } = readDate(text, expected, replier);
	return isClear || dates.length > 1 ? dates.join(' ') : ask;
}

test.each([
	['DE', '31.12.', '2026-12-31'],
	['DE', '30.11.26', '2026-11-30'],
	['DE', '1. 12. 2026', '2026-12-01'],
	['DE', 'Di 8.12.', '2026-12-08'],
	['DE', 'morgen früh', '2026-11-30'],
	['DE', 'am 5. Dezember ab 16 Uhr, bitte', '2026-12-05'],
	['DE', '3. Maerz', '2027-03-03'],
	['AT', '7. Jänner', '2027-01-07'],
	['US', 'tomorrow', '2026-11-30'],
	['US', 'December 5th', '2026-12-05'],
	['US', '12/31', '2026-12-31'],
	['US', '12/31/2026', '2026-12-31'],
	['US', '12-01-2026', '2026-12-01'],
	['US', '12.1.2026', '2026-12-01'],
	['US', 'demain', '2026-11-30'],
	['US', 'mañana', '2026-11-30'],
	['GB', '5 Dec, after 4pm please', '2026-12-05'],
	['GB', 'Saturday the 5th at 10', '2026-12-05'],
	['GB', 'ok, on Friday 4 December', '2026-12-04'],
	['GB', "5 Dec '26", '2026-12-05'],
	['GB', '5-Dec-26', '2026-12-05'],
	['GB', 'the day after tomorrow', '2026-12-01'],
	['GB', 'tomorrow, 30 Nov', '2026-11-30'],
	['GB', '2026-12-05', '2026-12-05'],
	['GB', '2026/12/5', '2026-12-05'],
	['GB', '29 Feb', '2028-02-29'],
	['FR', 'le 5 décembre', '2026-12-05'],
	['FR', 'mardi prochain', '2026-12-01'],
	['FR', 'apres demain svp', '2026-12-01'],
	['IN', 'कल', '2026-11-30'],
	['IN', '५ दिसंबर', '2026-12-05'],
	['JP', '12月5日でお願いします', '2026-12-05'],
	['KR', '12월 5일', '2026-12-05'],
	['CN', '2026年12月5日', '2026-12-05'],
	['CN', '明天', '2026-11-30'],
	['RU', 'в субботу', '2026-12-05'],
	['GB', 'I can do Friday afternoon', '2026-12-04'],
	['GB', 'Sorry, I meant Friday', '2026-12-04'],
	['GB', 'rather Saturday', '2026-12-05'],
	['GB', 'So Friday afternoon please', '2026-12-04'],
	['GB', 'I think Friday would be good', '2026-12-04'],
	['DE', 'Dann Freitag', '2026-12-04'],
	['DE', 'am 5. Dezember passt mir gut', '2026-12-05'],
	['DE', 'doch lieber Freitag', '2026-12-04'],
	['DE', 'Freitag geht', '2026-12-04'],
	['FR', 'plutôt vendredi', '2026-12-04'],
	['ES', 'el viernes me viene bien', '2026-12-04'],
	['IT', 'venerdì va bene', '2026-12-04'],
	['PL', 'w sobotę po południu', ask],
	['HR', '5. listopada', '2027-10-05'],
	['PL', '5 listopada', ask], // last month, so the next one may not be meant
	['DE', '5. listopada', '2027-10-05 2027-11-05'],
	['TH', '5 ธันวาคม 2026', '2026-12-05'],
])('%s: "%s" means %s', (country, text, date) => {
	expect(read(text, country)).toBe(date);
});

test.each([
	['US', '01/02/2027', '2027-01-02 2027-02-01'],
	['DE', '01/02/2027', '2027-01-02 2027-02-01'],
	['unknown', '05/12', '2026-12-05 2027-05-12'],
	['US', 'next Tuesday', '2026-12-01 2026-12-08'],
	['US', 'Sunday', '2026-11-29 2026-12-06'],
	['ES', 'mar 5', ask],
	['GB', '12-01-2026', ask],
	['US', '05/12/2026', ask],
	['US', '28 November', ask],
	['DE', '28.11.', ask],
	['DE', 'Sa 28.11.', ask],
	['US', '11/28', ask],
	['JP', '11月28日', ask],
	['US', '11/28/2026', ask],
	['GB', 'Tuesday 2 December', ask],
	['GB', 'Tuesday 10', ask],
	['GB', 'Thursday 10', '2026-12-03 2026-12-10'],
	['GB', '10.30', ask],
	['GB', 'at 10.30', ask],
	['DE', '10.30', ask],
	['GB', '5-6 December', ask],
	['GB', '5-12', ask],
	['GB', '5 or 6 December', ask],
	['GB', 'not 5 December', ask],
	['GB', 'I cannot do Friday', ask],
	['GB', 'rather not Friday', ask],
	['GB', 'I think not Friday', ask],
	['GB', 'any day but Friday', ask],
	['DE', 'Freitag geht nicht', ask],
	['DE', 'lieber nicht am Freitag', ask],
	['FR', 'plutôt pas vendredi', ask],
	['ES', 'mejor no el viernes', ask],
	['GB', 'after 5 December', ask],
	['GB', 'by 5 Dec', ask],
	['GB', '5 December?', ask],
	['GB', '30 February', ask],
	['GB', '31.4.2027', ask],
	['GB', 'December', ask],
	['GB', 'December 2026', ask],
	['GB', '2026', ask],
	['GB', '5', ask],
	['GB', 'next week', ask],
	['GB', 'Monday to Friday', ask],
	['GB', 'tomorrow or Friday', ask],
	['GB', '5 December 2126', ask],
	['GB', '1/2/3', ask],
	['GB', '1/2/2027/3', ask],
	['GB', 'v1.2.2027', ask],
	['GB', '', ask],
	['GB', '.', ask],
	['DE', 'hier', ask],
	['DE', 'fri', ask],
	['SE', 'besök', ask],
	['IT', 'ma', ask],
	['RU', 'неделя', ask],
	['DK', 'morgen', ask],
	['TH', '5 ธันวาคม 2569', ask],
	['TH', '5/12/69', ask],
	['IR', '۱۴۰۵/۹/۱۴', ask],
	['IR', '9/14', ask],
])('%s: "%s" is asked again: %s', (country, text, days) => {
	expect(read(text, country)).toBe(days);
});

/** Ways to write a day without a year, from luxon's formats, and who writes so. */
test.each([
	['DE', 'd.M.'],
	['DE', 'ccc d.M.'],
	['DE', 'd. MMMM'],
	['GB', 'd/M'],
	['GB', 'd MMM'],
	['US', 'M/d'],
	['US', 'MMMM d'],
	['RU', 'd.MM.'],
	['JP', "M'月'd'日'"],
	['KR', "M'월' d'일'"],
])('%s: a day as "%s" a few weeks ago is not taken for the one in a year', (country, format) => {
	for (const today of ['2026-11-29', '2027-01-12'])
		for (let days = 1; days <= 30; days++) {
			const day = DateTime.fromISO(today).minus({ days });
			const text = day.setLocale(country === 'DE' ? 'de' : 'en').toFormat(format);
			expect([text, read(text, country, { today })]).not.toEqual([
				text,
				day.plus({ years: 1 }).toISODate(),
			]);
		}
});

test.each([
	['01/02/2027', '2027-02-01', '2027-01-02'],
	['1-2-2027', '2027-02-01', '2027-01-02'],
	['31/1/2027', '2027-01-31', '2027-01-31'],
	['1/31/2027', '2027-01-31', '2027-01-31'],
	['05/12', '2026-12-05', '2027-05-12'],
	['1.2.2027', '2027-02-01', '2027-01-02 2027-02-01'],
	['13/13/2027', ask, ask],
	['12/01/2026', ask, '2026-12-01'],
])('the known order of day and month counts: "%s"', (text, dayFirst, monthFirst) => {
	expect(read(text, 'unknown', { dateOrder: 'dayFirst' })).toBe(dayFirst);
	expect(read(text, 'unknown', { dateOrder: 'monthFirst' })).toBe(monthFirst);
});

test.each([
	['28.11.2026', '2026-11-28'],
	['12.5.1985', '1985-05-12'],
	['12.05.85', '1985-05-12'],
	['12. Mai 85', '1985-05-12'],
	['12. Mai 30', '1930-05-12 2030-05-12'],
	['gestern', '2026-11-28'],
	['5. Dezember', '2025-12-05 2026-12-05'],
	['Dienstag', '2026-11-24 2026-12-01'],
	['12.5.1795', ask],
	['hier', ask],
])('a past date counts only if it may: "%s"', (text, date) => {
	expect(read(text, 'DE', { notBeforeToday: false })).toBe(date);
});

test.each([
	['2026-11-29T23:30:00Z', 'JP', '2026-12-01'],
	['2026-11-29T23:30:00Z', 'GB', '2026-11-30'],
	['2026-11-30T03:00:00Z', 'US', '2026-11-30'],
	// a number for several countries, but one day
	['2026-11-29T11:00:00Z', 'RU', '2026-11-30'],
	['2026-11-29T16:00:00Z', 'RU', '2026-11-30 2026-12-01'],
	// the number says nothing, and the workflow is in Tokyo
	['2026-11-29T23:30:00Z', 'unknown', '2026-12-01'],
	['2026-11-29T23:30:00Z', 'unknownUs', '2026-12-01'],
] as const)('tomorrow at %s in %s is %s', (time, country, date) => {
	const expected = { dateOrder: 'ask' as const, notBeforeToday: true, timeZone: 'Asia/Tokyo' };
	const reading = readDate('tomorrow', expected, { phone: phones[country], times: [time] });
	expect(reading.dates.join(' ')).toBe(date);
});

test('if it is not certain when a message was written, words such as tomorrow are asked again', () => {
	const expected = { dateOrder: 'ask' as const, notBeforeToday: true, timeZone: 'UTC' };
	const at = (...times: Array<string | number>) => ({ phone: phones.GB, times });
	const [written, arrived] = ['2026-11-29T12:00:00Z', Date.UTC(2026, 10, 30, 12)];
	expect(readDate('tomorrow', expected, at(written, arrived))).toEqual({
		...{ dates: ['2026-11-30', '2026-12-01'], isClear: false },
	});
	expect(readDate('5 December', expected, at(written, arrived)).isClear).toBe(true);
	expect(readDate('tomorrow', expected, at('soon'))).toEqual({ dates: [], isClear: false });
	expect(readDate('5 December 2026', expected, at('soon')).isClear).toBe(true);
});

test("the names of months do not depend on the language of n8n's server", () => {
	const { defaultLocale } = Settings;
	Settings.defaultLocale = 'de';
	try {
		expect(read('1 February 2030', 'GB')).toBe('2030-02-01');
	} finally {
		Settings.defaultLocale = defaultLocale;
	}
});
