/** Random dates in the forms of each language, and random choices with a wrong letter: none is read as another one. */
import fc from 'fast-check';
import { memoize, omit } from 'lodash';
import { DateTime } from 'luxon';

import { dateLanguages } from '../../../nodes/BusinessMessaging/inbox/dateWords';
import { readChoice } from '../../../nodes/BusinessMessaging/inbox/readChoice';
import { readDate } from '../../../nodes/BusinessMessaging/inbox/readDate';
import { intentPhrases } from '../../../nodes/BusinessMessaging/webhooks/intent';
import { foldText, trimPunctuation } from '../../../nodes/BusinessMessaging/foldText';
import { phones } from './phones';

/** A country of each language. */
const countries: Record<string, string> = {
	...{ ar: 'EG', bg: 'BG', bn: 'BD', cs: 'CZ', da: 'DK', de: 'DE', el: 'GR', en: 'US', es: 'ES' },
	...{ fa: 'IR', fi: 'FI', fil: 'PH', fr: 'FR', he: 'IL', hi: 'IN', hr: 'HR', hu: 'HU', id: 'ID' },
	...{ it: 'IT', ja: 'JP', ko: 'KR', nl: 'NL', no: 'NO', pl: 'PL', pt: 'BR', ro: 'RO', ru: 'RU' },
	...{ sk: 'SK', sv: 'SE', sw: 'KE', ta: 'LK', th: 'TH', tr: 'TR', uk: 'UA', ur: 'PK', vi: 'VN' },
	...{ zh: 'CN', 'zh-Hant': 'TW' },
};

const hour = 60 * 60_000;
const day = 24 * hour;
const styles = ['full', 'long', 'medium', 'short'] as const;

/** Reads a date that somebody writes in a form of a language. */
function read(text: string, country: string, today: number, notBeforeToday: boolean) {
	const times = [new Date(today + 10 * hour).toISOString()];
	const expected = { dateOrder: 'ask' as const, notBeforeToday, timeZone: 'UTC' };
	return readDate(text, expected, { phone: phones[country], times });
}

/** A way to write dates. A new one takes longer than all that is tested with it. */
const formatOf = memoize(
	(language: string, options: Intl.DateTimeFormatOptions) =>
		new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options }),
	(...parts) => JSON.stringify(parts),
);

const isoOf = (date: number) => DateTime.fromMillis(date, { zone: 'utc' }).toISODate();

test('dates are known in the languages of the opt-out words', () => {
	const names = new Intl.DisplayNames('en', { type: 'language' });
	const known = dateLanguages.map((language) => names.of(language));
	for (const [language] of intentPhrases)
		expect(known).toContain(language === 'Bengali' ? 'Bangla' : language);
	expect(Object.keys(countries).sort()).toEqual([...dateLanguages].sort());
});

describe.each(Object.entries(countries))('a date in %s from %s', (language, country) => {
	const runs = { numRuns: 150 };
	const dates = fc.integer({ min: 0, max: 700 }).map((days) => Date.UTC(2026, 10, 29) + days * day);

	test('is read as it is meant, or asked again', () => {
		const dated = fc.tuple(dates, fc.integer({ min: 0, max: 400 }), fc.constantFrom(...styles));
		fc.assert(
			fc.property(dated, fc.boolean(), ([today, ahead, style], notBeforeToday) => {
				const date = today + (notBeforeToday ? ahead : ahead - 200) * day;
				const text = formatOf(language, { dateStyle: style }).format(date);
				const { dates: found, isClear } = read(text, country, today, notBeforeToday);
				if (isClear) expect([text, found]).toEqual([text, [isoOf(date)]]);
			}),
			runs,
		);
	});

	test('is read without its year, or the person is asked again', () => {
		fc.assert(
			fc.property(
				dates,
				fc.integer({ min: 0, max: 320 }),
				fc.constantFrom('long' as const, 'short' as const, 'numeric' as const),
				(today, ahead, month) => {
					const date = today + ahead * day;
					const text = formatOf(language, { day: 'numeric', month }).format(date);
					const { dates: found, isClear } = read(text, country, today, true);
					if (isClear) expect([text, found]).toEqual([text, [isoOf(date)]]);
				},
			),
			runs,
		);
	});

	test('is understood as a word for tomorrow, and as the next weekday', () => {
		const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
		const today = Date.UTC(2026, 10, 29);
		expect(read(relative.format(1, 'day'), country, today, true)).toEqual({
			...{ dates: ['2026-11-30'], isClear: true },
		});
		const tuesday = formatOf(language, { weekday: 'long' }).format(Date.UTC(2026, 11, 1));
		expect(read(tuesday, country, today, true).dates).toEqual(['2026-12-01']);
	});

	// In these countries, Intl writes years of another calendar, which are asked again.
	const isGregorian = !['TH', 'IR'].includes(country);
	test('is understood with the name of its month', () => {
		const date = Date.UTC(2027, 1, 14);
		const { dates: found, isClear } = read(
			formatOf(language, { dateStyle: 'long' }).format(date),
			country,
			Date.UTC(2026, 10, 29),
			true,
		);
		expect(isClear && found[0]).toBe(isGregorian && '2027-02-14');
	});
});

test('a date with the name of its month is never read as another date, whatever country the phone is from', () => {
	// "Listopad" is October in Croatian, and November in Polish: the country of the phone decides.
	const others = Object.values(omit(phones, 'HR'));
	const languages = dateLanguages.filter((language) => language !== 'hr');
	fc.assert(
		fc.property(
			fc.integer({ min: 0, max: 600 }),
			fc.constantFrom(...languages),
			fc.constantFrom(...others),
			fc.constantFrom('full' as const, 'long' as const),
			(ahead, language, phone, dateStyle) => {
				const today = Date.UTC(2026, 10, 29);
				const date = today + ahead * day;
				const text = formatOf(language, { dateStyle }).format(date);
				const expected = { dateOrder: 'ask' as const, notBeforeToday: true, timeZone: 'UTC' };
				const { dates, isClear } = readDate(text, expected, { phone, times: [today + 10 * hour] });
				if (isClear) expect([text, dates]).toEqual([text, [isoOf(date)]]);
			},
		),
		{ numRuns: 3_000 },
	);
});

describe('a choice with one wrong letter', () => {
	const letters = fc.constantFrom(...'abcdeimnorst äöé'.split(''));
	const words = fc.array(letters, { minLength: 1, maxLength: 9 }).map((all) => all.join('').trim());
	const real = fc.constantFrom(
		...'Refund Exchange Voucher Small Medium Large Yes No Home None Morning Evening Monday'.split(
			' ',
		),
		...'Blau Grün Rot Remboursement Échange Keine Eine First Second A B'.split(' '),
		...['Extra Large', 'Call me', 'Email me', 'The red one', 'No refund', 'Refund please'],
	);
	const lists = fc
		.uniqueArray(fc.oneof(words, real), { minLength: 2, maxLength: 6 })
		.filter((all) => all.every((one) => one.length > 0));
	const edits = fc.record({
		kind: fc.constantFrom('delete', 'insert', 'replace', 'swap'),
		at: fc.nat(),
		letter: letters,
	});

	/** A text with one mistake. */
	function withMistake(
		text: string,
		{ kind, at, letter }: { kind: string; at: number; letter: string },
	) {
		const all = Array.from(text);
		const place = at % all.length;
		if (kind === 'delete') all.splice(place, 1);
		if (kind === 'insert') all.splice(place, 0, letter);
		if (kind === 'replace') all.splice(place, 1, letter);
		if (kind === 'swap') all.splice(place, 2, ...all.slice(place, place + 2).reverse());
		return all.join('');
	}
	const plain = (text: string) => trimPunctuation(foldText(text)).trim();

	test('is read as this choice, or asked again', () => {
		fc.assert(
			fc.property(lists, fc.nat(), edits, (choices, index, edit) => {
				const choice = choices[index % choices.length];
				const text = withMistake(choice, edit);
				// what has become another choice cannot be told from it
				fc.pre(!choices.some((one) => one !== choice && plain(one) === plain(text)));
				expect([undefined, choice]).toContain(readChoice(text, choices));
			}),
			{ numRuns: 5_000 },
		);
	});
});
