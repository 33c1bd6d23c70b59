/** Deliveries: the events in them, and what their names mean. */
import { range } from 'lodash';

import {
	kindOf,
	readEnvelopes,
	readStatus,
} from '../../../nodes/BusinessMessaging/reading/readEvents';

test.each<[string, Record<string, unknown>, string]>([
	['message_status_updated', { status: 'read' }, 'message.read'],
	['MESSAGE_DELIVERY', { status: 'FAILED' }, 'message.failed'],
	['sentMessageDELIVERED', {}, 'message.delivered'],
	['messageDelivered', {}, 'message.delivered'],
	['READ', {}, 'message.read'],
	['message.read!', {}, 'message.read'],
	['sms-dlr', { status: 'Seen' }, 'message.read'],
	['not_delivered', {}, 'message.failed'],
	['message notDelivered', {}, 'message.failed'],
	['message.status', { status: 'NOT_DELIVERED' }, 'message.failed'],
	['message.status', { status: 'notdelivered' }, 'message.failed'],
	['message.status', { status: 'Not delivered' }, 'message.failed'],
	['message.status', { message: { status: 'seen' } }, 'message.read'],
	['message.status', { status: 'delivered, not yet read' }, 'message.delivered'],
	['message.status', { status: 'phone: delivered' }, 'message.delivered'],
	['message.sent', { status: 'delivered' }, 'message.sent'],
	['message_sent', { status: 'delivered' }, 'message.delivered'],
	['message_sent', { status: 'strange' }, 'message.sent'],
	['message.received', { status: 'read' }, 'message.received'],
	['message_received', { status: 'read' }, 'message.received'],
	['MessageReceived', {}, 'message.received'],
	['MESSAGE.RECEIVED', {}, 'message.received'],
	['whatsapp:messages/received', {}, 'message.received'],
	['RECEIVED', {}, 'message.received'],
	['inboundSms', {}, 'message.received'],
	['incoming-message', {}, 'message.received'],
	['MESSAGE_DELİVERED', {}, 'message.delivered'],
	['order.received', {}, 'order.received'],
	['payment_received', {}, 'payment_received'],
	['delivery.receipt.received', { status: 'read' }, 'delivery.receipt.received'],
	['message.outbound.received', {}, 'message.outbound.received'],
	['new_message', {}, 'new_message'],
	['order.delivered', {}, 'order.delivered'],
	['order.status', { status: 'delivered' }, 'order.status'],
	['message.status', { status: 'queued' }, 'message.status'],
	['message.status', {}, 'message.status'],
	['...', { status: 'queued' }, '...'],
])('the event %s with %j is %s', (event, data, kind) => {
	expect(kindOf({ event, data })).toBe(kind);
});

test.each<[Record<string, unknown>, string | undefined]>([
	[{ status: 'Read', message: { status: 'sent' } }, 'Read'],
	[{ status: 3, message: { status: 'sent' } }, 'sent'],
	[{ status: '', message: { status: 'sent' } }, ''],
	[{ message: { status: 3 } }, undefined],
	[{ message: 'sent' }, undefined],
	[{ message: null }, undefined],
	[{}, undefined],
])('the status of the message in %j is %j', (data, status) => {
	expect(readStatus(data)).toBe(status);
});

const event = { event: 'message.received', data: { from: '+15550001111', text: 'Hi' }, id: 7 };
const another = { event: 'order.paid', data: {} };
const nested = (levels: number) =>
	range(levels).reduce((inner: unknown) => ({ inner }), 'innermost');

describe('the events of a delivery', () => {
	test.each<[string, unknown, unknown[], number]>([
		['one event', event, [event], 0],
		['an event with a list in its data', { ...event, data: { list: [another] } }, [], 0],
		['a list', [event, another], [event, another], 0],
		['a list under data', { data: [event] }, [event], 0],
		['a list under any name', { account: 'a', entry: [event, another] }, [event, another], 0],
		['other entries in a list', [event, 'x', null, { event: 'e' }, { data: {} }], [event], 4],
		['an event without a name', [{ event: '', data: {} }], [], 1],
		['an event with data that is no record', [{ event: 'e', data: [] }], [], 1],
		['an empty list', [], [], 0],
		['an empty body', '', [], 0],
		['no body', undefined, [], 0],
		['a text', 'Hello', [], 0],
		['a record without a list', { event: 'e' }, [], 0],
	])('%s', (name, body, events, others) => {
		const all = name.includes('in its data') ? [body] : events;
		expect(readEnvelopes(body)).toEqual({ events: all, others });
	});

	test('do not include one with more levels than n8n can store', () => {
		const deep = { event: 'e', data: { inner: nested(98) } };
		expect(readEnvelopes([event, deep])).toEqual({ events: [event, deep], others: 0 });
		const tooDeep = { event: 'e', data: { inner: nested(99) } };
		expect(readEnvelopes([event, tooDeep])).toEqual({ events: [event], others: 1 });
		expect(readEnvelopes(tooDeep)).toEqual({ events: [], others: 1 });
	});
});
