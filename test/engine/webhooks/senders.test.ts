/** The sender of a message: a number, an ID behind which the service hides the number, or both; and the message that it quotes. */
import type { EventEnvelope } from '../../../nodes/BusinessMessaging/api/events';
import { toArrival } from '../../../nodes/BusinessMessaging/inbox/arrival';
import { readIncoming } from '../../../nodes/BusinessMessaging/webhooks/incomingEvent';
import { isPersonId } from '../../../nodes/BusinessMessaging/phone/readPhone';
import { passesFilters } from '../../../nodes/BusinessMessaging/trigger/filters';
import { toItems } from '../../../nodes/BusinessMessaging/trigger/toItems';
import { readEvent, simplify } from '../../../nodes/BusinessMessaging/webhooks/simpleEvent';

const received = (data: Record<string, unknown>): EventEnvelope => ({
	event: 'message.received',
	data: { text: 'Hi', ...data },
});
const id = 'US.13491208655302741918';
const number = '+15550001001';
const both = { from: number, senderId: id };
const hidden = { from: id, senderId: id };
const onlyNumber = { from: number };

test.each<[Record<string, unknown>, Record<string, unknown>]>([
	// a number alone
	[{ from: number }, onlyNumber],
	[{ from: 15550001001 }, onlyNumber],
	[{ from: 'whatsapp:+15550001001' }, onlyNumber],
	[{ from: '15550001001@c.us' }, onlyNumber],
	[{ from: { phone: number, name: 'Anna 2' } }, onlyNumber],
	[{ from: { phone: number, id: number } }, onlyNumber],
	[{ from: number, fromId: '15550001001' }, onlyNumber],
	// an ID alone
	[{ from: id }, hidden],
	[{ from: '132857201@lid' }, { from: '132857201@lid', senderId: '132857201@lid' }],
	[{ from: '12345678901234567' }, { from: '12345678901234567', senderId: '12345678901234567' }],
	[{ from: { id } }, hidden],
	[{ from: { user_id: id, phone: null } }, hidden],
	[{ from: { address: id } }, hidden],
	[{ from: { bsuid: id, id: 'contact-7', username: '@anna' } }, hidden],
	[{ from: { id: 4711, name: 'Anna' } }, { from: '4711', senderId: '4711' }],
	[{ from: null, from_user_id: id }, hidden],
	[{ senderId: id }, hidden],
	[{ message: { from: id } }, hidden],
	[{ message: { fromUserId: id } }, hidden],
	// both
	[{ from: { phone: number, userId: id } }, both],
	[{ from: number, fromUserId: id }, both],
	[{ from: '15550001001', sender_user_id: id }, both],
	[{ message: { from: { number: '15550001001', lid: id } } }, both],
	// neither
	[{ from: 'Anna' }, { from: 'Anna' }],
	[{ from: 'anna5@example.org' }, { from: 'anna5@example.org' }],
	[{ from: '40404' }, { from: '40404' }],
	[{ from: '+999123' }, { from: '+999123' }],
	[{ from: 'x'.repeat(200) + '1' }, { from: 'x'.repeat(200) + '1' }],
	[{ from: { name: 'Anna' } }, { from: { name: 'Anna' } }],
	[{ from: { id: { of: 'somebody' } } }, { from: { id: { of: 'somebody' } } }],
	[{ from: { id: '9'.repeat(200) } }, { from: { id: '9'.repeat(200) } }],
	[{}, {}],
])('%j becomes %j', (data, expected) => {
	const { from, senderId } = simplify(received(data));
	expect({ from, senderId }).toEqual({ from: undefined, senderId: undefined, ...expected });
});

test('an object stays in the item, beside the number or ID that was found in it', () => {
	const from = { user_id: id, name: 'Anna' };
	expect(simplify(received({ from }))).toMatchObject({ from: id, fromDetails: from });
});

test('only the sender of a customer’s message has an ID; the sender of a receipt is the business', () => {
	const event = { event: 'message.read', data: { id: 'm1', from: id, to: number } };
	expect(simplify(event)).toEqual({ event: 'message.read', from: id, to: number, messageId: 'm1' });
});

test('messages of one person without a number are grouped, and messages of two such people are not', () => {
	const events = ['US.1000001', 'US.1000002', 'US.1000001'].map((from, index) =>
		readIncoming(received({ from: { id: from, tries: index }, text: `${index}` }), {}),
	);
	expect(toItems(events, { isSimplified: true, groupMs: 1_000 }).map(({ text }) => text)).toEqual([
		'0\n2',
		'1',
	]);
});

test.each<[string, object, boolean]>([
	['senders', { from: id }, true],
	['senders', { from: number, fromUserId: id }, true],
	['senders', { from: number }, false],
	['excludedSenders', { from: number, fromUserId: id }, false],
	['excludedSenders', { from: 'US.999' }, true],
])('the filter %s with an ID lets %j pass: %s', (name, data, passes) => {
	for (const entry of [id, id.toLowerCase(), 'US.134*'])
		expect(passesFilters({ [name]: entry }, readEvent(received({ ...data })))).toBe(passes);
});

test.each<[Record<string, unknown>]>([
	[{ context: { id: 'q1' } }],
	[{ context: { message_id: 'q1', from: '15550000000' } }],
	[{ context: { quotedMessage: { id: 'q1' } } }],
	[{ contextInfo: { stanzaId: 'q1' } }],
	[{ contextMessageId: 'q1' }],
	[{ quotedMessageId: 'q1' }],
	[{ quoted_message: { _id: 'q1' } }],
	[{ quotedMsgId: 'q1' }],
	[{ quotedStanzaID: 'q1' }],
	[{ quoted: 'q1' }],
	[{ replyTo: 'q1' }],
	[{ replyTo: { messageId: 'q1' } }],
	[{ reply_to_message: { message_id: 'q1' } }],
	[{ replyToMessageId: 'q1' }],
	[{ inReplyTo: 'q1' }],
	[{ in_reply_to_id: 'q1' }],
	[{ replyContextId: 'q1' }],
	[{ OriginalRepliedMessageSid: 'q1' }],
	[{ context: { isForwarded: true }, inReplyTo: 'q1' }],
	[{ message: { id: 'm1', context: { id: 'q1' } } }],
])('%j quotes a message', (data) => {
	for (const from of [number, id, undefined])
		expect(toArrival(readIncoming(received({ id: 'm1', from, ...data }), {}))?.quoted).toBe('q1');
});

test.each<[Record<string, unknown>]>([
	[{ id: 'm1' }],
	[{ context: { isForwarded: true } }],
	[{ replyTo: '' }],
	[{ conversationId: 'q1', messageId: 'm1', replies: ['q1'], contextual: 'q1' }],
])('%j quotes no message', (data) => {
	expect(toArrival(readIncoming(received({ from: id, ...data }), {}))).not.toHaveProperty('quoted');
});

const million = 1e6;

// A regular expression that backtracks over such a text would take hours.
test.each([
	['digits', '1'.repeat(million)],
	['letters', 'a'.repeat(million)],
	['dots', `${'.'.repeat(million)}1`],
	['addresses', `1${'@a'.repeat(million)}`],
	['a million IDs in a row with ! at the end', `${'US.1'.repeat(million)}!`],
	['digits and letters around an @', `${'1a'.repeat(63)}@${'a'.repeat(21)}`],
])('%s are not an ID', (_, text) => {
	expect(isPersonId(text)).toBe(false);
	expect(simplify(received({ from: text }))).not.toHaveProperty('senderId');
});
