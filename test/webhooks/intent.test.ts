/** Which messages are opt-outs or opt-ins. */
import { readEvent, simplify } from '../../nodes/BusinessMessaging/webhooks/simpleEvent';

const message = (text: unknown, data = {}) => ({
	event: 'message.received',
	data: { text, ...data },
});

test.each([
	[
		'optOut',
		[
			'STOP',
			' stop ',
			'Stop!',
			'*Stop*.',
			'/stop',
			'“Stop”',
			'stop 🙏',
			'ＳＴＯＰ',
			'Opt-out',
			'STOP  ALL',
		],
	],
	[
		'optOut',
		['Arret', 'ARRÊT', 'Se désabonner', 'Stopp', 'baja', 'SAIR', 'Rezygnuje', 'Abonelikten çık'],
	],
	[
		'optOut',
		[
			'ABONELİKTEN ÇIK',
			'إيقاف',
			'ايقاف',
			'रोकें',
			'बंद करें।',
			'Berhenti',
			'СТОП!',
			'退订',
			'Dừng',
			'הסר',
		],
	],
	[
		'optIn',
		[
			'START',
			'unstop',
			'S’abonner',
			'Anmelden',
			'Başla',
			'ابدا',
			'शुरू',
			'mulai',
			'Начать',
			'Empezar',
		],
	],
	[
		undefined,
		[
			'bus stop',
			'stop please',
			'Please stop',
			"don't stop",
			'stopping',
			'cancel',
			'end',
			'yes',
			'रोका',
			'',
			'!',
			7,
			null,
		],
	],
])('reads as %s: %j', (intent, texts) => {
	expect(texts.map((text) => readEvent(message(text)).intent)).toEqual(texts.map(() => intent));
});

test('stands in the item of a message, beside what else the service sends, and of nothing else', () => {
	expect(simplify(message('Stop', { from: '+15550001111' }))).toMatchObject({ intent: 'optOut' });
	expect(simplify(message('Hello'))).not.toHaveProperty('intent');
	expect(simplify({ ...message('Stop'), event: 'message.read' })).not.toHaveProperty('intent');
});
