/** How texts of customers are read: as an answer to a question, as an opt-out, or as an opt-in. */
import type {
	AnswerKind,
	Expected,
} from '../../../nodes/BusinessMessaging/operations/sending/questionFields';
import type { EventEnvelope } from '../../../nodes/BusinessMessaging/api/events';
import { readAnswer } from '../../../nodes/BusinessMessaging/inbox/answers';
import { toArrival } from '../../../nodes/BusinessMessaging/inbox/arrival';
import { readIncoming } from '../../../nodes/BusinessMessaging/webhooks/incomingEvent';
import { toItems } from '../../../nodes/BusinessMessaging/trigger/toItems';
import { deduplicationKeyOf } from '../../../nodes/BusinessMessaging/webhooks/deduplicationKey';
import { readEvent, simplify } from '../../../nodes/BusinessMessaging/webhooks/simpleEvent';

const expected = (kind: AnswerKind): Expected => ({
	kind,
	choices: ['Small', 'Extra Large', '12'],
	yesWords: ['yes', '👍', 'Sí'],
	noWords: ['no'],
	dateOrder: 'ask',
	notBeforeToday: true,
	timeZone: 'UTC',
});

/** Somebody in Great Britain. */
const replier = { phone: '+447700900123', times: ['2029-11-29T12:00:00Z'] };

const cases: Array<[AnswerKind, string | null, unknown]> = [
	['freeText', null, null],
	['approval', ' YES!! ', true],
	['approval', '👍🏽', true],
	['approval', 'sí.', true],
	['approval', 'yes, but not today', undefined],
	['approval', '', undefined],
	['choice', 'extra large', 'Extra Large'],
	['choice', '2.', undefined], // one of the choices has digits
	['choice', '12', '12'],
	['choice', '4', undefined],
	['number', '1,5', 1.5],
	['number', '0.125', 0.125],
	['number', '1 234.56', 1234.56],
	['number', '1.234,56', 1234.56],
	['number', '1,234,567', 1234567],
	['number', '1234.567', 1234.567],
	...['1,234', '1.234', '-12,345', '+999.000'].map((text): [AnswerKind, string, unknown] => [
		'number',
		text,
		undefined, // 1.234 or 1234
	]),
	['number', '00340434161094042557', undefined],
	['number', '1.2.3', undefined],
	['number', '12 or 13', undefined],
	['email', ' Anna@example.com ', 'Anna@example.com'],
	['date', '2030-01-31', '2030-01-31'],
	['date', '31.1.2030', '2030-01-31'],
	['date', '31. 1. 2030', '2030-01-31'],
	['date', '2030/1/31', '2030-01-31'],
	['date', '3 March 2030', '2030-03-03'],
	['date', 'tomorrow', '2029-11-30'],
	['date', 'tomorrow or later', undefined],
];

test.each(cases)('%s: %j gives %j', (kind, text, value) => {
	expect(readAnswer(text, expected(kind), replier)).toEqual(value);
});

test.each([
	['wide', 0xff10],
	['Arabic', 0x660],
	['Persian', 0x6f0],
	['Hindi', 0x966],
	['Bengali', 0x9e6],
])('the digits of an answer may be %s', (_, zero) => {
	const write = (text: string) =>
		`\u200f${text.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)))}`;
	expect(readAnswer(write('1234567890'), expected('number'), replier)).toBe(1234567890);
	expect(readAnswer(write('0,5'), expected('number'), replier)).toBe(0.5);
	expect(readAnswer(write('31.12.2030'), expected('date'), replier)).toBe('2030-12-31');
	const sizes = { ...expected('choice'), choices: ['Small', 'Extra Large'] };
	expect(readAnswer(write('2.'), sizes, replier)).toBe('Extra Large');
	expect(readAnswer(write('12'), expected('choice'), replier)).toBe('12');
});

const message = (text: unknown, data = {}) => ({
	event: 'message.received',
	data: { text, ...data },
});

test.each([
	['optOut', 'STOP| Stop! |*Stop*.|“Stop”|stop 🙏|ＳＴＯＰ|Opt-out|STOP  ALL'],
	['optOut', 'Arret|ARRÊT|Abonelikten çık|ABONELİKTEN ÇIK|إيقاف|ايقاف|बंद करें।|СТОП!|退订|Dừng'],
	['optIn', 'START|S’abonner|Başla|ابدا|शुरू|Начать'],
	['optOut', `wypisz🙏mnie|stop${'!'.repeat(95)}`],
	[undefined, `sto🛑p|s top|un stop|stop${'!'.repeat(96)}`],
	// what US operators and the FCC require
	['optOut', 'stop|quit|end|revoke|opt out|cancel|unsubscribe|STOPALL|stop all|Stop, please!'],
	[
		'optOut',
		'please stop|Stop thanks|stop stop|停止お願いします|iptal lütfen|İPTAL|\u200bst\u00adop',
	],
	['optOut', `${' '.repeat(200)}stop`],
	['optIn', 'start please'],
	[undefined, 'bus stop|stop it|stopping|cancel my order|the end|yes|please|stop start|रोका|!|'],
])('reads as %s: %s', (intent, texts) => {
	const intents = texts.split('|').map((text) => readEvent(message(text)).intent);
	expect(new Set(intents)).toEqual(new Set([intent]));
});

test.each([
	['with a variation selector', '❤️ ☎️ ✋︎ ⚠️'],
	['that are punctuation', '❗️ ‼️ ⁉️ 〰️'],
	['that are keycaps', '1️⃣ #️⃣ *️⃣ 0⃣'],
	['that are letters', 'Ⓜ️ ℹ️ ™️ ©️ ®️ 🅰️ 🈚 🈂️ ㊙️'],
	['of several parts', '🙅‍♀️ 👩🏽‍❤️‍💋‍👨🏿 🏳️‍🌈 👨‍👩‍👧‍👦'],
	['with a skin tone', '✋🏿 ☝🏻 🖕🏽'],
	['that are flags', '🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
])('emoji %s do not matter: %s', (_, list) => {
	const emoji = list.split(' ');
	const texts = ['STOP', '停止', 'बंद करें'].flatMap((word) => [
		...emoji.flatMap((one) => [`${word}${one}`, `${word} ${one}${one}`, `${one} ${word}`]),
		`${word} ${list}`,
	]);
	const others = texts.filter((text) => readEvent(message(text)).intent !== 'optOut');
	expect(others).toEqual([]);
	expect(emoji.map((one) => readEvent(message(one)).intent)).toEqual(emoji.map(() => undefined));
});

test.each([
	['English', 'unsubscribe', 'subscribe'],
	['Arabic', 'توقف', 'اشترك'],
	['Bengali', 'বন্ধ', 'শুরু'],
	['Bulgarian', 'спрете', 'започни'],
	['Chinese', '取消订阅', '订阅'],
	['Czech', 'odhlásit', 'přihlásit'],
	['Danish', 'afmeld mig', 'tilmeld mig'],
	['Dutch', 'afmelden', 'aanmelden'],
	['Filipino', 'itigil', 'simulan'],
	['Finnish', 'lopeta', 'aloita'],
	['French', 'désabonner', 'réabonner'],
	['German', 'abmelden', 'anmelden'],
	['Greek', 'διαγραφή', 'εγγραφή'],
	['Hebrew', 'הסר', 'הצטרף'],
	['Hindi', 'रोकें', 'शुरू'],
	['Hungarian', 'leiratkozás', 'feliratkozás'],
	['Indonesian', 'berhenti', 'berlangganan'],
	['Italian', 'cancellami', 'iscrivimi'],
	['Japanese', '配信停止', '再開'],
	['Korean', '수신 거부', '수신 동의'],
	['Norwegian', 'meld meg av', 'meld meg på'],
	['Persian', 'لغو', 'شروع'],
	['Polish', 'wypisz mnie', 'zapisz mnie'],
	['Portuguese', 'descadastrar', 'inscrever'],
	['Romanian', 'dezabonare', 'abonare'],
	['Russian', 'отписаться', 'подписаться'],
	['Slovak', 'odhlásiť', 'prihlásiť'],
	['Spanish', 'darme de baja', 'darme de alta'],
	['Swahili', 'jiondoe', 'jiunge'],
	['Swedish', 'avregistrera', 'prenumerera'],
	['Tamil', 'நிறுத்தவும்', 'தொடங்கவும்'],
	['Thai', 'ยกเลิก', 'สมัคร'],
	['Turkish', 'durdur', 'başlat'],
	['Ukrainian', 'відписатися', 'підписатися'],
	['Urdu', 'بند کریں', 'شروع کریں'],
	['Vietnamese', 'hủy đăng ký', 'đăng ký'],
])('in %s, %s opts out and %s opts in', (_, optOut, optIn) => {
	const intents = [optOut, optIn].map((text) => readEvent(message(text)).intent);
	expect(intents).toEqual(['optOut', 'optIn']);
});

test('only the item of a message has an intent, next to the fields of the service', () => {
	expect(simplify(message('Stop', { from: '+15550001111' }))).toMatchObject({ intent: 'optOut' });
	expect(simplify(message('Hello'))).not.toHaveProperty('intent');
	expect(simplify({ ...message('Stop'), event: 'message.read' })).not.toHaveProperty('intent');
});

const asked = Date.parse('2030-01-31T10:00:00.500Z');

test.each([
	['2030-01-31T09:59:59Z', true],
	['2030-01-31T10:00:00Z', false], // rounded down, possibly after the question
	['2030-01-31T10:00Z', false], // in whole minutes
	['2030-01-31T09:59Z', true],
	['2030-01-31', false], // a date
	['2030-01-30', true],
	[Date.parse('2030-01-31T10:00Z') / 1_000, false],
	[asked / 1_000 - 2, true],
	[asked - 1, true],
	[String(asked + 1), false],
	[undefined, false],
])('a message of the time %p was written before the question: %p', (timestamp, isBefore) => {
	const { time } = toArrival(readIncoming(message('Hi', { from: '+15550001000', timestamp }), {}))!;
	expect(time !== undefined && time < asked).toBe(isBefore);
});

const later = asked + 40_000;

test.each([
	['2030-01-31T10:00:00Z', false],
	['2030-01-31T10:00:30Z', true],
	['2030-01-31T09:59:00Z', true],
])(
	'a message of the time %p was written before a question later in that minute: %p',
	(timestamp, isBefore) => {
		const { time } = toArrival(
			readIncoming(message('Hi', { from: '+15550001000', timestamp }), {}),
		)!;
		expect(time !== undefined && time < later).toBe(isBefore);
	},
);

const timeNames = [
	...['timestamp', 'time', 'occurredAt', 'occurred_at', 'OccurredAt', 'event_time', 'datetime'],
	...['created_at', 'createdAt', 'received_at', 'sent_at', 'sentAt', 'date', 'updated_at'],
];

describe.each(timeNames)('the time in %s', (name) => {
	const [early, late] = ['2030-01-31T10:00:01Z', '2030-01-31T10:00:02Z'];
	const places: Array<(time: unknown) => EventEnvelope> = [
		(time) => message('Hi', { id: 'm1', [name]: time }),
		(time) => message('Hi', { message: { id: 'm1', [name]: time } }),
		(time) => ({ ...message('Hi', { id: 'm1' }), [name]: time }),
	];

	test.each(places)(
		'is output in the item, wherever the service has it, and distinguishes two events',
		(place) => {
			expect([early, late].map((time) => simplify(place(time)).time)).toEqual([early, late]);
			const keys = [early, late, late].map((time) => deduplicationKeyOf(place(time), {}));
			expect(keys).toEqual([expect.any(String), expect.any(String), keys[1]]);
			expect(keys[0]).not.toBe(keys[1]);
		},
	);

	test('puts grouped messages in order', () => {
		const events = [late, early].map((time) =>
			readIncoming(message(time, { from: '+15550001111', [name]: time }), {}),
		);
		expect(toItems(events, { isSimplified: true, groupMs: 1_000 })).toMatchObject([
			{ text: `${early}\n${late}` },
		]);
	});

	test('is read if a clearer field is empty', () => {
		const empty = name === 'timestamp' ? 'time' : 'timestamp';
		expect(readEvent(message('Hi', { [empty]: null, [name]: early })).time).toBe(early);
	});
});
