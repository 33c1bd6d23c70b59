/** The items of an execution that starts with several messages of a person. */
import { toItems } from '../../../nodes/BusinessMessaging/trigger/toItems';
import { readIncoming } from '../../../nodes/BusinessMessaging/webhooks/incomingEvent';

const second = (n: number) => `2030-01-31T10:00:0${n}Z`;
const message = (id: string, data: object = {}) => ({
	event: 'message.received',
	data: { id, from: '+15550001111', text: id, ...data },
});
const read = (events: Array<ReturnType<typeof message>>) =>
	events.map((event) => readIncoming(event, {}));
const grouped = { isSimplified: true, groupMs: 1_000 };
const itemsOf = (...events: Array<ReturnType<typeof message>>) => toItems(read(events), grouped);

test('messages are in the order of their times if all have one', () => {
	const [b, a] = [message('b', { timestamp: second(2) }), message('a', { timestamp: second(1) })];
	expect(itemsOf(b, a)).toMatchObject([{ text: 'a\nb', messageId: 'b', time: second(2) }]);
});

test('messages are in the order of their arrival if one has no time', () => {
	const [b, a] = [message('b', { timestamp: second(2) }), message('a')];
	expect(itemsOf(b, a)).toMatchObject([{ text: 'b\na', messageId: 'a' }]);
	expect(itemsOf(b, a, message('c', { timestamp: second(1) }))).toMatchObject([
		{ text: 'b\na\nc', messageId: 'c' },
	]);
});

test.each([[''], [undefined], [7]])('a message with the text %j adds no line', (text) => {
	expect(itemsOf(message('a'), message('b', { text }), message('c'))).toMatchObject([
		{ text: 'a\nc' },
	]);
});

test('of messages without a text, the item is like the last one', () => {
	const photo = (id: string) => message(id, { text: undefined, media: [id] });
	const [item] = itemsOf(photo('a'), photo('b'));
	expect(Object.keys(item)).not.toContain('intent');
	expect(item).toMatchObject({ media: ['b'], messages: [{ media: ['a'] }, { media: ['b'] }] });
	expect(item.text).toBeUndefined();
});

test('an event without a sender becomes a separate item, unchanged', () => {
	const unknown = message('x', { from: undefined });
	const items = toItems(read([message('a'), unknown, message('b')]), {
		...grouped,
		isSimplified: false,
	});
	expect(items).toEqual([{ ...message('b'), messages: [message('a'), message('b')] }, unknown]);
});
