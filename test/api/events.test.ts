/** Receipts under the names that services of this kind give them. */
import { kindOf } from '../../nodes/BusinessMessaging/api/events';

test.each<[string, Record<string, unknown>, string]>([
	['message.delivered', {}, 'message.delivered'],
	['message_status_updated', { status: 'read' }, 'message.read'],
	['MESSAGE_DELIVERY', { status: 'FAILED' }, 'message.failed'],
	['whatsapp.message.updated', { status: 'delivered' }, 'message.delivered'],
	['sentMessageDELIVERED', {}, 'message.delivered'],
	['DELIVERED', {}, 'message.delivered'],
	['status', { status: 'submitted' }, 'message.sent'],
	['message.status', { status: 'NOT_DELIVERED' }, 'message.failed'],
	['delivery_report', { status: 'DELIVERED_TO_HANDSET' }, 'message.delivered'],
	['message.status', { message: { status: 'seen' } }, 'message.read'],
])('%s with %j is %s', (event, data, kind) => {
	expect(kindOf({ event, data })).toBe(kind);
});

test.each<[string, Record<string, unknown>]>([
	['message.received', { status: 'read' }],
	['order.delivered', {}],
	['contact.updated', { status: 'failed' }],
	['template.status', { status: 'REJECTED' }],
	['message.status', { status: 'queued' }],
	['message.status', {}],
	['', {}],
])('%s with %j keeps its name', (event, data) => {
	expect(kindOf({ event, data })).toBe(event);
});
