/** Whether two spellings of a text are the same, in the languages of customers. */
import fc from 'fast-check';

import { foldText, trimPunctuation } from '../../nodes/BusinessMessaging/foldText';

/** Written by hand: texts that people take for the same. */
const same: string[][] = [
	['iptal', 'İptal', 'IPTAL', 'İPTAL', 'ıptal', 'i\u0307ptal'],
	['ısı', 'ISI', 'isi'],
	['für', 'fu\u0308r', 'FÜR', 'fur'],
	['straße', 'STRASSE', 'Strasse', 'STRAẞE'],
	['fine', 'ﬁne', 'ＦＩＮＥ', 'fi\u00adne', '\u200bfine', '\u202afine\u202c'],
	['ΟΔΟΣ', 'οδος', 'οδός', 'οδοσ'],
	['إيقاف', 'ايقاف', 'إِيقَاف'],
	['שלום', 'שָׁלוֹם'],
	['수신거부', '수신거부'.normalize('NFD')],
	['ガ', 'ｶﾞ', 'カ\u3099'],
	['👍', '👍🏻', '👍🏼', '👍🏽', '👍🏾', '👍🏿'],
	['❤', '❤️'],
	['1', '１', '①', '1️⃣'],
];
const different: string[][] = [
	['रोका', 'रोको', 'रुको'],
	['หยุด', 'หยด'],
	['は', 'ば', 'ぱ'],
	['각', '가'],
	['stop', 'ЅТОР', 'sto p'],
	['1', '2'],
];

test.each(same)('%s and its other spellings are the same text', (...texts) => {
	expect(new Set(texts.map(foldText)).size).toBe(1);
});

test.each(different)('%s and the others are different texts', (...texts) => {
	expect(new Set(texts.map(foldText)).size).toBe(texts.length);
	for (const [one, other] of [texts, texts.toReversed()])
		expect(foldText(one).includes(foldText(other))).toBe(false);
});

test('folding a text twice, or in another normal form or case, gives the same', () => {
	const property = fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
		const folded = foldText(text);
		expect(foldText(folded)).toBe(folded);
		for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'])
			expect(foldText(text.normalize(form))).toBe(folded);
		expect(foldText(foldText(text).toUpperCase())).toBe(folded);
	});
	fc.assert(property, { numRuns: 2_000 });
});

test.each([
	['stop！', 'stop'],
	['STOP。', 'STOP'],
	['قف؟', 'قف'],
	['बंद।', 'बंद'],
	['«стоп»!', 'стоп'],
	['“stop”', 'stop'],
	['¿qué?', 'qué'],
	['*_stop_*', 'stop'],
	['(a) b...', 'a) b'],
	['#order', '#order'],
	['@anna', '@anna'],
	['c++', 'c++'],
	['5 %', '5 %'],
	['***', ''],
])('%s without punctuation around it is %j', (text, expected) => {
	expect(trimPunctuation(text)).toBe(expected);
});

// A regular expression for both ends would take minutes.
test('a long text costs no more than its length', () => {
	const long = `x${' '.repeat(300_000)}x`;
	expect(trimPunctuation(` ${long}!`)).toBe(long);
});
