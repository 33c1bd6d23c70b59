/** The phrases with which people opt out of messages, or opt in again. */

/** What a message asks for. */
export type Intent = 'optIn' | 'optOut';

/**
 * By language. In all languages, words that often answer a question (cancel, end, yes) are left out. Source: phrases in
 * common use with services of this kind.
 */
const phrases: ReadonlyArray<[language: string, optOut: string, optIn: string]> = [
	[
		'English',
		'stop, stop all, stopall, unsubscribe, opt out, optout, quit',
		'start, unstop, subscribe, opt in, optin',
	],
	['Arabic', 'إيقاف, أوقف, توقف, قف, إلغاء الاشتراك', 'ابدأ, بدء, اشترك, اشتراك'],
	['Bengali', 'বন্ধ, বন্ধ করুন, থামুন', 'শুরু, শুরু করুন'],
	['Chinese', '停止, 退订, 退訂, 取消订阅, 取消訂閱, td', '开始, 開始, 订阅, 訂閱'],
	['Czech', 'zastavit, odhlásit', 'začít, přihlásit'],
	['Dutch', 'stoppen, afmelden, uitschrijven', 'starten, aanmelden, inschrijven'],
	[
		'French',
		'arrêt, arrêter, arrêtez, désabonner, se désabonner, désinscrire, désinscription',
		"démarrer, s'abonner, m'abonner, réabonner",
	],
	['German', 'stopp, abmelden, abbestellen, austragen', 'anmelden, starten'],
	['Greek', 'στοπ, διακοπή, διαγραφή', 'έναρξη, εγγραφή'],
	['Hebrew', 'הסר, הסירו, עצור', 'התחל, הצטרף'],
	['Hindi', 'रोकें, रोको, रुकें, रुको, बंद करें, बंद करो', 'शुरू, शुरू करें, शुरू करो'],
	['Indonesian', 'berhenti, hentikan, berhenti berlangganan', 'mulai, berlangganan'],
	['Italian', 'ferma, disiscrivi, disiscrivimi, cancellami', 'inizia, avvia, iscrivimi'],
	['Japanese', '停止, 配信停止, 配信解除, ストップ', '開始, 再開, スタート'],
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
	[
		'Spanish',
		'alto, parar, baja, darme de baja, cancelar suscripción',
		'alta, darme de alta, iniciar, empezar, suscribirme',
	],
	['Swedish', 'stoppa, avregistrera, avprenumerera', 'starta, prenumerera'],
	['Turkish', 'dur, durdur, ret, abonelikten çık', 'başla, başlat, abone ol'],
	['Ukrainian', 'відписатися, відписка, зупинити', 'почати, підписатися'],
	['Vietnamese', 'dừng, ngừng, hủy đăng ký', 'bắt đầu, đăng ký'],
];

/** Emoji, also those that contain a digit (1️⃣), or that NFKC turns into letters (Ⓜ️, ™️). */
const emoji = /[\d#*]?\u20e3|\p{Extended_Pictographic}/gu;

const intents = new Map<string, Intent>(
	phrases.flatMap(([, optOut, optIn]) => [
		...optOut.split(', ').map((word): [string, Intent] => [plain(word), 'optOut']),
		...optIn.split(', ').map((word): [string, Intent] => [plain(word), 'optIn']),
	]),
);

/** The intent of a message that consists only of such a phrase. Case, accents, punctuation and emoji do not matter. */
export function intentOf(text: unknown): Intent | undefined {
	return typeof text === 'string' && text.length < 100 ? intents.get(plain(text)) : undefined;
}

/** Words in lower case without accents and emoji. The vowel signs of Indic scripts stay. */
function plain(text: string): string {
	const letters = text
		.replace(/\p{Variation_Selector}/gu, '')
		.replace(emoji, ' ')
		.normalize('NFKC')
		.toLowerCase()
		.normalize('NFD')
		.replace(/[\u0300-\u036f\u064b-\u0655]/g, '')
		.replace(/ı/g, 'i');
	return letters
		.split(/[^\p{L}\p{M}\p{N}]+/u)
		.filter(Boolean)
		.join(' ');
}
