/** The usual fields of an event, wherever a service has them. */
import {
	readEvent,
	senderOf,
	simplify,
} from '../../../nodes/BusinessMessaging/webhooks/simpleEvent';

const received = (data: Record<string, unknown>) => ({ event: 'message.received', data });

test.each<[string, Record<string, unknown>, string | undefined]>([
	['alone', { text: 'Hi' }, 'Hi'],
	['as text.body', { text: { body: 'Hi' } }, 'Hi'],
	['as text.text', { text: { text: 'Hi' } }, 'Hi'],
	['two levels deep', { text: { body: { text: 'Hi' } } }, 'Hi'],
	['as body rather than as text', { text: { body: 'Hi', text: 'other' } }, 'Hi'],
	['under message', { message: { content: { text: 'Hi' } } }, 'Hi'],
	['three levels deep, which is not read', { text: { body: { text: { body: 'Hi' } } } }, undefined],
])('a text %s', (_, data, text) => {
	expect(readEvent(received(data)).text).toBe(text);
});

test.each<[string, Record<string, unknown>, unknown]>([
	['at the top', { status: 'read', message: { status: 'sent' } }, 'read'],
	['that is a number', { status: 7, message: { status: 'sent' } }, 7],
	['inside the message', { message: { status: 'sent' } }, 'sent'],
	['of no kind', {}, undefined],
])('a status %s', (_, data, status) => {
	expect(simplify({ event: 'message.read', data }).status).toBe(status);
});

test.each<[string, object, object]>([
	['a number', { to: 'whatsapp:+15550001001' }, { to: '+15550001001' }],
	[
		'a number in an object',
		{ to: { phone: '15550001001', name: 'Anna' } },
		{ to: '+15550001001', toDetails: { phone: '15550001001', name: 'Anna' } },
	],
	['an object without a number', { to: { name: 'Anna' } }, { to: { name: 'Anna' } }],
	['a number of the business', { from: '15550002002' }, { from: '+15550002002' }],
])('the people of a receipt: %s', (_, data, expected) => {
	expect(simplify({ event: 'message.read', data: { ...data } })).toEqual({
		event: 'message.read',
		...expected,
	});
});

test.each([
	['US.' + '1'.repeat(125), true],
	['US.' + '1'.repeat(126), false],
])('an ID beside the sender has at most 128 characters: %s', (senderId, isRead) => {
	expect(simplify(received({ from: 'Anna', sender_id: senderId })).senderId).toBe(
		isRead ? senderId : undefined,
	);
});

test.each<[Record<string, unknown>, string | undefined]>([
	[{ from: '15550001001' }, '+15550001001'],
	[{ from: '5215512345678', senderId: 'US.1349' }, '+525512345678'],
	[{ from: { id: 'US.1349' } }, 'US.1349'],
	[{ from: 'ACME' }, 'ACME'],
	[{ from: '' }, undefined],
	[{}, undefined],
])('the sender of %j is %j', (data, sender) => {
	expect(senderOf(received(data))).toBe(sender);
	expect(senderOf({ event: 'message.read', data })).toBeUndefined();
});
