/** What responses to a send mean, in the forms that services use. */
import fc from 'fast-check';

import { readSend } from '../../../nodes/BusinessMessaging/reading/readSend';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const statusOf = (body: unknown, statusCode = 200, headers: Record<string, unknown> = {}) =>
	readSend({ statusCode, headers, body }).sendStatus;
const idOf = (body: unknown, headers: Record<string, unknown> = {}) =>
	readSend({ statusCode: 200, headers, body }).messageId;

/** Responses that mean the same without an ID and with one, if there is none in them. */
const clear: Record<'sent' | 'notSent', object[]> = {
	sent: [
		...[{ success: true }, { is_ok: 'yes' }, { wasAccepted: 1 }, { Success: 'TRUE' }],
		...[{ sent: true }, { isQueued: 'on' }, { scheduled: 3 }, { sent: '2026-11-27T10:00:00Z' }],
		...[{ accepted_count: 1, rejected_count: 0 }, { sent: 1, failed: 0 }, { accepted: ['+1'] }],
		...[{ status: 'queued' }, { State: 'PENDING' }, { deliveryStatus: ' Sent ' }, { status: true }],
		...[{ code: 0 }, { statusCode: '0' }, { error: false }, { errorCode: '000' }, { errors: 0 }],
		...[{ status: { id: 7, groupName: 'PENDING', name: 'ACCEPTED', description: 'Wait' } }],
		...[
			{ data: { message: 'Queued' } },
			{ error: 'No error' },
			{ ok: 1, status: 200, code: '201' },
		],
		...[{ ok: true, error: null, errors: [], errorMessage: '', failures: {}, errorCode: 'none' }],
		...[{ success: true, contact: { status: 'blocked' }, text: 'failed', message: 'It failed' }],
	],
	notSent: [
		...[{ success: false }, { is_ok: 'no' }, { hasSucceeded: 0 }, { accepted: 'failed' }],
		...[{ meta: { success: false }, data: {} }, { skipped: true }, { is_blocked: 'yes' }],
		...[{ header: { isSuccessful: false, resultCode: -4012, resultMessage: 'x' }, body: {} }],
		...[
			{ accepted_count: 0, rejected_count: 1 },
			{ queued: 0, invalid: ['+15550001000'] },
		],
		...[
			{ sent: false, failed: [{ to: '+1', reason: 'Unknown' }] },
			{ total_failed: 1, sent: 0 },
		],
		...[{ status: 'FAILED' }, { state: 'opted_out' }, { status: 'suppressed' }, { status: false }],
		...[{ outcome: { kind: 'failure' } }, { status: { code: 402 } }, { result: { name: 'NOK' } }],
		...[{ code: 402 }, { statusCode: '422' }, { resultCode: -1 }, { status: 499 }],
		...[{ error: true }, { error: 7 }, { error_code: 402 }, { errors: [{ title: 'No credit' }] }],
		...[{ error: { code: 7, message: 'No credit' } }, { errors: { to: ['is not a number'] } }],
		...[{ success: false, code: 'INSUFFICIENT_FUNDS', message: 'ok, but no' }],
		...[{ data: [{ status: 'rejected', error: 'Insufficient credit', sent: false }] }],
	],
};
/** Responses that judge, but in no clear way. */
const uncertain = [
	...[{ status: 'QUEUED_LOW_PRIORITY' }, { status: 'pending, not delivered yet' }, { state: 'x' }],
	...[{ success: 'strange' }, { success: true, status: 'failed' }, { sent: 1, failed: 1 }],
	...[
		{ success: true, data: { status: 'failed' } },
		{ status: 'queued', error: 'No credit' },
	],
	...[{ status: 'failed', code: 504 }, { error: { code: 500 } }, { error: 'Request timed out' }],
	...[
		{ code: 408 },
		{ statusCode: '408' },
		{ status: 'failed', code: 408 },
		{ error: { code: 408 } },
	],
	...[{ success: false, status: 'QUEUED_LOW_PRIORITY' }, { delivery: { success: false } }],
	...[
		{ status: 'x', text: 'sent' },
		{ result: { description: 'Rejected by network' } },
		{ status: ['odd'] },
	],
];
/** Responses that say no only if there is no ID. */
const weakNo = [{ error: 'Insufficient credit' }, { errorCode: 'E_CREDIT' }, { failure: 'x y' }];
/** Responses that say nothing certain without an ID, and hold back a yes. */
const doubt = [
	...[{ sent: false }, { queued: 0 }, { accepted_count: 0 }, { code: 'E7' }, { code: 1001 }],
	...[{ status: 1 }, { status: 0 }],
];

const cases: Array<[body: unknown, alone: string, withId: string]> = [
	...clear.sent.map((body): (typeof cases)[0] => [body, 'sent', 'sent']),
	...clear.notSent.map((body): (typeof cases)[0] => [body, 'notSent', 'notSent']),
	...uncertain.map((body): (typeof cases)[0] => [body, 'mayHaveBeenSent', 'mayHaveBeenSent']),
	...weakNo.map((body): (typeof cases)[0] => [body, 'notSent', 'mayHaveBeenSent']),
	...doubt.map((body): (typeof cases)[0] => [body, 'mayHaveBeenSent', 'mayHaveBeenSent']),
	[{ message: 'It is sent' }, 'mayHaveBeenSent', 'sent'],
	[{ message: 'failed' }, 'mayHaveBeenSent', 'sent'],
	[{ status: 200 }, 'mayHaveBeenSent', 'sent'],
	[{ sent: null, success: '', status: '-', error: {} }, 'mayHaveBeenSent', 'sent'],
];

test.each(cases)('%j means %s; with an ID, %s', (body, alone, withId) => {
	expect(statusOf(body)).toBe(alone);
	for (const one of [
		{ ...(body as object), id: 'm1' },
		{ result: [body], messageId: 'm1' },
	])
		expect([one, statusOf(one)]).toEqual([one, withId]);
});

describe(`signs that disagree (TEST_SEED=${seed})`, () => {
	const id = fc.constantFrom({}, { id: 'm1' }, { messageId: 7 });
	const among = (records: object[]) => fc.constantFrom(...records);
	/** Two records, side by side, one in the other, or in a list. */
	const together = (one: fc.Arbitrary<object>, other: fc.Arbitrary<object>) =>
		fc
			.tuple(one, other, id, fc.constantFrom('data', 'result', 'messages', 'meta'), fc.boolean())
			.chain(([first, second, own, name, isSwapped]) => {
				const [outer, inner] = isSwapped ? [second, first] : [first, second];
				return fc.constantFrom<object>(
					...[
						{ ...own, payload: outer, [name]: inner },
						{ ...own, items: [outer, inner] },
					],
					{ ...own, [name]: { ...inner, items: [outer] } },
				);
			});
	const holds = (bodies: fc.Arbitrary<object>, allowed: string[]) =>
		fc.assert(
			fc.property(bodies, (body) => {
				if (!allowed.includes(statusOf(body)))
					throw new Error(`${JSON.stringify(body)} counts as ${statusOf(body)}`);
			}),
			{ seed, numRuns: 2_000 },
		);

	test('a yes beside a no is uncertain', () =>
		holds(together(among(clear.sent), among(clear.notSent)), ['mayHaveBeenSent']));
	test('an uncertain sign makes any other uncertain', () => {
		const others = [...clear.sent, ...clear.notSent, ...weakNo, ...doubt];
		holds(together(among(uncertain), among(others)), ['mayHaveBeenSent']);
	});
	test('a doubt beside a yes is uncertain', () =>
		holds(together(among(clear.sent), among([...doubt, ...weakNo])), ['mayHaveBeenSent']));
	test('signs that agree are certain', () => {
		holds(together(among(clear.sent), among(clear.sent)), ['sent']);
		const no = [...clear.notSent, ...weakNo, ...doubt];
		holds(together(among(clear.notSent), among(no)), ['notSent']);
	});

	test('a word inside a longer text makes nothing certain', () => {
		const words = 'sent queued failed rejected not no low error ok suppressed'.split(' ');
		const text = fc
			.tuple(
				fc.array(fc.constantFrom(...words, 'strange'), { minLength: 1, maxLength: 3 }),
				fc.constantFrom(...' _-,'.split('')),
			)
			.map(([list, between]) => ['odd', ...list].join(between));
		const field = fc.constantFrom('status', 'state', 'result', 'deliveryStatus', 'success', 'ok');
		const bodies = fc
			.tuple(id, field, text)
			.map(([own, name, value]) => ({ ...own, [name]: value }));
		holds(bodies, ['mayHaveBeenSent']);
	});
});

describe('the ID of the message', () => {
	test.each<[string, unknown]>([
		['m1', { id: 'r1', message_id: 'm1' }],
		['m1', { id: 'r1', data: { smsSid: 'm1' } }],
		['m1', { id: 'r1', messages: [{ wamid: 'm1' }] }],
		['m1', { messageId: null, messageUUID: 'm1' }],
		['m1', { status: 'ok', message: { id: 'm1' } }],
		['m1', { id: 'm1', contact: { id: 'c1' } }],
		['u1', { id: 0, uid: 'u1' }],
		['7', { id: 7 }],
		['007', { id: '007' }],
		['10-0', { id: '10-0' }],
		['nothing', { id: 'nothing' }],
		['7true', { id: '7true' }],
		['m1', [{ id: 'm1' }]],
	])('is %s in %j', (id, body) => {
		expect([idOf(body), statusOf(body)]).toEqual([id, 'sent']);
	});

	test.each([
		...['', ' ', '0', '000', '0-0', '-', '-77', 'none', 'True', 'false', null, 0, -7, true, {}].map(
			(id) => ({ id }),
		),
		...[{ requestId: 'r1' }, { contact: { id: 'c1' } }, { message: 'm1' }, { meta: { id: 'r1' } }],
	])('is missing in %j', (body) => {
		expect([idOf(body), statusOf(body)]).toEqual([undefined, 'mayHaveBeenSent']);
	});

	test('may be the whole body', () => {
		const texts = 'm_77 77 199 600 1402 2001 a.b:c@d+e/f=g-1 email7 sent7 home7 e7a2 7-failed';
		for (const id of texts.split(' ')) expect([idOf(id), statusOf(id)]).toEqual([id, 'sent']);
		expect([idOf(77), idOf(' m_77\n')]).toEqual(['77', 'm_77']);
		const others = ['Thanks', 'm 77', 'm_77!', 'é7', '200', 200, 0, 'E1001', 'e-7', 'ERR_1001'];
		const errors = [504, 'failed: 7', 'rejected-7', 'not_7', 'no_7', 'ERROR 7'];
		for (const body of [...others, ...errors])
			expect([body, idOf(body), statusOf(body)]).toEqual([body, undefined, 'mayHaveBeenSent']);
	});

	test.each<[string | undefined, Record<string, unknown>]>([
		['m1', { 'X-Message-Id': 'm1' }],
		['m1', { msgid: 'm1', location: '/messages/m2' }],
		['m1', { message_id: 'm1' }],
		['m_1', { Location: 'https://api.example.com/v1/messages/m_1' }],
		['m_1', { location: '/v1/jobs/m_1/?a=/b#/c' }],
		['first', { location: '/message/first#top' }],
		['first', { location: 'SMS/first' }],
		[undefined, { location: '/v1/jobs/first' }],
		[undefined, { location: '/v1/messages' }],
		[undefined, { location: '/old_messages/first' }],
		[undefined, { 'x-request-id': 'r1', 'x-message-id-old': 'm1', 'my-message-id': 'm1' }],
		[undefined, { link: '/v1/messages/m_1' }],
		[undefined, { 'x-message-id': '0' }],
	])('is %s in the headers %j', (id, headers) => {
		for (const body of [{}, '', undefined]) {
			expect(idOf(body, headers)).toBe(id);
			expect(statusOf(body, 200, headers)).toBe(id === undefined ? 'mayHaveBeenSent' : 'sent');
		}
		expect(idOf({ id: 'own' }, headers)).toBe('own');
	});
});

test('an empty response means yes only with the status Created, Accepted or No Content', () => {
	const statuses = [200, 201, 202, 203, 204, 205];
	expect(statuses.filter((status) => statusOf(undefined, status) === 'sent')).toEqual([
		201, 202, 204,
	]);
	expect(statusOf({}, 202)).toBe('mayHaveBeenSent');
});

test('a response without a record means what its text, switch or number means', () => {
	const all = (status: string, bodies: unknown[]) =>
		expect(bodies.filter((body) => statusOf(body) !== status)).toEqual([]);
	all('sent', ['OK', 'queued', true, 'true']);
	all('notSent', ['NOK', 'NO_CREDIT', 'failed', false, 'false', '402', 402, -7, '-7']);
	all('mayHaveBeenSent', ['', 'Thank you', 'Timeout', null, [], 'a', 'Your balance is too low']);
});

test('a response with too many records is uncertain, and is read fast', () => {
	const items = Array.from({ length: 100_000 }, () => ({ status: 'sent' }));
	expect(statusOf({ id: 'm1', items })).toBe('mayHaveBeenSent');
});

test('the signs are shown, but no text that may be the customer’s', () => {
	const body = { state: 'QUEUED_LOW', text: 'Hello', message: 'Hi', data: { Success: false } };
	expect(readSend({ statusCode: 200, headers: {}, body }).signs).toEqual([
		'state: QUEUED_LOW',
		'Success: false',
	]);
});

test.each([
	{ message: ['sent'] },
	{ message: { queued: '' } },
	{ msg: { success: '' } },
	{ error: {}, message: { success: '' } },
])('a record or a list named message is no yes: %j', (body) =>
	expect(statusOf(body)).toBe('mayHaveBeenSent'),
);
