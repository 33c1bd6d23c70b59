/** How people say yes and no: politely, in their language, in upper or lower case, with any punctuation; and texts that mean neither. */
import fc from 'fast-check';

import { readAnswer } from '../../../nodes/BusinessMessaging/inbox/answers';
import { approvalWords } from '../../../nodes/BusinessMessaging/readApproval';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';
import { intentOf } from '../../../nodes/BusinessMessaging/webhooks/intent';

const byDefault = { ...defaultAnswer(), kind: 'approval' } as const;
const replier = { phone: '+15550001000', times: [] };
const read = (text: string) => readAnswer(text, byDefault, replier);

interface Language {
	name: string;
	locale: string;
	yes: string[];
	no: string[];
	courtesy: string[];
	/** A yes with a condition, and a text that is no yes. */
	unclear: string[];
}

/** Written by hand, as people write: no word is taken from the lists of the node. `|` separates phrases. */
const languages: Language[] = [
	'English en: yes|sure|ok|sounds good: no|nope: please|thanks|thank you: yes, but not today|not yes|yes if it is free|not sure',
	'Arabic ar: نعم|موافق: لا|كلا: شكرا|من فضلك: نعم ولكن غدا|ليس نعم|نعم إذا كان مجانا',
	'Bengali bn: হ্যাঁ|ঠিক আছে: না: ধন্যবাদ|প্লিজ: হ্যাঁ কিন্তু কাল|হ্যাঁ নয়',
	'Bulgarian bg: да|добре: не: моля|благодаря: да, но утре|да не|добре, ако е безплатно',
	'Chinese zh: 好的|可以|是的: 不行|不要: 谢谢|请: 好的，但是明天|不好|不同意可以吗|是不是|好的吗',
	'Czech cs: ano|jasně: ne: prosím|děkuji: ano, ale až zítra|ne ano|ano, pokud je to zdarma',
	'Danish da: ja|gerne: nej: mange tak: ja, men i morgen|ikke gerne|ja, hvis det er gratis',
	'Dutch nl: ja|graag|prima: nee: alstublieft|dank je: ja, maar morgen|niet graag|ja, als het kan',
	'Filipino fil: oo|opo|sige: hindi: salamat: oo pero bukas|hindi sige ba|oo kung libre',
	'Finnish fi: kyllä|joo|sopii: ei: kiitos|ole hyvä: kyllä, mutta huomenna|ei sovi|kyllä, jos se on ilmaista',
	"French fr: oui|d'accord|volontiers: non: merci|s'il vous plaît: oui, mais demain|pas d'accord|oui si c'est gratuit",
	'German de: ja|gerne|in ordnung: nein: bitte|danke|vielen dank: ja, aber erst morgen|nicht gerne|ja, wenn es geht|ja nein',
	'Greek el: ναι|εντάξει: όχι: παρακαλώ|ευχαριστώ: ναι, αλλά αύριο|όχι ναι|ναι αν γίνεται',
	'Hebrew he: כן|בסדר: לא: תודה|בבקשה: כן אבל מחר|לא בסדר|כן אם אפשר',
	'Hindi hi: हाँ|जी हाँ|ठीक है: नहीं|जी नहीं: धन्यवाद|शुक्रिया: हाँ लेकिन कल|ठीक नहीं है|हाँ अगर मुफ़्त हो',
	'Hungarian hu: igen|persze: nem: köszönöm|kérem: igen, de holnap|nem jó|igen, ha ingyenes',
	'Indonesian id: ya|baik: tidak: terima kasih|tolong: ya, tapi besok|tidak baik|ya kalau gratis',
	'Italian it: sì|va bene|certo: no: grazie|per favore: sì, ma domani|non va bene|sì se è gratis',
	'Japanese ja: はい|ええ: いいえ: お願いします|ありがとうございます: はい、でも明日|はいではない|ううん',
	'Korean ko: 네|예|좋아요: 아니요|아니오: 감사합니다|고마워요: 네 하지만 내일|네 아니면 아니요|안 좋아요|네가',
	'Norwegian nb: ja|gjerne: nei: takk|tusen takk: ja, men i morgen|ikke gjerne|ja, hvis det er gratis',
	'Persian fa: بله|باشه: نه|خیر: ممنون|لطفا: بله ولی فردا|نه بله|بله اگر بشود',
	'Polish pl: tak|jasne|dobrze: nie: proszę|dziękuję: tak, ale jutro|nie dobrze|tak, jeśli można',
	'Portuguese pt: sim|claro: não: por favor|obrigada: sim, mas amanhã|claro que não|sim se for grátis',
	'Romanian ro: da|sigur: nu: mulțumesc|vă rog: da, dar mâine|nu sigur|da, dacă se poate',
	'Russian ru: да|хорошо|конечно: нет: спасибо|пожалуйста: да, но завтра|да нет|не согласен|конечно нет',
	'Slovak sk: áno|dobre: nie: prosím|ďakujem: áno, ale až zajtra|nie dobre|áno, ak je to zadarmo',
	'Spanish es: sí|claro|vale: no: gracias|por favor: sí, pero mañana|claro que no|no vale|sí si es gratis',
	'Swahili sw: ndiyo|ndio: hapana: asante|tafadhali: ndiyo, lakini kesho|si sawa|ndiyo kama ni bure',
	'Swedish sv: ja|gärna: nej: tack|snälla: ja, men i morgon|inte gärna|absolut inte',
	'Tamil ta: ஆம்|சரி: இல்லை: நன்றி: ஆம் ஆனால் நாளை|சரி இல்லை|ஆம் இலவசமாக இருந்தால்',
	'Thai th: ใช่|ได้|ตกลง: ไม่|ไม่ใช่: ขอบคุณ|ครับ|ค่ะ: ใช่แต่พรุ่งนี้|ใช่ไหม|ได้ไหม|ไม่ตกลง',
	'Turkish tr: evet|tamam|olur: hayır: lütfen|teşekkürler: evet ama yarın|tamam değil|olur mu',
	'Ukrainian uk: так|добре: ні: дякую|будь ласка: так, але завтра|не добре|так, якщо можна',
	'Urdu ur: جی ہاں|ٹھیک ہے: نہیں: شکریہ: جی ہاں لیکن کل|ٹھیک نہیں|ہاں اگر مفت ہو',
	'Vietnamese vi: vâng|đồng ý: không: cảm ơn|làm ơn: vâng nhưng mai|không đồng ý|đồng ý không',
].map((row) => {
	const [head, ...parts] = row.split(': ');
	const [name, locale] = head.split(' ');
	const [yes, no, courtesy, unclear] = parts.map((part) => part.split('|'));
	return { name, locale, yes, no, courtesy, unclear };
});

/** Ways in which people and phones write the same words. */
const spellings: Array<(text: string, locale: string) => string> = [
	(text) => text,
	(text, locale) => text.toLocaleUpperCase(locale),
	(text, locale) => `${text.charAt(0).toLocaleUpperCase(locale)}${text.slice(1)}`,
	(text) => text.normalize('NFD'),
	(text) => ` ${text.replace(/'/g, '’')}\n`,
];
const ends = ['', '.', '!', '!!', ' …', '。', ' 🙏', ' 😊', ' 🙏🏽'];
const separators = [', ', ' ', '! ', '\n', ' - ', '… '];

interface Parts {
	answer: string;
	before: string | undefined;
	after: string | undefined;
	separator: string;
	end: string;
	spelling: (text: string, locale: string) => string;
}

const partsOf = (answers: string[], courtesy: string[]): fc.Arbitrary<Parts> =>
	fc.record({
		answer: fc.constantFrom(...answers),
		before: fc.option(fc.constantFrom(...courtesy), { nil: undefined }),
		after: fc.option(fc.constantFrom(...courtesy), { nil: undefined }),
		separator: fc.constantFrom(...separators),
		end: fc.constantFrom(...ends),
		spelling: fc.constantFrom(...spellings),
	});

function write({ answer, before, after, separator, end, spelling }: Parts, locale: string): string {
	const words = [before, answer, after].filter((part) => part !== undefined);
	return spelling(words.join(separator), locale) + end;
}

describe.each(languages)('$name', ({ locale, yes, no, courtesy, unclear }) => {
	test.each([
		[true, yes],
		[false, no],
	])('reads %s in polite words, in upper or lower case, with any punctuation', (value, answers) => {
		const property = fc.property(partsOf(answers, courtesy), (parts) => {
			expect(read(write(parts, locale))).toBe(value);
		});
		fc.assert(property, { numRuns: 60 });
	});

	test('a question is no answer', () => {
		const property = fc.property(
			partsOf([...yes, ...no], courtesy),
			fc.constantFrom('?', ' ?', '??', '?!', '？', '؟', ';'),
			(parts, mark) => {
				expect(read(write({ ...parts, end: mark }, locale))).toBeUndefined();
			},
		);
		fc.assert(property, { numRuns: 40 });
	});

	test('yes and no together are no answer', () => {
		const pair = fc.tuple(fc.constantFrom(...yes), fc.constantFrom(...no), fc.boolean());
		const property = fc.property(pair, ([first, second, isYesFirst]) => {
			const words = isYesFirst ? [first, second] : [second, first];
			const text = words.join(', ');
			expect(read(text)).toBeUndefined();
		});
		fc.assert(property, { numRuns: 20 });
	});

	test.each([...unclear, ...courtesy])('%j is no answer', (text) => {
		expect(read(text)).toBeUndefined();
		expect(read(`${text}!`)).toBeUndefined();
	});
});

test.each([
	[true, 'ok, thanks|OK danke|yes yes|ja gerne, danke|👍🏽|👍 danke|✅|ja ;)|Yes ;-)|हाँ, धन्यवाद'],
	[false, 'Nein, vielen Dank!|不要|いいえ、結構です|👎|❌ no thanks'],
	[
		undefined,
		'yes or no|ok?no|🙏|yesterday|no problem|no idea|I said yes|yes nothing|👍👎||?|Ναι; ;)|Ναι; Ευχαριστώ',
	],
	[undefined, 'ja, aber|bitte nicht|gar nicht gerne|yes but…|yes and no'],
])('reads %s: %s', (value, texts) => {
	expect(texts.split('|').map((text) => [text, read(text)])).toEqual(
		texts.split('|').map((text) => [text, value]),
	);
});

test('every word for yes and no can be combined with polite words of every language, and none is an opt-out', () => {
	const courtesies = languages.flatMap(({ courtesy }) => courtesy);
	const { yes, no } = approvalWords;
	const words: Array<[string, boolean]> = [
		...yes.map((word): [string, boolean] => [word, true]),
		...no.map((word): [string, boolean] => [word, false]),
	];
	const property = fc.property(
		fc.constantFrom(...words),
		fc.constantFrom(...courtesies),
		([word, value], courtesy) => {
			expect([word, `${word}, ${courtesy}!`, `${courtesy} ${word}`].map(read)).toEqual(
				Array.from({ length: 3 }, () => value),
			);
		},
	);
	fc.assert(property, { numRuns: 400 });
	expect([...yes, ...no].filter(intentOf)).toEqual([]);
});

test('any other word next to a yes or a no makes the answer unclear', () => {
	const letters = fc.string({ unit: fc.constantFrom(...'bcdfgqwxz'), minLength: 3, maxLength: 12 });
	const answers = [...approvalWords.yes, ...approvalWords.no];
	const added = fc.tuple(letters, fc.constantFrom(...answers), fc.boolean());
	const property = fc.property(added, ([word, answer, isFirst]) => {
		expect(read(isFirst ? `${word} ${answer}` : `${answer}, ${word}`)).toBeUndefined();
	});
	fc.assert(property, { numRuns: 300 });
});

test("the user's own words count as they are written, even with a question mark", () => {
	const own = { ...byDefault, yesWords: ['Why not?', 'Deal'], noWords: ['Pass'] };
	const texts = ['Why not?', 'deal, thanks', 'Pass', 'deal?', 'yes'];
	expect(texts.map((text) => readAnswer(text, own, replier))).toEqual([
		...[true, true, false],
		...[undefined, undefined],
	]);
});
