/** Single records that nobody has described, their IDs and URLs, and the values of their fields. */
import {
	asMilliseconds,
	plainName,
	readFlag,
	readId,
	readRecord,
	readWebhookUrl,
} from '../../../nodes/BusinessMessaging/reading/readResponse';

const message = { status: 'queued', recipient: { phone: '1' } };
const two = [{ id: 1 }, { id: 2 }];

test.each<[unknown, unknown]>([
	[{ id: 1 }, { id: 1 }],
	[{ data: { id: 1 }, requestId: 5 }, { id: 1 }],
	[{ data: [{ id: 1 }], requestId: 5 }, { id: 1 }],
	[{ status: { code: 0 }, data: { id: 1 } }, { id: 1 }],
	[{ contact: { id: 1 }, success: true }, { id: 1 }],
	[{ contact: { id: 1 }, meta: {}, links: [] }, { id: 1 }],
	[{ contacts: [{ id: 1 }] }, { id: 1 }],
	[{ anything: { id: 1 } }, { id: 1 }],
	[{ Result: { id: 1 }, status: 'ok' }, { id: 1 }],
	[[{ id: 1 }, { id: 2 }], { id: 1 }],
	[[{ data: { id: 1 } }], { id: 1 }],
	[[], {}],
	['OK', {}],
	[undefined, {}],
])('the record in %j is %j', (body, record) => {
	expect(readRecord(body, 'contact')).toEqual(record);
});

test.each<[unknown]>([
	[message],
	[{ id: 1, contact: { id: 2 } }],
	[{ result: { id: 1 }, requestId: 5 }],
	[{ anything: { id: 1 }, status: 'ok' }],
	[{ segment: { id: 1 }, success: true }],
	[{ data: two }],
	[{ contacts: [] }],
	[{ contacts: ['x'] }],
	[{ data: 'x' }],
	[{}],
])('%j is the record', (body) => {
	expect(readRecord(body, 'contact')).toBe(body);
});

test('without a kind, a record is in a field with a usual name', () => {
	expect(readRecord({ items: { id: 1 }, ok: true })).toEqual({ id: 1 });
	const body = { contact: { id: 1 }, ok: true };
	expect(readRecord(body)).toBe(body);
});

test.each<[unknown, string, string | undefined]>([
	[{ id: 7, contact_id: 8 }, 'contact', '7'],
	[{ id: 0 }, 'contact', '0'],
	[{ uuid: 'u', _id: 'a', id: 'i' }, 'contact', 'i'],
	[{ uuid: 'u', _id: 'a' }, 'contact', 'a'],
	[{ contact_id: 'a', uuid: 'u' }, 'contact', 'u'],
	[{ id: '', _id: 'a' }, 'contact', 'a'],
	[{ id: true, contact_id: 'a' }, 'contact', 'a'],
	[{ contact_id: 'a', account_id: 'b' }, 'contact', 'a'],
	[{ templateID: 't' }, 'template', 't'],
	[{ contactUuid: 'u' }, 'contact', 'u'],
	[{ data: { contact_id: 'a' } }, 'contact', 'a'],
	[{ contact: { id: 'a' }, contacts: [{ id: 'b' }] }, 'contact', 'a'],
	[{ data: 'x', contact: { id: 'a' } }, 'contact', 'a'],
	[{ messages: [{ id: 'm' }, { id: 'n' }] }, 'message', 'm'],
	[{ data: { message: { id: 'm' } } }, 'message', 'm'],
	[{ account_id: 'b' }, 'contact', undefined],
	[{ account: { id: 'b' } }, 'contact', undefined],
	[{ id: '', contact_id: null }, 'contact', undefined],
	[{ contact_id: null, data: { id: 'a' } }, 'contact', undefined],
	[{ messages: [] }, 'message', undefined],
	[[{ id: 'm' }], 'message', undefined],
	['m', 'message', undefined],
	[undefined, 'message', undefined],
])('the identifier of %j as a %s is %j', (record, kind, id) => {
	expect(readId(record, kind)).toBe(id);
});

test('a record without a kind is a message', () => {
	expect(readId({ message_id: 'm' })).toBe('m');
});

test.each<[Record<string, unknown>, string | undefined]>([
	[{ docs: 'https://d.example', callback_url: 'https://a.example' }, 'https://a.example'],
	[{ docs: 'https://d.example', URL: 'HTTP://A.example' }, 'HTTP://A.example'],
	[{ docs: 'https://d.example', my_url: 'https://a.example' }, 'https://d.example'],
	[{ docs: 'https://d.example', config: { target: 'http://a.example' } }, 'http://a.example'],
	[{ url: 'later', address: 'https://a.example' }, 'https://a.example'],
	[{ url: ['https://a.example'], address: 'see https://a.example' }, undefined],
	[{ url: '/relative' }, undefined],
	[{ url: 'https:' }, undefined],
	[{}, undefined],
])('the URL of the webhook %j is %j', (webhook, url) => {
	expect(readWebhookUrl(webhook)).toBe(url);
});

test.each<[boolean | undefined, unknown[]]>([
	[true, [true, 'true', ' TRUE ', 'yes', 'Y', 'on', 1, '1', 2, '10']],
	[false, [false, 'false', ' False\n', 'no', 'N', 'off', 0, '0', -1, '-10']],
	[undefined, ['', 'maybe', 'a1', '1a', 1.5, '1.5', null, undefined, [], [1], {}, 'truer']],
])('a switch is %s in %j', (flag, values) => {
	expect(values.map((value) => readFlag(value))).toEqual(values.map(() => flag));
});

test.each([
	['contact_id', 'contactid'],
	['Contact-ID 2', 'contactid2'],
	['$größe', 'grosse'],
	['@電話', '電話'],
	['_', ''],
])('the name %s is %j without what services write differently', (name, only) => {
	expect(plainName(name)).toBe(only);
});

test.each<[unknown, string]>([
	[1_774_778_400, '2026-03-29T10:00:00Z'],
	['1774778400', '2026-03-29T10:00:00Z'],
	[' 1774778400.25 ', '2026-03-29T10:00:00.250Z'],
	[1_774_778_400_123, '2026-03-29T10:00:00.123Z'],
	['1774778400123', '2026-03-29T10:00:00.123Z'],
	[0, '1970-01-01T00:00:00Z'],
	[100_000_000_000, '5138-11-16T09:46:40Z'], // the last number that is read as seconds
	[100_000_000_001, '1973-03-03T09:46:40.001Z'],
	['2026-03-29', '2026-03-29T00:00:00Z'],
	['2026-03-29T10:00:00', '2026-03-29T10:00:00Z'],
	['2026-03-29 10:00', '2026-03-29T10:00:00Z'],
	['2026-03-29T10:00:00.123', '2026-03-29T10:00:00.123Z'],
	['2026-03-29 10:00:00.123456', '2026-03-29T10:00:00.123Z'],
	['2026-03-29T10:00:00Z', '2026-03-29T10:00:00Z'],
	['2026-03-29T10:00:00.5+02:00', '2026-03-29T08:00:00.500Z'],
	['2026-03-29T10:00+02:00', '2026-03-29T08:00:00Z'],
	['Sun, 29 Mar 2026 10:00:00 GMT', '2026-03-29T10:00:00Z'],
	[new Date('2026-03-29T10:00:00Z'), '2026-03-29T10:00:00Z'],
])('the time %j is %s', (written, time) => {
	expect(asMilliseconds(written)).toBe(Date.parse(time));
});

test.each([
	...[undefined, null, '', ' ', 'soon', {}, [], true, '-1774778400', 'at 1774778400'],
	...['1774778400 or so', '1774778400.', '1774778400.5 or so'],
])('%j is no time', (written) => {
	expect(asMilliseconds(written)).toBeNaN();
});
