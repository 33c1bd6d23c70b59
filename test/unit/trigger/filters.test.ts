/** Filters, on events as the trigger reads them. */
import {
	checkSenders,
	passesFilters,
	type Filters,
} from '../../../nodes/BusinessMessaging/trigger/filters';
import type { SimpleEvent } from '../../../nodes/BusinessMessaging/webhooks/simpleEvent';

const message = (text?: unknown, from: unknown = '+491701234567') => ({
	event: 'message.received',
	from,
	text,
	messageId: 'm1',
});
const optOut = { ...message('Stop!'), intent: 'optOut' };
const receipt = (status: string) => ({
	event: `message.${status}`,
	to: '+491701234567',
	status,
	messageId: 'm1',
});

test.each<[filters: Filters, passing: object, other: object]>([
	[{ senders: '+49 170 123-4567' }, message('x'), message('x', '+491701234568')],
	[{ senders: '0049 (170) 1234567, +1555*' }, message('x', '15550001'), message('x', '+1556')],
	[{ senders: '+52 1 55 1234 5678' }, message('x', '+525512345678'), message('x', '+525512345679')],
	[{ senders: '+521*' }, message('x', '+5215512345678'), message('x', '+5255123')],
	[{ senders: '+55119*' }, message('x', '+551187654321'), message('x', '+551123456789')],
	[{ senders: ['+4917*', '+1555*'] }, message('x'), message('x', '+33123')],
	[{ senders: 'Acme' }, message('x', 'ACME'), message('x', 'Acme Inc')],
	[{ senders: '+49*', excludedSenders: '+491701234567' }, message('x', '+4917'), message('x')],
	[{ textContains: 'invoice, Bill' }, message('my BILL please'), message('my order')],
	[{ textContains: 'invoice' }, receipt('read'), message(undefined)],
	[{ textContains: 'iade' }, message('İADE istiyorum'), message('idea')],
	[{ textContains: 'straße' }, message('Hauptstrasse 1'), message('Straw')],
	[{ textContains: 'für' }, message('fu\u0308r mich'), message('vor mir')],
	[{ textContains: '가방' }, message('가방을 사고 싶어요'), message('각방')],
	[{ firstWords: 'iptal' }, message('İptal lütfen'), message('iptali')],
	[{ firstWords: 'İADE' }, message('iade?'), message('iad')],
	[{ firstWords: 'stop' }, message('STOP。'), message('stops。')],
	[{ firstWords: 'stop' }, message('“stop！”'), message('#stop')],
	[{ firstWords: 'قف' }, message('قف؟'), message('قفز')],
	[{ firstWords: 'für' }, message('FU\u0308R'), message('führen')],
	[{ firstWords: '?' }, message('?'), message('!')],
	[{ intent: 'optOut' }, optOut, message('bus stop')],
	[{ intent: 'none' }, message('stop it'), optOut],
	[{ firstWords: 'stop, /help' }, message('STOP! now'), message('please stop')],
	[{ firstWords: 'stop, help' }, message('/Help'), message('')],
	[{ firstWords: ' and/or' }, message('\n And/or?'), message('andor')],
	[{ firstWords: 'stop', textContains: 'now' }, message('stop now'), message('stop')],
	[{ statuses: 'read, failed' }, receipt('failed'), receipt('sent')],
	[{ statuses: 'read' }, message('Hi'), { event: 'message.failed' }],
	[{ statuses: 'failed' }, { ...receipt('failed'), status: 'UNDELIVERED' }, receipt('sent')],
	[
		{ statuses: 'read' },
		{ event: 'contact.created' },
		{ event: 'receipt.changed', status: 'sent', messageId: 'm2' },
	],
	[
		{ senders: '+1*', textContains: 'order' },
		{ ...receipt('failed'), from: '+4930123456', text: 'Hi' },
		{ ...message('Hi', '+1555'), event: 'message.reaction' },
	],
	[{ senders: '24' }, message('x', '24'), message('x', 'Shop 24')],
	[{ senders: '24' }, message('x', '24'), message('x', '24 Shop')],
	[{ senders: '0049170*' }, message('x', '+491701234567'), message('x', '+33170')],
	[{ senders: '+49170012*' }, message('x', '+491700123'), message('x', '+491701299')],
	[{ senders: '+55119*' }, message('x', '+551187654321'), message('x', '+55118765432100')],
	[{ senders: '+155119*' }, message('x', '+15511912'), message('x', '+1551187654321')],
	[{ intent: 'any', senders: '+49*' }, message('x', '+4917'), message('x', '+1555')],
	[{ senders: '+49*', textContains: 'a' }, { event: 'contact.created' }, message('b', '+4917')],
	[
		{ statuses: 'failed' },
		{ event: 'whatsapp.message.failed', messageId: 'm1' },
		{ event: 'whatsapp.message.sent', messageId: 'm1' },
	],
])('%j lets %j through and holds %j back', (filters, passing, other) => {
	expect([passing, other].map((event) => passesFilters(filters, event as SimpleEvent))).toEqual([
		true,
		false,
	]);
});

test.each(['0170 123', '0170*', '+49170, (0170) 123', ['0170']].map((senders) => [senders]))(
	'a local number among the senders %j is refused, and the error says how to write it',
	(senders) => {
		const refused = expect.objectContaining({
			message: expect.stringMatching(/^".*170.*" in 'Filters' has no country code$/),
			description: expect.stringContaining('Write it with + and the country code'),
		});
		expect(() => checkSenders(senders)).toThrow(refused);
	},
);

test.each(['', '0049 170', '+49 (0) 170', '(0049) 170', '170', '0170 Shop', 'Acme', '*'])(
	'"%s" can be a sender',
	(senders) => {
		expect(() => checkSenders(senders)).not.toThrow();
	},
);
