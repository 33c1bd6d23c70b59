/** The phrases with which people opt out of messages, or opt in again. */
import { memoize } from 'lodash';

import { foldText } from '../foldText';
import { consistsOf } from '../readApproval';

/** What a message asks for. */
export type Intent = 'optIn' | 'optOut';

/**
 * By language. Source: phrases in common use with services of this kind, among them all English opt-out words that US
 * operators and the FCC require (docs/opt-out-words.md). Words that often answer a question (yes) are left out.
 */
export const intentPhrases: ReadonlyArray<[language: string, optOut: string, optIn: string]> = [
	[
		'English',
		'stop, stop all, stopall, unsubscribe, unsubscribe me, opt out, optout, cancel, end, quit, revoke, remove me',
		'start, unstop, subscribe, opt in, optin',
	],
	['Arabic', 'إيقاف, أوقف, توقف, قف, إلغاء الاشتراك', 'ابدأ, بدء, اشترك, اشتراك'],
	['Bengali', 'বন্ধ, বন্ধ করুন, থামুন', 'শুরু, শুরু করুন'],
	['Bulgarian', 'спри, спрете, отпиши, отпишете ме', 'започни, абонирай'],
	['Chinese', '停止, 退订, 退訂, 取消订阅, 取消訂閱, td', '开始, 開始, 订阅, 訂閱'],
	['Czech', 'zastavit, odhlásit', 'začít, přihlásit'],
	['Danish', 'afmeld, afmeld mig, frameld', 'tilmeld, tilmeld mig'],
	['Dutch', 'stoppen, afmelden, uitschrijven', 'starten, aanmelden, inschrijven'],
	['Filipino', 'tigil, itigil, ihinto', 'simulan, magsimula'],
	['Finnish', 'lopeta, peruuta, peruuta tilaus, poistu', 'aloita, liity'],
	[
		'French',
		'arrêt, arrêter, arrêtez, désabonner, se désabonner, désinscrire, désinscription',
		"démarrer, s'abonner, m'abonner, réabonner",
	],
	['German', 'stopp, abmelden, abbestellen, austragen', 'anmelden, starten'],
	['Greek', 'στοπ, διακοπή, διαγραφή', 'έναρξη, εγγραφή'],
	['Hebrew', 'הסר, הסירו, עצור', 'התחל, הצטרף'],
	['Hindi', 'रोकें, रोको, रुकें, रुको, बंद करें, बंद करो', 'शुरू, शुरू करें, शुरू करो'],
	['Hungarian', 'leállítás, leiratkozás, leiratkozom, állj', 'feliratkozás, feliratkozom, indítás'],
	['Indonesian', 'berhenti, hentikan, berhenti berlangganan', 'mulai, berlangganan'],
	['Italian', 'ferma, disiscrivi, disiscrivimi, cancellami', 'inizia, avvia, iscrivimi'],
	['Japanese', '停止, 配信停止, 配信解除, ストップ', '開始, 再開, スタート'],
	[
		'Korean',
		'중지, 중단, 정지, 그만, 수신거부, 수신 거부, 구독취소, 구독 취소, 해지',
		'시작, 구독, 수신동의, 수신 동의',
	],
	['Norwegian', 'avslutt, avmeld, meld meg av', 'meld meg på, påmelding'],
	['Persian', 'لغو, لغو اشتراک', 'شروع'],
	['Polish', 'zatrzymaj, wypisz, wypisz mnie, rezygnuję', 'rozpocznij, zapisz mnie, wznów'],
	[
		'Portuguese',
		'parar, pare, sair, descadastrar, cancelar inscrição',
		'iniciar, começar, inscrever',
	],
	['Romanian', 'dezabonare, oprește', 'abonare, pornește'],
	[
		'Russian',
		'стоп, отписаться, отписка, отпишите, отпишите меня',
		'старт, начать, подписаться, подпишите меня',
	],
	['Slovak', 'zastaviť, odhlásiť', 'začať, prihlásiť'],
	[
		'Spanish',
		'alto, parar, baja, darme de baja, cancelar suscripción',
		'alta, darme de alta, iniciar, empezar, suscribirme',
	],
	['Swahili', 'simamisha, sitisha, jiondoe', 'anza, jiunge'],
	['Swedish', 'stoppa, avregistrera, avprenumerera', 'starta, prenumerera'],
	['Tamil', 'நிறுத்து, நிறுத்தவும், நிறுத்துங்கள்', 'தொடங்கு, தொடங்கவும், தொடங்குங்கள்'],
	['Thai', 'หยุด, ยกเลิก, เลิกรับ, เลิกรับข่าวสาร', 'เริ่ม, สมัคร, รับข่าวสาร'],
	['Turkish', 'dur, durdur, ret, iptal, abonelikten çık', 'başla, başlat, abone ol'],
	['Ukrainian', 'відписатися, відписка, зупинити', 'почати, підписатися'],
	['Urdu', 'بند کرو, بند کریں, روکو, روکیں, رکو, رکیں', 'شروع, شروع کرو, شروع کریں'],
	['Vietnamese', 'dừng, ngừng, hủy đăng ký', 'bắt đầu, đăng ký'],
];

/** Emoji, also those that contain a digit (1️⃣), or that NFKC turns into letters (Ⓜ️, ™️). */
const emoji = /[\d#*]?\u20e3|\p{Extended_Pictographic}/gu;

const phrasesOf = memoize((intent: Intent): string[] =>
	intentPhrases.flatMap((row) => row[intent === 'optOut' ? 1 : 2].split(', ')).map(plainWords),
);

/**
 * The intent of a message that consists only of such phrases and polite words ("please stop"). Case, accents, punctuation
 * and emoji do not matter.
 */
export function intentOf(text: unknown): Intent | undefined {
	if (typeof text !== 'string' || text.trim().length >= 100) return undefined;
	const words = plainWords(text);
	return (['optOut', 'optIn'] as const).find((intent) => consistsOf(words, phrasesOf(intent)));
}

/** Folded words without emoji, separated by spaces. */
function plainWords(text: string): string {
	const words = foldText(text.replace(/\p{Variation_Selector}/gu, '').replace(emoji, ' '));
	return words
		.split(/[^\p{L}\p{M}\p{N}]+/u)
		.filter(Boolean)
		.join(' ');
}
