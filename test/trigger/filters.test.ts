/** Which events start an execution. */
import { passesFilters } from '../../nodes/BusinessMessaging/trigger/filters';
import type { Filters } from '../../nodes/BusinessMessaging/trigger/filters';
import { useService } from '../support/service';
import { Triggers, received } from './support';

const service = useService();
const triggers = new Triggers(service);

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

test.each<[Filters, unknown, unknown]>([
	[{ senders: '+49 170 123-4567' }, message('x'), message('x', '+491701234568')],
	[{ senders: '0049 (170) 1234567, +1555*' }, message('x', '15550001'), message('x', '+1556')],
	[{ senders: '+49*' }, message('x', '49170'), message('x', null)],
	[{ senders: '+52 1 55 1234 5678' }, message('x', '+525512345678'), message('x', '+525512345679')],
	[{ senders: '+521*' }, message('x', '+5215512345678'), message('x', '+5255123')],
	[{ senders: '+549*' }, message('x', '+5491123456789'), message('x', '+541123456789')],
	[{ excludedSenders: '+55119*' }, message('x', '+551123456789'), message('x', '+5511987654321')],
	[{ senders: '+55119*' }, message('x', '+551187654321'), message('x', '+551123456789')],
	[{ senders: ['+4917*', '+1555*'] }, message('x'), message('x', '+33123')],
	[{ senders: 'Acme' }, message('x', 'ACME'), message('x', 'Acme Inc')],
	[{ senders: '+49*', excludedSenders: '+491701234567' }, message('x', '+4917'), message('x')],
	[{ textContains: 'invoice, Bill' }, message('my BILL please'), message('my order')],
	[{ textContains: 'invoice' }, receipt('read'), message(undefined)],
	[{ intent: 'optOut' }, optOut, message('bus stop')],
	[{ intent: 'optIn' }, { ...optOut, intent: 'optIn' }, optOut],
	[{ intent: 'none' }, message('stop please'), optOut],
	[{ intent: 'optOut', senders: '' }, receipt('read'), message('x')],
	[{ firstWords: 'stop, /help' }, message('STOP! now'), message('please stop')],
	[{ firstWords: 'stop, help' }, message('/Help'), message('')],
	[{ firstWords: 'stop', textContains: 'now' }, message('stop now'), message('stop')],
	[{ statuses: 'read, failed' }, receipt('failed'), receipt('sent')],
	[{ statuses: 'failed' }, { ...receipt('failed'), status: 'UNDELIVERED' }, receipt('sent')],
	[{ statuses: 'read' }, { event: 'message.read' }, { event: 'message.sent' }],
	[
		{ statuses: 'read' },
		{ event: 'contact.created' },
		{ event: 'receipt.changed', status: 'sent', messageId: 'm2' },
	],
	[{ senders: '+1*' }, receipt('sent'), message('x')],
	[
		{ senders: '+1*', textContains: 'order' },
		{ ...receipt('failed'), from: '+4930123456', text: 'Hi' },
		{ ...message('Hi', '+1555'), event: 'message.reaction' },
	],
])('%j lets the first through and holds the second back', (filters, first, second) => {
	expect([first, second].map((event) => passesFilters(filters, event as never))).toEqual([
		true,
		false,
	]);
});

test('responds to filtered events without an execution, and does not remember them', async () => {
	const trigger = await triggers.active({ parameters: { filters: { firstWords: 'order, bill' } } });
	for (const text of ['hello', 'an order']) {
		const { status } = await triggers.deliver(trigger, received({ text }));
		expect([status, trigger.executions]).toEqual([200, []]);
	}
	expect(trigger.staticData).not.toHaveProperty('recentEvents of id of Trigger');
	await triggers.deliver(trigger, received({ text: 'Order #7' }));
	expect(trigger.executions).toHaveLength(1);
});

test.each([
	['={{ $json.body.data.text.length > 7 }}', ['An order']],
	['={{ $json.body.data.nothing }}', []],
	['={{ $json.headers["content-type"].startsWith("application/json") }}', ['Hello', 'An order']],
	['', ['Hello', 'An order']],
])('with Only Run If %s, %j start executions', async (onlyRunIf, expected) => {
	const trigger = await triggers.active({ parameters: { filters: { onlyRunIf } } });
	for (const text of ['Hello', 'An order'])
		await triggers.deliver(trigger, received({ id: text, text }));
	expect(trigger.executions.map(({ items }) => items[0][0].json.text)).toEqual(expected);
});

test('a delivery with several events passes Only Run If, which is about a delivery with one', async () => {
	const onlyRunIf = '={{ $json.body.data.text.length > 7 }}';
	const trigger = await triggers.active({ parameters: { filters: { onlyRunIf } } });
	const events = ['Hello', 'An order'].map((text) => received({ id: text, text }));
	await triggers.deliver(trigger, events);
	expect(trigger.executions.map(({ items }) => items[0].length)).toEqual([2]);
});
