/** The words of dates in many languages. The runtime knows the names; what it does not know is listed here. */
import { isEqual, memoize, range, unionWith, uniq } from 'lodash';

import { foldText } from '../foldText';
import { approvalWords, politeWords } from '../readApproval';

/** What a word or phrase of a date means. */
export type DateWord =
	| { is: 'month'; value: number }
	/** 1 is Monday, as in ISO 8601. A name of up to two letters may be another word, as "on", which is Wednesday in Danish. */
	| { is: 'weekday'; value: number; isShort?: true }
	/** Days from today. */
	| { is: 'day'; value: number }
	| { is: 'next' }
	| { is: 'nextWeek' }
	/** A word that changes nothing, such as "on". */
	| { is: 'filler' };

/** The words of a language, folded. A word may mean several things: in Hindi, कल is tomorrow and yesterday. */
export type DateWords = ReadonlyMap<string, readonly DateWord[]>;

/** The languages of the opt-out words (webhooks/intent.ts), the second script of Chinese, and Croatian: its October is the Polish and Czech November. */
export const dateLanguages =
	'en ar bn bg zh cs da nl fil fi fr de el he hi hu id it ja ko no fa pl pt ro ru sk es sw sv ta th tr uk ur vi zh-Hant hr'.split(
		' ',
	);

/** By language: words around a date that change nothing; then words for "next" beside a weekday. */
const furtherWords: Partial<Record<string, string>> = {
	en: 'on, the, of, this, for; next',
	ar: 'يوم, في; القادم, المقبل',
	bg: 'на, в, през, г; следващия, следващата',
	cs: 'v, ve, dne; příští',
	da: 'den, på, d; næste',
	de: 'am, den, der, dem, diesen; nächsten, nächster, nächste, nächstes',
	el: 'τη, την, το, στις; επόμενη',
	es: 'el, de, del, día, este; próximo, que viene',
	fi: '; ensi',
	fil: 'sa, ng, ika; susunod na',
	fr: 'le, ce, du; prochain',
	hi: 'को; अगले',
	hr: 'u, na',
	hu: '; jövő',
	id: 'hari, tanggal, tgl, pada; depan',
	it: 'il, di, del, giorno, questo; prossimo, prossima',
	ja: 'に, で, です, の; 来週の, 次の',
	ko: '에; 다음',
	nl: 'op, de; volgende',
	no: 'den, på; neste',
	pl: 'w, we, dnia; następny, następną',
	pt: 'o, de, do, em, no, na, dia, esta, este; próximo, próxima, que vem',
	ro: 'pe, în, data de; viitoare',
	ru: 'в, во, на, г, года; следующий, следующую, следующая, следующее',
	sk: 'v, vo, dňa; budúci, budúcu',
	sv: 'den, på; nästa',
	th: 'ที่, วันที่; หน้า',
	tr: 'günü; gelecek, önümüzdeki',
	uk: 'у, в, на, р, року; наступний, наступну',
	vi: 'ngày, vào, năm; tới',
	zh: '号, 日, 年; 下个, 下',
	'zh-Hant': '號, 日, 年; 下個, 下',
};

/** Weekdays as they are written after "on", where this is another form, from Monday; and short names of whole days. */
const inflectedWeekdays: Record<string, string> = {
	cs: ', , středu, , , sobotu, neděli',
	fi: 'maanantaina, tiistaina, keskiviikkona, torstaina, perjantaina, lauantaina, sunnuntaina',
	hr: ', , srijedu, , , subotu, nedjelju',
	hu: 'hétfőn, kedden, szerdán, csütörtökön, pénteken, szombaton, vasárnap',
	pl: ', , środę, , , sobotę, niedzielę',
	ru: ', , среду, , пятницу, субботу, ',
	sk: ', , stredu, , , sobotu, nedeľu',
	uk: ', , середу, , пʼятницю, суботу, неділю',
};

/** Words that mean something else in another language, so they count only for people in a country of their own: hier is "here" in German, besök is "visit" in Swedish. */
const falseFriends = new Set(
	'hier jutro besok jana morgen неделя mart segunda quinta fri mon sat'.split(' ').map(foldText),
);

/**
 * The words of a language. `own`: that of the person's country; all words count. `other`: one that the person may not
 * speak; words of up to three letters do not count, because they mean something else too often.
 */
export const dateWordsOf = memoize(
	(locale: string, whose: 'own' | 'english' | 'other'): DateWords => {
		const words = collectWords(locale);
		const isShort = (word: string) => whose === 'other' && /^[\p{Script=Latin}]{1,3}$/u.test(word);
		const counts = ([word, meanings]: [string, DateWord[]]) =>
			meanings.every(({ is }) => is === 'filler') || !(isShort(word) || falseFriends.has(word));
		return whose === 'own' ? words : new Map([...words].filter(counts));
	},
	(...key) => key.join(' '),
);

function collectWords(locale: string): Map<string, DateWord[]> {
	const words = new Map<string, DateWord[]>();
	const [language] = locale.split('-');
	const add = (written: string | undefined, meaning: DateWord) => {
		for (const word of spellingsOf(written ?? '', language))
			if (word !== '') words.set(word, unionWith(words.get(word), [meaning], isEqual));
	};
	const further = furtherWords[locale] ?? furtherWords[language] ?? '';
	const [fillers, next = ''] = further.split('; ');
	for (const word of fillers.split(', ')) add(word, { is: 'filler' });
	for (const word of next.split(', ')) add(word, { is: 'next' });
	addNames(locale, add);
	const inflected = inflectedWeekdays[language]?.split(', ') ?? [];
	for (const [index, word] of inflected.entries()) add(word, { is: 'weekday', value: index + 1 });
	const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
	for (const value of range(-2, 3)) {
		const phrase = relative.format(value, 'day');
		if (!/\p{N}/u.test(phrase)) add(phrase, { is: 'day', value });
	}
	add(relative.format(1, 'week'), { is: 'nextWeek' });
	// The runtime has no English phrase for it.
	if (language === 'en') add('day after tomorrow', { is: 'day', value: 2 });
	return words;
}

/** Adds months and weekdays, alone and as they are written in a date. */
function addNames(locale: string, add: (word: string | undefined, meaning: DateWord) => void) {
	const format = (options: Intl.DateTimeFormatOptions) =>
		new Intl.DateTimeFormat(locale, { calendar: 'gregory', timeZone: 'UTC', ...options });
	for (const style of ['long', 'short'] as const) {
		const inDate = format({ weekday: style, day: 'numeric', month: style, year: 'numeric' });
		const [month, weekday] = [format({ month: style }), format({ weekday: style })];
		for (const value of range(1, 13)) {
			const date = Date.UTC(2026, value - 1, 28);
			const parts = inDate.formatToParts(date);
			const index = parts.findIndex(({ type }) => type === 'month');
			const name = parts[index]?.value;
			// Letters that are joined to the name belong to it, as in Hebrew; and a name of digits needs its sign, as in 12月.
			const [, before = ''] = /\s(\p{L}+)$/u.exec(parts[index - 1]?.value ?? '') ?? [];
			const after = /^\p{L}*/u.exec(parts[index + 1]?.value ?? '')?.[0] ?? '';
			const forms = [`${before}${name}`, `${before}${name}${after}`, name, month.format(date)];
			for (const form of forms) if (/\p{L}/u.test(form)) add(form, { is: 'month', value });
			for (const { type, value: sign } of parts)
				if (type === 'literal')
					for (const word of sign.match(/\p{L}[\p{L}\p{M}]*/gu) ?? []) add(word, { is: 'filler' });
		}
		for (const value of range(1, 8)) {
			const date = Date.UTC(2026, 5, value); // the first of June 2026 is a Monday
			const name = inDate.formatToParts(date).find(({ type }) => type === 'weekday')?.value;
			for (const form of [name, weekday.format(date)]) {
				const isShort = plainDate(form ?? '').length <= 2 && { isShort: true as const };
				add(form, { is: 'weekday', value, ...isShort });
			}
			// Portuguese: people say "segunda" for segunda-feira
			if (style === 'long' && name?.endsWith('-feira'))
				add(name.replace('-feira', ''), { is: 'weekday', value });
		}
	}
}

/** A word as it is, with spaces for hyphens ("apres demain"), and in German without umlauts ("Maerz"). */
function spellingsOf(written: string, language: string): string[] {
	const without = { ä: 'ae', ö: 'oe', ü: 'ue' };
	const plainLetters = written.replace(/[äöü]/g, (letter) => without[letter as 'ä']);
	const forms = language === 'de' ? [written, plainLetters] : [written];
	return uniq(forms.flatMap((form) => [plainDate(form), plainDate(form.replace(/-/g, ' '))]));
}

/** Folded, without the dots of abbreviations. */
const plainDate = (written: string) => plainText(written.replace(/[.،,]/g, ''));

/** Folded, with one kind of apostrophe and of space. */
export function plainText(written: string): string {
	return foldText(written)
		.replace(/[’ʼ‘`]/g, "'")
		.replace(/\s+/g, ' ')
		.trim();
}

/** Words before a time of day; and those before a number that can only be a time of day. */
export const beforeTime = (
	'at, after, before, from, by, around, about, until, till, um, ab, nach, vor, gegen, bis, a, apres, avant, vers, ' +
	'des, a partir de, despues de las, antes de las, desde las, a las, dopo le, prima delle, dalle, alle, as, depois das, ' +
	'antes das, a partir das, om, na, voor, vanaf, rond, kl, klo, o, po, saat, jam, в, после, до, с'
).split(', ');
export const beforeHour = 'at, um, a las, alle, as, kl, klo, saat, jam'.split(', ');
/** Parts of a day, which may come after the day. */
const partsOfDay = (
	'morning, in the morning, afternoon, in the afternoon, evening, in the evening, night, at night, noon, at noon, ' +
	'morgens, vormittag, vormittags, mittag, mittags, nachmittag, nachmittags, abend, abends, fruh, matin, midi, soir, apres-midi, ' +
	'por la manana, por la tarde, por la noche, de manha, de tarde, de noite, a tarde, a noite, mattina, pomeriggio, sera, ' +
	'ochtend, middag, avond, sabah, ogleden sonra, aksam, pagi, siang, sore, malam, rano, wieczorem, утром, днем, вечером'
).split(', ');

/** What people say of a day that they choose, in the languages in which it was found; a "not" beside it is no known word. */
const aboutADay = (
	'so, i think, works, works for me, works best, would work, suits me, would suit me, if possible, if you can, any time, rather, ' +
	'is good, is good for me, is fine, is ok, is great, is perfect, is best, would be good, would be fine, would be great, ' +
	'would be perfect, would be best, i can do, i could do, i prefer, i would prefer, i would like, lets say, sorry i meant, i meant, ' +
	'passt mir, passt mir gut, passt gut, passt uns, wurde passen, wurde mir passen, ware gut, ware super, ware perfekt, ' +
	'dann, ich denke, ist gut, ist ok, ist super, geht, ginge, lieber, doch lieber, am liebsten, ich nehme, wir nehmen, ich meinte, ' +
	'ca me va, me convient, me va, ca marche, serait bien, serait parfait, plutot, je prefere, ' +
	'me viene bien, esta bien, me va bien, seria perfecto, prefiero, mejor, mi va bene, preferisco, meglio, ' +
	'prefiro, melhor, pode ser, fica bem, past, past mij, komt goed uit, liever'
).split(', ');

/** Words around a date that change nothing, folded: polite words, a yes, parts of the day. */
export const harmlessWords = memoize(
	() =>
		new Set([
			...politeWords().filter((word) => word !== ''),
			...approvalWords.yes
				.map((word) => foldText(word).replace(/'/g, ' '))
				.filter((word) => word.length > 1),
			...partsOfDay,
			...aboutADay,
		]),
);
