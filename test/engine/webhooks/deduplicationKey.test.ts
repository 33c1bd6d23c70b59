/** Which deliveries are the same event, whatever a service puts into them. */
import { uniq } from 'lodash';

import { deduplicationKeyOf } from '../../../nodes/BusinessMessaging/webhooks/deduplicationKey';

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
const ofProxy = (id: string) =>
	Object.fromEntries(
		[
			'x-request-id',
			'request-id',
			'x-amzn-trace-id',
			'traceparent',
			'x-correlation-id',
			'date',
		].map((name) => [name, id]),
	);
const [early, late] = ['2030-01-31T10:00:00Z', '2030-01-31T10:05:00Z'];
/** A message's own ID and time. */
const own = { id: 'm1', timestamp: early };
/** Two deliveries that differ in one value. */
const pair = <T>(make: (value: T) => Delivered, one: T, other: T): [Delivered, Delivered] => [
	make(one),
	make(other),
];

type Pair = [Delivered, Delivered];

test.each<[string, Pair]>([
	['two texts', pair((text) => message({ id: 'conv_1', text }), 'hello', 'bye')],
	['one text at two times', pair((timestamp) => message({ id: 'c', timestamp }), early, late)],
	[
		'one text with two times beside it',
		pair((time) => message({ id: 'c' }, { time }), early, late),
	],
	['one text with two event IDs', pair((eventId) => message({ id: 'c' }, { eventId }), 'e1', 'e2')],
	[
		'two messages that differ deeper in the payload',
		pair((id) => message({ id: 'c', timestamp: early, message: { id, text: 'ok' } }), 'm1', 'm2'),
	],
	['one change at two times', pair((timestamp) => assigned({ timestamp }), early, late)],
	[
		"one change with the account's ID at two times",
		pair((timestamp) => assigned({}, { id: 'account', timestamp }), early, late),
	],
	[
		"one change at two times, with the conversation's creation time",
		pair((timestamp) => assigned({ createdAt: early }, { timestamp }), early, late),
	],
	[
		'two changes of one thing without an ID',
		pair((id) => of('account.updated', { plan: 'pro' }, { id }), 'e1', 'e2'),
	],
	['two kinds of receipt', pair((event) => of(event, { id: '5' }), 'message.sent', 'message.read')],
	[
		'one change with two IDs in the headers of Standard Webhooks',
		pair((id) => withHeader(assigned(), id), 'e1', 'e2'),
	],
])('treats %s as two events', (_, deliveries) => {
	const keys = deliveries.map(keyOf);
	expect(keys).toEqual([expect.any(String), expect.any(String)]);
	expect(new Set(keys).size).toBe(2);
});

test.each<[string, object, string?]>([
	['nothing', {}],
	["the account's ID", { id: 'account' }],
	["the account's ID and one time", { id: 'account', timestamp: early }],
	['one time', { timestamp: early }],
	['one event ID', { eventId: 'e1' }],
	['one ID in the headers of Standard Webhooks', {}, 'e1'],
])('never takes two different messages for one, with %s beside them', (_, beside, id = '') => {
	const payloads = [
		...[{}, { text: 'bye' }, { from: '+15550002222' }, { contactId: 'c1' }],
		...[{ id: 'm1' }, { id: 'm2' }, { id: 'm1', text: 'bye' }],
		...[own, { ...own, id: 'm2' }, { ...own, text: 'bye' }, { ...own, timestamp: late }],
	];
	const deliveries = payloads.map((data) => message(data, beside));
	const keys = deliveries.map((one) => keyOf(withHeader(one, id)));
	const known = keys.filter((key) => key !== undefined);
	expect(known.length).toBeGreaterThan(1);
	expect(uniq(known)).toEqual(known);
});

test.each<[string, Delivered]>([
	['a change without an ID and a time', assigned()],
	["a change with the record's own time", assigned({ createdAt: early })],
	['a text without IDs', message({ timestamp: early })],
	["a text with a contact's ID and without a time", message({ contactId: 'c1' })],
	['a change whose event ID is null', assigned({}, { eventId: null })],
	['a change whose event ID is empty', assigned({}, { event_id: '' })],
])('treats every delivery of %s as a new event', (_, delivered) => {
	expect(keyOf(delivered)).toBeUndefined();
});

test.each<[string, Pair]>([
	['whose delivery has another time', pair((time) => message(own, { time, attempt: time }), 1, 2)],
	['whose delivery has another ID', pair((id) => withHeader(message(own, { id }), id), 'd', 'e')],
	[
		'that counts its deliveries',
		pair((n) => message({ ...own, attempt: n, delivery_id: n }), 1, 2),
	],
	[
		'by a time one level deeper, whatever the time of the delivery',
		pair((timestamp) => message({ id: 'm1', message: { time: early } }, { timestamp }), 1, 2),
	],
	["without any time, by the message's ID", pair((id) => message({ id }), 'm1', 'm1')],
	[
		'whatever headers a proxy adds to each request',
		pair((id) => ({ ...message({ id: 'm1' }), headers: ofProxy(id) }), 'a', 'b'),
	],
	[
		'by its event ID, although the delivery has another number',
		pair((attempt) => assigned({}, { event_id: 'e1', attempt, sentAt: attempt }), 1, 2),
	],
	[
		'that is not about a message, by its time and ID',
		pair((attempt) => of('order.paid', { orderId: 7, timestamp: early }, { attempt }), 1, 2),
	],
	[
		'that counts its deliveries in a list',
		pair((attempt) => message({ ...own, parts: [{ attempt, text: 'ok' }] }), 1, 2),
	],
	[
		'whose fields come in another order',
		[
			message({ ...own, to: 'b', profile: { a: 1, b: 2 } }),
			message({ profile: { b: 2, a: 1 }, to: 'b', ...own }),
		],
	],
	['that is a receipt under another name', pair((event) => of(event, own), 'read', 'message_read')],
])('recognizes an event %s', (_, [one, again]) => {
	expect(keyOf(one)).toEqual(expect.any(String));
	expect(keyOf(again)).toBe(keyOf(one));
});
