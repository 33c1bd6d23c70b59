/** What is kept of a message that may be a reply. */
import type { EventEnvelope } from '../../../nodes/BusinessMessaging/api/events';
import { toArrival } from '../../../nodes/BusinessMessaging/inbox/arrival';
import { readIncoming } from '../../../nodes/BusinessMessaging/webhooks/incomingEvent';

const max = 4_000;
const long = 'x'.repeat(max + 1);
const sent = '2030-01-31T10:20:30.400Z';
const now = Date.parse('2030-01-31T10:20:31.000Z');
const receivedFrom = (data: object, more: object = {}): EventEnvelope => ({
	event: 'message.received',
	data: { from: '15550001000', ...data },
	...more,
});
const read = (data: object, headers: Record<string, unknown> = {}) =>
	toArrival(readIncoming(receivedFrom(data), headers));

beforeAll(() => void jest.useFakeTimers({ now }));
afterAll(() => void jest.useRealTimers());

test('a message is read with its sender, text, ID, time and the message that it quotes', () => {
	const message = { id: 'm1', text: 'Yes', timestamp: sent, context: { id: 'question' } };
	expect(read(message)).toStrictEqual({
		...{ key: expect.stringMatching(/^[\w-]{11}$/), text: 'Yes', messageId: 'm1' },
		...{ respondedAt: sent, phone: '+15550001000', quoted: 'question' },
		...{ time: Date.parse(sent), isCertain: true },
	});
});

test('what a message does not have is left out; the time is then that of its arrival', () => {
	expect(read({})).toStrictEqual({
		...{
			key: expect.stringMatching(/^u[\w-]{11}$/),
			text: null,
			respondedAt: new Date(now).toISOString(),
		},
		...{ phone: '+15550001000', isCertain: false, isEmpty: true },
	});
});

test('a quote may be one level deeper, next to the other fields of the message', () => {
	expect(read({ message: { text: 'Yes', context: { id: 'deeper' } } })?.quoted).toBe('deeper');
	expect(read({ context: { id: 'top' }, message: { context: { id: 'deeper' } } })?.quoted).toBe(
		'top',
	);
	expect(read({ message: 'Yes' })).not.toHaveProperty('quoted');
});

test('a message whose sender is not shown is recognized only if it quotes another one', () => {
	const hidden = { from: undefined, id: 'm1', text: 'Yes', timestamp: sent };
	expect(read(hidden)).toBeUndefined();
	expect(read({ ...hidden, context: { id: 'question' } })).toMatchObject({
		...{ phone: '', quoted: 'question' },
	});
	const receipt = { event: 'message.read', data: { id: 'm1', context: { id: 'question' } } };
	expect(toArrival(readIncoming(receipt, {}))).toBeUndefined();
	expect(
		toArrival(readIncoming({ ...receipt, data: { ...receipt.data, from: '15550001000' } }, {})),
	).toBe(undefined);
});

test('only an opt-out word alone is an opt-out', () => {
	const opts = ['STOP', 'START', 'Please stop calling me'].map((text) => read({ text })?.isOptOut);
	expect(opts).toEqual([true, undefined, undefined]);
});

test.each<[what: string, data: object, kept: object]>([
	['a text', { text: long }, { text: long.slice(1), isCut: true }],
	['an ID', { id: long }, { messageId: long.slice(1) }],
	['a time', { timestamp: long }, { respondedAt: long.slice(1) }],
	['a quote', { context: { id: long } }, { quoted: long.slice(1) }],
])('%s is kept up to 4,000 characters', (_, data, kept) => {
	expect(read(data)).toMatchObject(kept);
});

test('a text is called cut only if it was longer, and a value that is no text is none', () => {
	expect(read({ text: long.slice(1) })).not.toHaveProperty('isCut');
	expect(read({ text: 5 })).toMatchObject({ text: null });
});

test('messages that nothing identifies have one key if they are equal', () => {
	const [one, same, another] = [{ text: 'Yes' }, { text: 'Yes' }, { text: 'No' }].map((data) =>
		read(data),
	);
	expect(one?.key).toBe(same?.key);
	expect(one?.key).not.toBe(another?.key);
});

test('a header may identify a message', () => {
	const keys = ['1', '2', '1'].map((id) => read({ text: 'Yes' }, { 'webhook-id': id }));
	expect(keys.map((one) => one?.isCertain)).toEqual([true, true, true]);
	expect(keys[0]?.key).toBe(keys[2]?.key);
	expect(keys[0]?.key).not.toBe(keys[1]?.key);
});
