/** The usual fields of an event, wherever a service has them. */
import { isObject } from 'lodash';

import {
	localSenderOf,
	readEvent,
	senderIn,
	simplify,
	withCountryCode,
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

test.each<[string, Record<string, unknown>, string]>([
	['its own time', { text: 'Hi', timestamp: '1' }, '1'],
	[
		'its own time, rather than the one under message',
		{ timestamp: '1', message: { time: '2' } },
		'1',
	],
	['the time under message', { message: { text: 'Hi', timestamp: '2' } }, '2'],
	['the time of the delivery, if there is no other', { text: 'Hi' }, '3'],
])('the time of a message is %s', (_, data, time) => {
	expect(readEvent({ ...received(data), timestamp: '3' }).time).toBe(time);
});

const tap = { id: 'b1', payload: 'b1', title: 'Yes' };
const typed = { type: 'button_reply', button_reply: tap };

test.each<[string, Record<string, unknown>]>([
	['button.text', { type: 'button', button: { text: 'Yes', payload: 'b1' } }],
	['button_reply.title', { button_reply: tap }],
	['buttonReply.title', { buttonReply: tap }],
	['interactive.button_reply.title', { type: 'interactive', interactive: typed }],
	['interactive.list_reply.title', { interactive: { type: 'list_reply', list_reply: tap } }],
	['content.interactive', { content: { type: 'interactive', interactive: typed } }],
	['message.content', { message: { content: typed } }],
	['message.interactive', { message: { interactive: { list_reply: tap } } }],
	['buttonText', { buttonText: 'Yes', buttonPayload: 'b1' }],
	['button', { button: 'Yes' }],
	['button_reply beside an empty text', { text: '', button_reply: tap }],
	['button_reply beside no text', { text: null, button_reply: tap }],
])('the text of a tap is its label, in %s', (_, data) => {
	expect(readEvent(received(data)).text).toBe('Yes');
	expect(simplify(received(data))).toMatchObject({ ...data, text: 'Yes' });
});

test.each<[string, Record<string, unknown>, unknown]>([
	['a written text counts more', { text: 'No', button_reply: tap }, 'No'],
	['an empty label', { text: '', button: { text: ' ', payload: 'b1' } }, ''],
	['an ID alone', { button: { payload: 'b1' } }, undefined],
	['a type alone', { interactive: 'button', button: true }, undefined],
])('the text beside a tap: %s', (_, data, text) => {
	expect(readEvent(received(data)).text).toBe(text);
});

test.each<[country: string, from: unknown, shown: unknown]>([
	['GB', '07700 900123', '+447700900123'],
	['GB', '(07700) 900123', '+447700900123'],
	['US', 2125550123, '+12125550123'],
	['ES', '612345678', '+612345678'], // services write numbers with their country, in doubt
	['GB', { name: 'Anna', phone: '07700900123' }, '+447700900123'],
	['GB', { name: 'Anna', msisdn: '07700900123' }, '+447700900123'],
	// A number with its country, a short number, an ID and a name stay as they are.
	['GB', '+33612345678', '+33612345678'],
	['GB', '33612345678', '+33612345678'],
	['GB', '60123', '60123'],
	['GB', '0770090012', '0770090012'],
	['GB', '07700900123456789', '07700900123456789'],
	['GB', 'Acme', 'Acme'],
	['none', '07700900123', '07700900123'],
])('with the country %s, the sender %j is %s', (country, from, shown) => {
	for (const data of [{ from }, { message: { from } }]) {
		const event = withCountryCode(received(data), country);
		expect(readEvent(event).from).toBe(shown);
		const { fromDetails } = simplify(withCountryCode(received({ from }), country));
		expect(fromDetails).toEqual(
			isObject(from) ? expect.objectContaining({ name: 'Anna' }) : undefined,
		);
	}
});

test('only the sender of a message gets a country code', () => {
	const receipt = { event: 'message.read', data: { from: '07700900123', to: '07700900124' } };
	expect(withCountryCode(receipt, 'GB')).toBe(receipt);
	expect(localSenderOf(receipt)).toBeUndefined();
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
	expect(senderIn(readEvent(received(data)))).toBe(sender);
	expect(senderIn(readEvent({ event: 'message.read', data }))).toBeUndefined();
});
