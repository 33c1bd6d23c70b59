/** Which deliveries are the same event, for whatever a service may put into them. */
import { deduplicationKeyOf } from '../../nodes/BusinessMessaging/webhooks/deduplicationKey';

interface Delivered {
	body: { event: string; data: Record<string, unknown>; [key: string]: unknown };
	headers?: Record<string, unknown>;
}

const keyOf = ({ body, headers = {} }: Delivered) => deduplicationKeyOf(body, headers);

const of = (event: string, data: Record<string, unknown>, beside: object = {}) => ({
	body: { event, data, ...beside },
});
const message = (data: object, beside?: object) =>
	of('message.received', { from: '+15550001111', text: 'ok', ...data }, beside);
const assigned = (data: object = {}, beside?: object) =>
	of('conversation.assigned', { id: 'conv_1', assignee: 'Ann', ...data }, beside);
const withHeader = (delivered: Delivered, id: string) => ({
	...delivered,
	headers: { 'webhook-id': id },
});
const [early, late] = ['2030-01-31T10:00:00Z', '2030-01-31T10:05:00Z'];
/** Two deliveries that differ in one value. */
const pair = <T>(make: (value: T) => Delivered, one: T, other: T): [Delivered, Delivered] => [
	make(one),
	make(other),
];

test.each<[string, [Delivered, Delivered]]>([
	['two texts', pair((text) => message({ id: 'conv_1', text }), 'hello', 'bye')],
	['one text at two times', pair((timestamp) => message({ id: 'c', timestamp }), early, late)],
	[
		'one text with the times beside the payload',
		pair((timestamp) => message({ id: 'conv_1' }, { timestamp }), early, late),
	],
	[
		'one text without times, with identifiers of the event',
		pair((eventId) => message({ id: 'conv_1' }, { eventId }), 'e1', 'e2'),
	],
	[
		"two people under one contact's identifier",
		pair((from) => message({ id: 'c1', timestamp: early, from }), '+15550001111', '+15550002222'),
	],
	[
		'two messages that differ deeper in the payload',
		pair((id) => message({ id: 'c', timestamp: early, message: { id, text: 'ok' } }), 'm1', 'm2'),
	],
	['one change at two times', pair((timestamp) => assigned({ timestamp }), early, late)],
	[
		"one change with the account's identifier and the time beside it",
		pair((timestamp) => assigned({}, { id: 'account', timestamp }), early, late),
	],
	[
		"one change with the conversation's age in it",
		pair((timestamp) => assigned({ createdAt: early }, { timestamp }), early, late),
	],
	[
		'two appointments for one hour, whose time is not that of the event',
		pair((timestamp) => of('booking.changed', { id: 'b', time: '10:00' }, { timestamp }), 1, 2),
	],
	[
		'two messages that a customer has read at once',
		pair((id) => of('message.read', { id: 'c', messageId: id, timestamp: early }), 'm1', 'm2'),
	],
	[
		'two statuses deeper in the payload',
		pair((status) => of('message.updated', { id: 'm', message: { status } }), 'sent', 'read'),
	],
	['two kinds of receipt', pair((event) => of(event, { id: '5' }), 'message.sent', 'message.read')],
	['two headers of Standard Webhooks', pair((id) => withHeader(assigned(), id), 'e1', 'e2')],
])('treats %s as two events', (_, deliveries) => {
	const keys = deliveries.map(keyOf);
	expect(keys).toEqual([expect.any(String), expect.any(String)]);
	expect(new Set(keys).size).toBe(2);
});

test.each<[string, Delivered]>([
	['a change without identifier and time', assigned()],
	["a change with the record's own time", assigned({ createdAt: early })],
	['a text without identifiers', message({ timestamp: early })],
	["a text under a contact's identifier without a time", message({ contactId: 'c1' })],
	['an empty header', withHeader(assigned(), '')],
])('treats every delivery of %s as a new event', (_, delivered) => {
	expect(keyOf(delivered)).toBeUndefined();
});

test.each<[string, [Delivered, Delivered]]>([
	[
		'with another number and time of the delivery',
		pair((n) => message({ id: 'm1', timestamp: early }, { timestamp: n, attempt: n }), 1, 2),
	],
	[
		'with another identifier of the delivery, beside the payload and in the headers',
		pair((id) => withHeader(message({ id: 'm1', timestamp: early }, { id }), id), 'd1', 'd2'),
	],
	[
		'that counts its deliveries in the payload',
		pair((attempt) => message({ id: 'm1', timestamp: early, attempt, delivery_id: attempt }), 1, 2),
	],
	[
		'with its fields in another order',
		[
			message({ id: 'm1', timestamp: early, contact: { id: 'c1', name: 'Ann' } }),
			message({ contact: { name: 'Ann', id: 'c1' }, timestamp: early, id: 'm1' }),
		],
	],
	[
		'by a time one level deeper, whatever time the delivery has',
		pair((timestamp) => message({ id: 'm1', message: { time: early } }, { timestamp }), 1, 2),
	],
	["without any time, under the message's identifier", pair((id) => message({ id }), 'm1', 'm1')],
	[
		'with a header of Standard Webhooks and another time of the delivery',
		pair((timestamp) => withHeader(assigned({}, { timestamp }), 'e1'), early, late),
	],
	[
		'with an identifier of the event and another number of the delivery',
		pair((attempt) => assigned({}, { event_id: 'e1', attempt, sentAt: attempt }), 1, 2),
	],
	[
		'by the time and the identifier of something else than a message',
		pair((attempt) => of('order.paid', { orderId: 7, timestamp: early }, { attempt }), 1, 2),
	],
	[
		'that is a receipt under another name',
		pair((event) => of(event, { id: 'm1', timestamp: early }), 'message.read', 'message_read'),
	],
])('recognizes an event %s', (_, [one, again]) => {
	expect(keyOf(one)).toEqual(expect.any(String));
	expect(keyOf(again)).toBe(keyOf(one));
});
