/** Lists, totals, identifiers, records, events, errors and templates that nobody has described, in a time in proportion to their size. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { range } from 'lodash';
import { isTooDeep } from '../../../nodes/BusinessMessaging/jsonValues';
import { kindOf } from '../../../nodes/BusinessMessaging/reading/readEvents';
import * as reading from '../../../nodes/BusinessMessaging/reading/readResponse';
import { isRefusal, readErrorMessage } from '../../../nodes/BusinessMessaging/reading/readError';
import { readSend } from '../../../nodes/BusinessMessaging/reading/readSend';
import { readTemplates } from '../../../nodes/BusinessMessaging/reading/readTemplates';

const { readId, readList, readRecord, readTotals, readWebhookUrl } = reading;

const rows = [{ phone: '+15550001111' }, { phone: '+15550001112' }];

describe('a list of contacts is found', () => {
	test.each<[string, unknown]>([
		['as a bare array', rows],
		['under data', { data: rows, total: 2 }],
		['under its name', { contacts: rows, segments: [{ name: 'vip' }] }],
		['under a longer form of its name', { contactList: rows, groups: [{ name: 'vip' }] }],
		['two levels down', { response: { payload: rows }, status: 'ok' }],
		['beside errors and column names', { people: rows, errors: [], columns: ['phone'] }],
		['under data, beside related records', { data: rows, included: [{ type: 'segment' }] }],
	])('%s', (_, body) => {
		expect(readList(body, 'contact')).toEqual(rows);
	});

	test.each(['', [], { data: null, total: 0 }, { contacts: null }])('empty in %j', (body) => {
		expect(readList(body, 'contact')).toEqual([]);
	});

	test('with entries that are not records', () => {
		const contacts = ['a', { id: 1 }];
		expect(readList({ contacts }, 'contact')).toEqual([{ value: 'a' }, { id: 1 }]);
	});

	test.each([
		['Hello'],
		[{ greeting: 'Hello' }],
		[{ errors: [{ message: 'No' }] }],
		[{ people: rows, groups: [{ name: 'vip' }] }],
	])('not in %j', (body) => {
		expect(readList(body, 'contact')).toBeUndefined();
	});
});

test.each<[unknown, Record<string, unknown>, number[]]>([
	[{ total: '25000' }, {}, [25_000]],
	[{ meta: { pagination: { total_count: 7 } } }, {}, [7]],
	[{ totalContacts: 7, total_pages: 2, totalTimeMs: 9 }, {}, [7]],
	[{ total: 7, total_unread: 3 }, {}, [7]],
	[{ count: 7, next: null }, {}, [7]],
	[{ data: { contacts: [], contacts_total: 7 }, numberOfRecords: 8 }, {}, [7]],
	[{ totalItems: 1, total_results: 2, recordCount: 3, totalSize: 4 }, {}, [1, 2, 3, 4]],
	[[], { 'x-total-count': '7' }, [7]],
	[{ total: 'many', totalPages: 3, pageCount: 3 }, {}, []],
	[{ contacts: [{ total: 3 }] }, {}, []],
	[{ meta: { total_opted_out: 60, totalMessages: 9, count_unread: 2, total: -1 } }, {}, []],
	[{ segments: { total: 3 }, stats: { today: { count: 4 } } }, {}, []],
])('figures of %j with the headers %j that may be the total are %j', (body, headers, totals) => {
	expect([...readTotals(body, headers, 'contact').values()].sort()).toEqual(totals);
});

test.each<[unknown, string, string | undefined]>([
	[{ id: 7, contact_id: 8 }, 'contact', '7'],
	[{ _id: 'a' }, 'contact', 'a'],
	[{ contact_id: 'a', account_id: 'b' }, 'contact', 'a'],
	[{ templateID: 't' }, 'template', 't'],
	[{ contactUuid: 'u' }, 'contact', 'u'],
	[{ data: { contact_id: 'a' } }, 'contact', 'a'],
	[{ messages: [{ id: 'm' }] }, 'message', 'm'],
	[{ account_id: 'b' }, 'contact', undefined],
	[{ id: '', contact_id: null }, 'contact', undefined],
])('the identifier of %j as a %s is %j', (record, kind, id) => {
	expect(readId(record, kind)).toBe(id);
});

test.each<[unknown, boolean]>([
	[{ success: false }, true],
	[{ ok: 'false', id: 'request_1' }, true],
	[{ success: 0, message: 'No credit' }, true],
	[{ Success: '0', error: { code: 7, message: 'No credit' } }, true],
	[{ total: 3, success: 0, failed: 3 }, false],
	[{ success: 0, failed: 3, failures: [{ reason: 'No such number', count: 3 }] }, false],
	[{ success: 0, errors: [{ reason: 'No credit' }] }, true],
	[{ success: 0, data: { message: 'No credit' } }, true],
	[{ ok: '0', failed: '3', errors: 3 }, false],
	[{ success: 3, failed: 0 }, false],
	[{ data: { success: false } }, false],
])('the response %j with the status 200 is a refusal: %s', (body, isNo) => {
	expect(isRefusal(body)).toBe(isNo);
});

const message = { status: 'queued', recipient: { phone: '1' } };

test.each<[unknown, unknown]>([
	[{ data: { id: 1 }, requestId: 5 }, { id: 1 }],
	[{ contact: { id: 1 }, success: true }, { id: 1 }],
	[{ contacts: [{ id: 1 }] }, { id: 1 }],
	[message, message],
	[
		{ id: 1, contact: { id: 2 } },
		{ id: 1, contact: { id: 2 } },
	],
	['OK', {}],
])('the record in %j is %j', (body, record) => {
	expect(readRecord(body, 'contact')).toEqual(record);
});

test.each([
	[{ docs: 'https://d.example', callback_url: 'https://a.example' }, 'https://a.example'],
	[{ url: '/relative' }, undefined],
])('the URL of the webhook %j is %j', (webhook, url) => {
	expect(readWebhookUrl(webhook)).toBe(url);
});

test.each<[string, Record<string, unknown>, string]>([
	['message_status_updated', { status: 'read' }, 'message.read'],
	['MESSAGE_DELIVERY', { status: 'FAILED' }, 'message.failed'],
	['sentMessageDELIVERED', {}, 'message.delivered'],
	['message.status', { status: 'NOT_DELIVERED' }, 'message.failed'],
	['message.status', { message: { status: 'seen' } }, 'message.read'],
	['message.received', { status: 'read' }, 'message.received'],
	['order.delivered', {}, 'order.delivered'],
	['message.status', { status: 'queued' }, 'message.status'],
])('the event %s with %j is %s', (event, data, kind) => {
	expect(kindOf({ event, data })).toBe(kind);
});

const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);

type Reader = (body: unknown) => unknown;

const ofBody = Object.entries(reading).filter(([name]) => name.startsWith('read'));
const readers = new Map<string, Reader>([
	...(ofBody as Array<[string, Reader]>),
	['readTemplates', readTemplates as Reader],
	['isTooDeep', (body) => isTooDeep(body, 1_000)],
	['isRefusal', isRefusal],
	['readSend', (body) => readSend({ statusCode: 200, headers: {}, body })],
	['readErrorMessage', (body) => readErrorMessage(body)],
]);

/** Reads a JSON value, and counts how often a property of it, or of anything inside, is looked at. */
function looksOf(reader: Reader, body: unknown): number {
	let looks = 0;
	const proxies = new Map<unknown, unknown>();
	const wrap = (value: unknown): unknown => {
		if (typeof value !== 'object' || value === null) return value;
		if (!proxies.has(value)) {
			const get = (target: object, key: string | symbol) => {
				looks++;
				return wrap(Reflect.get(target, key));
			};
			proxies.set(value, new Proxy(value, { get }));
		}
		return proxies.get(value);
	};
	reader(wrap(body));
	return looks;
}

/** How many values a JSON value holds. */
function sizeOf(body: unknown): number {
	const inner = typeof body === 'object' && body !== null ? Object.values(body) : [];
	return inner.reduce((sum: number, value) => sum + sizeOf(value), 1);
}

/** Names that readers look for, any of which may hold the next level. */
const names =
	'error errors error_data message messages data details detail title meta items results contacts contact templates ' +
	'languages components paging links next body text value id status success _embedded';
const name = fc.constantFrom(...names.split(' '));
const leaf = fc.constantFrom<unknown>('', 'x', 0, false, null, [], {}, 'error', '<h1>x</h1>');
const around = fc.oneof(
	fc
		.tuple(name, fc.dictionary(name, leaf, { maxKeys: 3 }))
		.map(([key, beside]) => (inner: unknown) => ({ ...beside, [key]: inner })),
	fc.array(leaf, { maxLength: 3 }).map((beside) => (inner: unknown) => [inner, ...beside]),
);
const pattern = fc.array(around, { minLength: 1, maxLength: 4 });
/** JSON of many levels, one pattern of a few levels again and again. */
const hostileJson = fc
	.tuple(pattern, leaf, fc.integer({ min: 20, max: 60 }))
	.map(([wraps, innermost, levels]) =>
		range(levels).reduce((inner: unknown, level) => wraps[level % wraps.length](inner), innermost),
	);
const nestedError = range(22).reduce((error: unknown) => ({ error }), {});

test.each([...readers])(
	`%s looks at each part of a response a few times at most (TEST_SEED=${seed})`,
	(_, reader) => {
		const property = fc.property(hostileJson, (body) => {
			expect(looksOf(reader, body)).toBeLessThan(100 * sizeOf(body));
		});
		fc.assert(property, { seed, numRuns: 300, examples: [[nestedError]] });
	},
);

/** The shortest of some runs, ms: what disturbs a run only makes it longer. */
function shortest(work: () => unknown): number {
	const runs = range(7).map(() => {
		const start = performance.now();
		work();
		return performance.now() - start;
	});
	return Math.min(...runs);
}

test.each(['<', '<h1', '<title ', '<h1>', '&amp;', ' ', '<message>\n', '\u0130'])(
	'an error of %j, 160,000 characters of it, costs a small multiple of JSON.parse',
	(part) => {
		const text = `<${part.repeat(160_000 / part.length)}`;
		const json = JSON.stringify(text);
		const parsing = shortest(() => JSON.parse(json));
		// Where the time grows with the square of the size it is some ten thousand times as much.
		expect(shortest(() => readErrorMessage(text)) / (parsing + 0.1)).toBeLessThan(300);
	},
);

test.each([
	['2026-03-29T10:00:00', '2026-03-29T10:00:00Z'],
	['2026-03-29 10:00', '2026-03-29T10:00:00Z'],
	['2026-03-29T10:00:00.123', '2026-03-29T10:00:00.123Z'],
	['2026-03-29 10:00:00.123456', '2026-03-29T10:00:00.123Z'],
	['2026-03-29T10:00:00.5+02:00', '2026-03-29T08:00:00.500Z'],
])('the time %s is %s wherever n8n runs', (written, time) => {
	const read = `process.stdout.write(String(require('./dist/nodes/BusinessMessaging/reading/readResponse').asMilliseconds('${written}')))`;
	const env = { ...process.env, TZ: 'Asia/Kolkata' };
	expect(Number(execFileSync(process.execPath, ['-e', read], { env }))).toBe(Date.parse(time));
});

test('a template is read where its parts are named in another way', () => {
	const components = [
		{ type: 'header', format: 'text', text: 'Order {{1}}' },
		{ type: 'body', text: 'Hi {{2}} and {{1}}, {{ 1 }}' },
		{ type: 'button', text: 'Yes' },
		{ type: 'button', title: 'Track', url: 'https://example.com/{{1}}' },
	];
	const locale = { code: 'en_US' };
	const [template] = readTemplates({ templateName: 'order', locale, status: 'PAUSED', components });
	expect(template).toMatchObject({ name: 'order', language: 'en_US', isRefused: true });
	expect(template.buttons.map(({ text }) => text)).toEqual(['Yes', 'Track']);
	const ids = template.variables?.map(({ id }) => id);
	expect(ids).toEqual(['header_1', 'body_1', 'body_2', 'button2_1']);
});

test.each([
	[{ category: 'UTILITY', headerDocumentAttached: false }, 'needed'],
	[{ category: 'utility', header_document_attached: true }, 'optional'],
	[{ category: 'MARKETING', headerDocumentAttached: false }, 'optional'],
])('a document header of %j: the PDF is %s', (fields, pdf) => {
	const components = [{ type: 'Header', format: 'Document' }];
	expect(readTemplates({ name: 'x', ...fields, components })).toMatchObject([{ pdf }]);
});

test.each([
	[{ headerType: 'DOCUMENT' }, 'optional'],
	[{ mediaType: 'pdf' }, 'optional'],
	[{ example: { url: 'https://example.com/a' } }, 'optional'],
	[{ format: 'IMAGE' }, undefined],
	[{ text: 'Hello' }, undefined],
	[{ text: 'Document' }, undefined],
	[{ text: 'Hi {{1}}', example: 'PDF' }, undefined],
])('a header of %j: the PDF is %s', (header, pdf) => {
	const components = [
		{ type: 'HEADER', ...header },
		{ type: 'BODY', text: 'Hi {{1}}' },
	];
	const [template] = readTemplates({ name: 'x', components });
	expect(template.pdf).toBe(pdf);
});

test.each([
	['PENDING', true],
	['IN_REVIEW', true],
	['Rejected', true],
	['inactive', true],
	['APPROVED_PENDING_QUALITY', false],
	['Active - Quality pending', false],
	[undefined, false],
])('a template with the status %j is clearly refused: %s', (status, isRefused) => {
	expect(readTemplates({ name: 'x', status })).toMatchObject([{ isRefused }]);
});
