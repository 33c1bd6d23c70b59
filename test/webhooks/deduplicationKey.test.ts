/** Which deliveries are the same event, for whatever a service may put into them. */
import { deduplicationKeyOf } from '../../nodes/BusinessMessaging/webhooks/deduplicationKey';

interface Delivered {
	body: { event: string; data: Record<string, unknown>; [key: string]: unknown };
	headers?: Record<string, unknown>;
}

const keyOf = ({ body, headers = {} }: Delivered) => deduplicationKeyOf(body, headers);

const from = '+15550001111';
const message = (data: object, beside: object = {}) => ({
	body: { event: 'message.received', data: { from, text: 'ok', ...data }, ...beside },
});
const assigned = (assignee: string, data: object = {}, beside: object = {}) => ({
	body: { event: 'conversation.assigned', data: { id: 'conv_1', assignee, ...data }, ...beside },
});
const [early, late] = ['2030-01-31T10:00:00Z', '2030-01-31T10:05:00Z'];

test.each<[string, Delivered, Delivered]>([
	[
		"two texts under the conversation's identifier",
		message({ id: 'conv_1', text: 'hello' }),
		message({ id: 'conv_1', text: 'bye' }),
	],
	[
		"the same text twice under the conversation's identifier",
		message({ id: 'conv_1', timestamp: early }),
		message({ id: 'conv_1', timestamp: late }),
	],
	[
		'the same with the times beside the payload',
		message({ id: 'conv_1' }, { timestamp: early }),
		message({ id: 'conv_1' }, { timestamp: late }),
	],
	[
		'the same without times, as events with identifiers of their own',
		message({ id: 'conv_1' }, { eventId: 'e1' }),
		message({ id: 'conv_1' }, { eventId: 'e2' }),
	],
	[
		'two people under the identifier of one contact',
		message({ id: 'c1', timestamp: early }),
		message({ id: 'c1', timestamp: early, from: '+15550002222' }),
	],
	[
		'two pictures of one moment',
		message({ id: 'conv_1', timestamp: early, text: undefined, image: { url: 'https://a/1' } }),
		message({ id: 'conv_1', timestamp: early, text: undefined, image: { url: 'https://a/2' } }),
	],
	[
		'a message deeper in the payload',
		message({ id: 'conv_1', text: undefined, message: { id: 'm1', text: 'ok', timestamp: early } }),
		message({ id: 'conv_1', text: undefined, message: { id: 'm2', text: 'ok', timestamp: early } }),
	],
	[
		'a conversation that goes back to Ann at another time',
		assigned('Ann', { timestamp: early }),
		assigned('Ann', { timestamp: late }),
	],
	[
		'the same with the time beside the payload',
		assigned('Ann', {}, { timestamp: early }),
		assigned('Ann', {}, { timestamp: late }),
	],
	[
		"the same with the account's identifier beside it",
		assigned('Ann', {}, { id: 'account', timestamp: early }),
		assigned('Ann', {}, { id: 'account', timestamp: late }),
	],
	[
		"the same with the conversation's own age in it",
		assigned('Ann', { createdAt: early }, { timestamp: early }),
		assigned('Ann', { createdAt: early }, { timestamp: late }),
	],
	[
		"two appointments at one time, as an event's time does not change back",
		{ body: { event: 'booking.changed', data: { id: 'b', time: '10:00' }, timestamp: early } },
		{ body: { event: 'booking.changed', data: { id: 'b', time: '10:00' }, timestamp: late } },
	],
	[
		'two messages that a customer has read at once',
		{ body: { event: 'message.read', data: { id: 'conv_1', messageId: 'm1', timestamp: early } } },
		{ body: { event: 'message.read', data: { id: 'conv_1', messageId: 'm2', timestamp: early } } },
	],
	[
		'two statuses that only a nested field tells apart',
		{ body: { event: 'message.updated', data: { id: 'm', message: { status: 'sent' } } } },
		{ body: { event: 'message.updated', data: { id: 'm', message: { status: 'read' } } } },
	],
	[
		'two headers of Standard Webhooks',
		{ ...assigned('Ann'), headers: { 'webhook-id': 'e1' } },
		{ ...assigned('Ann'), headers: { 'webhook-id': 'e2' } },
	],
])('takes %s for two events', (_, one, other) => {
	const keys = [keyOf(one), keyOf(other)];
	expect(keys).toEqual([expect.any(String), expect.any(String)]);
	expect(new Set(keys).size).toBe(2);
});

test.each<[string, Delivered]>([
	['a change without identifier and time', assigned('Ann')],
	["a change with the record's own time", assigned('Ann', { createdAt: early })],
	['a text without identifiers', message({ timestamp: early })],
	["a text under a contact's identifier without a time", message({ contactId: 'c1' })],
	['an empty header', { ...assigned('Ann'), headers: { 'webhook-id': '' } }],
])('takes every delivery of %s for an event', (_, delivered) => {
	expect(keyOf(delivered)).toBeUndefined();
});

test.each<[string, Delivered, Delivered]>([
	[
		'with another time and number of the delivery',
		message({ id: 'm1', timestamp: early }, { timestamp: early, attempt: 1 }),
		message({ id: 'm1', timestamp: early }, { timestamp: late, attempt: 2 }),
	],
	[
		'with another identifier of the delivery, beside the payload and in the headers',
		{ ...message({ id: 'm1', timestamp: early }, { id: 'd1' }), headers: { 'webhook-id': 'd1' } },
		{ ...message({ id: 'm1', timestamp: early }, { id: 'd2' }), headers: { 'webhook-id': 'd2' } },
	],
	[
		'that counts its deliveries in the payload',
		message({ id: 'm1', timestamp: early, attempt: 1, delivery_id: 'd1' }),
		message({ id: 'm1', timestamp: early, attempt: 2, delivery_id: 'd2', retryCount: 1 }),
	],
	[
		'with its fields in another order',
		message({ id: 'm1', timestamp: early, contact: { id: 'c1', name: 'Ann' } }),
		message({ contact: { name: 'Ann', id: 'c1' }, timestamp: early, id: 'm1' }),
	],
	[
		'without any time, under the identifier of the message',
		message({ id: 'm1' }),
		message({ id: 'm1' }),
	],
	[
		'with a header of Standard Webhooks and another time of the delivery',
		{ ...assigned('Ann', {}, { timestamp: early }), headers: { 'webhook-id': 'e1' } },
		{ ...assigned('Ann', {}, { timestamp: late }), headers: { 'webhook-id': 'e1' } },
	],
	[
		'with an identifier of the event and another number of the delivery',
		assigned('Ann', {}, { event_id: 'e1', attempt: 1, sentAt: early }),
		assigned('Ann', {}, { event_id: 'e1', attempt: 2, sentAt: late }),
	],
	[
		'by the time and the identifier of something else than a message',
		{ body: { event: 'order.paid', data: { orderId: 7, timestamp: early } } },
		{ body: { event: 'order.paid', data: { timestamp: early, orderId: 7 }, attempt: 2 } },
	],
	[
		'that is a receipt under another name',
		{ body: { event: 'message.read', data: { id: 'm1', timestamp: early } } },
		{ body: { event: 'message_read', data: { id: 'm1', timestamp: early } } },
	],
])('knows an event again %s', (_, one, again) => {
	expect(keyOf(one)).toEqual(expect.any(String));
	expect(keyOf(again)).toBe(keyOf(one));
});
