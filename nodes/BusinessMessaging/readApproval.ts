/** Reads a reply as yes or no, as people write it: "Ja, gerne", "yes please", "No, thank you!". */
import { memoize } from 'lodash';

import { foldText } from './foldText';

/** In the languages of `webhooks/intent.ts`. */
const phrases: ReadonlyArray<[language: string, yes: string, no: string, polite: string]> = [
	[
		'English',
		"yes, y, yep, yeah, ok, okay, sure, of course, absolutely, sounds good, sounds great, perfect, go ahead, ok fine, okay fine, that's fine, fine by me, fine with me, approve, approved",
		'no, n, nope, nah, reject, rejected, decline, declined',
		'please, pls, plz, thanks, thanks a lot, thank you, thank you very much, many thanks, thx, cheers',
	],
	['Arabic', 'نعم, أجل, موافق', 'لا, كلا, غير موافق', 'شكرا, شكرا جزيلا, من فضلك, لو سمحت, رجاء'],
	['Bengali', 'হ্যাঁ, জি, ঠিক আছে', 'না', 'ধন্যবাদ, দয়া করে, প্লিজ'],
	['Bulgarian', 'да, добре, разбира се', 'не', 'моля, благодаря'],
	[
		'Chinese',
		'是, 是的, 好, 好的, 可以, 行, 同意',
		'不, 不是, 不行, 不可以, 不要, 不同意',
		'谢谢, 謝謝, 多谢, 请, 請',
	],
	['Czech', 'ano, jo, jasně, dobře', 'ne', 'prosím, děkuji, děkuju, díky'],
	['Danish', 'ja, gerne, javel', 'nej, nej tak', 'mange tak, venligst'],
	[
		'Dutch',
		'ja, graag, prima, is goed, akkoord',
		'nee',
		'alsjeblieft, alstublieft, aub, dank je, dank je wel, dank u, dank u wel, bedankt',
	],
	['Filipino', 'oo, opo, sige', 'hindi, hindi po', 'salamat, pakiusap'],
	['Finnish', 'kyllä, joo, juu, selvä, sopii', 'ei', 'kiitos, kiitti, ole hyvä'],
	[
		'French',
		"oui, ouais, d'accord, ok parfait, bien sûr, volontiers, avec plaisir",
		'non',
		"merci, merci beaucoup, s'il vous plaît, s'il te plaît, svp, stp",
	],
	[
		'German',
		'ja, jo, jawohl, klar, gern, gerne, sehr gern, sehr gerne, einverstanden, in ordnung, passt, geht klar',
		'nein, nö, nee',
		'bitte, danke, danke schön, dankeschön, danke sehr, vielen dank, herzlichen dank',
	],
	['Greek', 'ναι, εντάξει, βεβαίως', 'όχι', 'παρακαλώ, ευχαριστώ'],
	['Hebrew', 'כן, בסדר, בטח', 'לא', 'בבקשה, תודה, תודה רבה'],
	[
		'Hindi',
		'हाँ, हां, जी, जी हाँ, ठीक है, haan',
		'नहीं, जी नहीं, nahi',
		'कृपया, धन्यवाद, शुक्रिया',
	],
	['Hungarian', 'igen, persze, rendben', 'nem', 'köszönöm, köszi, kérem'],
	['Indonesian', 'ya, iya, baik, setuju', 'tidak', 'tolong, terima kasih, makasih'],
	[
		'Italian',
		'sì, certo, va bene, perfetto, volentieri',
		'no',
		'grazie, grazie mille, per favore, prego',
	],
	[
		'Japanese',
		'はい, ええ, うん',
		'いいえ, いや',
		'お願いします, ありがとう, ありがとうございます, 結構です',
	],
	[
		'Korean',
		'네, 예, 응, 좋아요, 그래요',
		'아니요, 아니오, 아뇨, 아니',
		'감사합니다, 고마워요, 고맙습니다, 부탁해요, 부탁합니다',
	],
	['Norwegian', 'ja, gjerne', 'nei, nei takk', 'takk, tusen takk'],
	['Persian', 'بله, آره, باشه', 'نه, خیر, نه خیر', 'لطفا, ممنون, مرسی, متشکرم'],
	['Polish', 'tak, jasne, dobrze, zgoda', 'nie', 'proszę, poproszę, dziękuję, dzięki'],
	[
		'Portuguese',
		'sim, claro, beleza, perfeito, com certeza',
		'não, nao',
		'por favor, obrigado, obrigada',
	],
	['Romanian', 'da, sigur, desigur', 'nu', 'vă rog, te rog, mulțumesc, mersi'],
	[
		'Russian',
		'да, хорошо, конечно, согласен, согласна',
		'нет',
		'пожалуйста, спасибо, большое спасибо',
	],
	['Slovak', 'áno, jasné, dobre', 'nie', 'prosím, ďakujem'],
	[
		'Spanish',
		'sí, si, claro, vale, perfecto, de acuerdo, con gusto',
		'no',
		'por favor, porfa, gracias, muchas gracias',
	],
	['Swahili', 'ndiyo, ndio, naam', 'hapana', 'asante, tafadhali'],
	['Swedish', 'ja, gärna, javisst, absolut', 'nej', 'tack, tack så mycket, snälla'],
	['Tamil', 'ஆம், ஆமாம், சரி', 'இல்லை, வேண்டாம்', 'நன்றி, தயவுசெய்து'],
	[
		'Thai',
		'ใช่, ได้, ตกลง, โอเค',
		'ไม่, ไม่ใช่, ไม่ได้, ไม่เอา',
		'ขอบคุณ, ครับ, ค่ะ, นะคะ, นะครับ',
	],
	[
		'Turkish',
		'evet, tamam, tamamdır, olur',
		'hayır, yok',
		'lütfen, teşekkürler, teşekkür ederim, sağ ol',
	],
	['Ukrainian', 'так, добре, звичайно', 'ні', 'будь ласка, дякую, прошу'],
	['Urdu', 'جی, جی ہاں, ہاں, ٹھیک ہے', 'نہیں, جی نہیں', 'شکریہ, براہ کرم, مہربانی'],
	['Vietnamese', 'vâng, được, đồng ý', 'không', 'cảm ơn, làm ơn, vui lòng, ạ'],
];

const joined = (place: 1 | 2 | 3) => [...new Set(phrases.flatMap((row) => row[place].split(', ')))];

/** What counts as yes and as no unless the user enters other words. */
export const approvalWords = {
	yes: [...joined(1), '👍', '👌', '✅'],
	no: [...joined(2), '👎', '❌'],
};

/** By language of a country: words of another language that mean something else there. "No" is "yeah" in Polish, "nu" is "now" in Dutch. */
const doubtfulWords: Partial<Record<string, string[]>> = {
	...{
		cs: ['no'],
		da: ['nu'],
		el: ['ne'],
		es: ['ya'],
		ko: ['ne'],
		nb: ['nu'],
		nl: ['nu'],
		no: ['nu'],
	},
	...{ pl: ['no'], ru: ['так'], sk: ['no'], sv: ['nu'] },
};

/** The words of a list that certainly mean yes or no where a language is spoken. Words that the user has entered always count. */
export function certainWords(words: string[], language: string): string[] {
	const isOwn =
		words.join() !== approvalWords.yes.join() && words.join() !== approvalWords.no.join();
	const doubtful = doubtfulWords[language] ?? [];
	return isOwn ? words : words.filter((word) => !doubtful.includes(toWords(word)));
}

/** Words that may come before or after the answer without changing it. */
export const politeWords = memoize(() =>
	[...joined(3), '🙏', '🙂', '😊', '😀', '😃', '😄', '😁', '🤗', '❤'].map(toWords),
);

/** The greatest length of a yes or no, characters. A longer reply says more than that. */
const maxLength = 100;

/** Yes or no, beside polite words only; undefined for other texts, e.g. "yes, but not today", "yes?" or "please". */
export function readApproval(
	text: string,
	yesWords: string[],
	noWords: string[],
): boolean | undefined {
	if (text.length > maxLength) return undefined;
	const reply = toWords(text);
	// "Yes?" is a question. Greek writes a question mark as a semicolon; "yes ;)" is none.
	const isQuestion = /[?؟]|;(?!-?\))/.test(text.normalize('NFKC'));
	// A user's own word may have a question mark.
	const isOnly = (answers: string[]) =>
		answers.includes(text) || (!isQuestion && consistsOf(reply, answers.map(toWords)));
	const [isYes, isNo] = [isOnly(yesWords), isOnly(noWords)];
	// Neither, or both, as in "yes no", is no answer.
	return isYes === isNo ? undefined : isYes;
}

/**
 * Whether a text consists only of these answers and of words that change nothing, with at least one answer. Each is folded, with words
 * separated by spaces.
 */
export function consistsOf(text: string, answers: string[], around = politeWords()): boolean {
	/** For each length of the text that was read so far: whether it contains an answer. */
	const read = new Map([[0, false]]);
	for (let end = 0; end < text.length; end++) {
		const hasAnswer = read.get(end);
		if (hasAnswer === undefined) continue;
		const begins = (word: string) =>
			word !== '' && text.startsWith(word, end) && isWordEnd(text, end + word.length);
		const add = (word: string, isAnswer: boolean) => {
			const next = text[end + word.length] === ' ' ? end + word.length + 1 : end + word.length;
			read.set(next, (read.get(next) ?? false) || hasAnswer || isAnswer);
		};
		for (const word of answers.filter(begins)) add(word, true);
		for (const word of around.filter(begins)) add(word, false);
	}
	return read.get(text.length) === true;
}

/** Letters of Chinese, Japanese and Thai, which are written without spaces. */
const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u;
const letter = /[\p{L}\p{M}\p{N}]$/u;

function isWordEnd(text: string, end: number): boolean {
	const [before, after] = [text.slice(0, end), [...text.slice(end)][0] ?? ''];
	return !letter.test(before) || !letter.test(after) || spaceless.test(before);
}

/** Folded words, separated by spaces. Emoji stay. */
export function toWords(text: string): string {
	return foldText(text)
		.replace(/[\p{P}\p{Z}\s]+/gu, ' ')
		.trim();
}
