/** What responses to a send mean, in the forms that services use. */
import { camelCase, kebabCase, range, snakeCase, startCase } from 'lodash';

import { readSend } from '../../../nodes/BusinessMessaging/reading/readSend';

/** The meaning of a response: the verdict, and the ID after it if there is one. */
function meaningOf(body: unknown, statusCode = 200, headers: Record<string, unknown> = {}): string {
	const { verdict, messageId } = readSend({ statusCode, headers, body });
	return messageId === undefined ? verdict : `${verdict} ${messageId}`;
}

/** Checks what each of several responses means. */
function expectAll(meaning: string, bodies: unknown[]): void {
	expect(bodies.map((body) => [body, meaningOf(body)])).toEqual(
		bodies.map((body) => [body, meaning]),
	);
}

/** Responses with each of these values in a field. */
const inField = (name: string, values: unknown[], beside: object = {}) =>
	values.map((value) => ({ ...beside, [name]: value }));

test.each<[string, unknown]>([
	// A no outweighs an ID, and a yes further outside.
	['refused m1', { status: 'failed', data: { id: 'm1' } }],
	['refused', { success: true, data: { status: 'failed' } }],
	['refused', { success: true, data: [{ status: 'sent' }, { data: { status: 'failed' } }] }],
	['refused', { status: 'failed', data: { status: 'sent', data: { status: 'failed' } } }],
	['uncertain', { success: true, status: 'failed' }],
	['uncertain', { status: 'failed', data: { status: 'sent' } }],
	['uncertain m1', { success: false, data: { id: 'm1', status: 'sent' } }],
	// A timeout outweighs everything.
	['uncertain m1', { id: 'm1', status: 'sent', data: { code: 504 } }],
	['uncertain', { status: 'failed', data: { code: 504 } }],
	// Not sent yet, or a text that may be the message itself, counts only alone.
	['refused', { sent: false }],
	['refused', { sent: false, status: 'strange' }],
	['sent m1', { sent: false, id: 'm1' }],
	['sent', { sent: false, queued: true }],
	['sent', { status: 'queued', message: 'failed' }],
	['uncertain', { sent: false, code: 504 }],
	['refused', { sent: false, success: false }],
])('%s: %j', (meaning, body) => {
	expect(meaningOf(body)).toBe(meaning);
});

describe('a switch', () => {
	test('for the success means yes or no', () => {
		expectAll('sent', [{ success: true }, { is_ok: 'yes' }, { wasAccepted: 1 }, { okay: 'TRUE' }]);
		expectAll('refused', [{ success: false }, { is_ok: 'no' }, { hasSucceeded: 0 }]);
		expectAll('refused', [{ success: 'failed' }, { accepted: 'Not possible' }]);
		expectAll('refused', [{ success: false, sent: false }]);
		const strange = [null, 'strange', 'queued', 'timeout', {}, ['failed'], { status: 'ok' }];
		expectAll('uncertain', inField('success', strange));
	});

	test('for the progress means yes, or no if nothing else is known', () => {
		expectAll('sent', [{ sent: true }, { isQueued: 'on' }, { was_submitted: 1 }, { scheduled: 3 }]);
		expectAll('refused', [{ sent: false }, { isQueued: 'off' }, { enqueued: 'failed' }]);
		expectAll('sent m1', [
			{ sent: false, id: 'm1' },
			{ enqueued: 'failed', id: 'm1' },
		]);
		expectAll('uncertain', [{ sent: null }, { queued: 'strange' }, { sent: { status: 'ok' } }]);
	});
});

describe('a status', () => {
	test('that is a word or a switch means yes or no', () => {
		const names = ['status', 'State', 'delivery_status', 'sendResult', 'returnCode', 'codeText'];
		for (const name of names) {
			expectAll('sent', [{ [name]: 'queued' }, { [name]: true }, { [name]: ' TRUE ' }]);
			expectAll('refused', [{ [name]: 'failed' }, { [name]: false }, { [name]: 'False' }]);
			expectAll('uncertain', [{ [name]: 'strange' }, { [name]: null }, { [name]: ['failed'] }]);
			expectAll('uncertain', [{ [name]: 'true or so' }, { [name]: 'it is true' }]);
		}
	});

	test('that is a number means no from 400 to 499 and below 0, and is unclear from 500 to 599', () => {
		const others = [1, 2, 200, 299, 399, 600];
		const forms: Array<(n: number) => unknown> = [(n) => n, (n) => ` ${n} `];
		for (const asText of forms) {
			const inStatus = (numbers: number[], beside = {}) =>
				numbers.map((n) => ({ ...beside, status: asText(n) }));
			expectAll('refused', inStatus([-1, 400, 402, 499]));
			expectAll('uncertain', inStatus([408, 500, 599], { ok: true }));
			expectAll('uncertain', inStatus(others));
			expectAll('sent', inStatus(others, { ok: true }));
		}
		expectAll('uncertain', [{ status: 'n402' }, { status: '402nd' }, { status: '4 02' }]);
	});

	test('that is 0 means yes only in a code', () => {
		expectAll('sent', [{ code: 0 }, { statusCode: '0' }, { result_code: 0 }]);
		expectAll('uncertain', [
			{ status: 0 },
			{ codeText: 0 },
			{ result: '0' },
			{ status: { code: 0 } },
		]);
	});

	test('that is a record means what its parts mean', () => {
		const statuses = [
			{ code: 402 },
			{ Name: 'REJECTED' },
			{ group_name: 'failed' },
			{ text: 'no' },
		];
		expectAll('refused', inField('status', statuses));
		expectAll('refused', [{ status: { code: 'ok', name: 'failed' } }]);
		expectAll('uncertain', [{ status: { code: 'failed', name: 'timeout' } }]);
		expectAll('sent', [{ status: { code: 1, name: 'queued' } }]);
		const others = [
			{},
			{ id: 402 },
			{ reason: 'failed' },
			{ code: { code: 402 } },
			{ code: [402] },
		];
		expectAll('uncertain', inField('status', others));
	});

	test('that may be the message itself means nothing in the texts of the customer', () => {
		expectAll('refused', [{ result: { name: 'REJECTED' } }, { result: { name: ' failed ' } }]);
		expectAll('refused', [
			{ result: { description: 'It failed' } },
			{ result: { value: 'failed' } },
		]);
		expectAll('uncertain', [{ result: { text: 'failed' } }, { result: { Name: 'It failed' } }]);
		expectAll('refused', [{ status: { name: 'It failed' } }, { status: { text: 'failed' } }]);
		const texts = ['text', 'Name', 'description', 'value'].map((key) => ({ [key]: 'failed' }));
		expectAll(
			'sent m1',
			texts.map((text) => ({ result: { id: 'm1', ...text } })),
		);
		expectAll(
			'sent m1',
			texts.map((text) => ({ response: { messageId: 'm1', ...text } })),
		);
		expectAll('refused m1', [{ result: { id: 'm1', code: 402 } }]);
		expectAll('refused m1', [{ result: { id: 'm1', groupName: 'failed' } }]);
		expectAll('refused', [{ status: { id: 'm1', name: 'failed' } }]);
	});
});

test('a message that is one word means yes, or no if nothing else is known', () => {
	expectAll('sent', [{ message: 'Queued' }, { msg: ' ok\n' }, { data: { message: 'success' } }]);
	expectAll('refused', [{ message: 'Failed' }, { msg: ' no ' }, { msg: 'NO_CREDIT' }]);
	expectAll('sent m1', [{ id: 'm1', message: 'Failed' }]);
	expectAll('uncertain', [{ message: 'It failed' }, { message: 'It is sent' }, { msg: 'timeout' }]);
	expectAll('uncertain', [{ message: 402 }, { message: null }, { message: 'Hello' }]);
	expectAll('sent m1', [{ id: 'm1', msg: 'timeout' }]);
});

describe('an error', () => {
	test('means no', () => {
		const texts = ['7', 'strange', 'TRUE', 'delivery: false', 'false number'];
		const errors = [...texts, true, 1, 199, 300, 402, -1, ['a'], { code: 7 }];
		expectAll('refused', inField('error', errors));
		const names = ['errorCode', 'is_error', 'Errors', 'failureReason', 'exception', 'rejected'];
		for (const name of names) expectAll('refused', [{ [name]: 7 }]);
		expectAll('refused', [{ error: { a: { b: {} } } }, { error: { a: { b: [null] } } }]);
		expectAll('refused', [{ error: { code: 0, message: 'strange' } }]);
	});

	test('means yes if it says that there is none', () => {
		const texts = ['No error', 'no errors', 'NO_ERRORS', 'noError', 'without error', '0 errors'];
		const codes = [false, 'False', ' False ', 0, ' 0 ', '000', 'No errors: 0', '0:no_error'];
		const names = ['no_error:0', 'STATUS_NO_ERROR', 'success'];
		expectAll('sent', inField('error', [...texts, ...codes, ...names]));
	});

	test('means nothing if it is empty, or repeats the status of the response', () => {
		const nothing = [null, '', ' ', '-', 'none', 'NULL', 'n/a', 'NaN', {}, [], { a: {} }, [null]];
		const errors = [...nothing, 200, '299', ' 200 ', { code: 0 }, { code: 200, message: '' }];
		expectAll('uncertain', inField('error', errors));
		expectAll('sent', inField('error', errors, { ok: true }));
	});

	test('is unclear if the service failed', () => {
		const errors = [500, '503', 408, 'Timeout', { code: 504, message: 'failed' }];
		expectAll('uncertain', inField('error', errors));
		expectAll('uncertain m1', inField('error', errors, { id: 'm1', ok: true }));
	});
});

test('words mean yes or no wherever they are in a text', () => {
	const yes = ['message sent', 'messageSent', 'PENDING_ENROUTE', '1: ok', 'sent: true'];
	const noErrors = [
		'true: sent',
		'no error',
		'Without errors!',
		'noerror',
		'no - errors',
		'NO_ERRORS_FOUND',
		'StatusNoError',
	];
	const no = [
		'not sent',
		'notSent',
		'REJECTED-NETWORK',
		'out of credit',
		'OUT_OF_CREDIT',
		'SMSOutOfCredit',
		'ISOutOfStock',
		'10 errors',
		'error',
	];
	const unclear = ['time out', 'timedOut', 'timed_out', 'Timeout', 'not sent: time-out'];
	const other = ['about of', 'Öko', 'kona', 'presented', ''];
	expectAll('sent', inField('status', [...yes, ...noErrors]));
	expectAll('refused', inField('status', [...no, 'sent without success, failed']));
	expectAll('uncertain', inField('status', [...unclear, ...other]));
	expectAll('uncertain', inField('status', unclear, { ok: true }));
	expectAll('sent', inField('status', [...other, 'noticed'], { ok: true }));
});

test.each([
	['refused', 'out of credit'],
	['refused', 'not sent'],
	['refused', 'message rejected by network'],
	['sent', 'no error'],
	['sent', 'no errors found'],
	['sent', 'message accepted'],
	['uncertain', 'timed out'],
	['uncertain', 'request time out'],
])('%s: a status means the same in each spelling of "%s"', (verdict, phrase) => {
	const spellings = [camelCase, snakeCase, kebabCase, startCase].map((spell) => spell(phrase));
	const loud = [...spellings.slice(1), phrase].map((text) => text.toUpperCase());
	expectAll(verdict, inField('status', [phrase, ...spellings, ...loud, `${phrase}.`]));
});

describe('what stands around the message', () => {
	test('is read up to five levels', () => {
		const nested = (levels: number) =>
			range(levels).reduce((data: object) => ({ data }), { id: 'm1', status: 'failed' });
		expectAll('refused m1', [nested(5), { messages: [{ data: nested(2) }] }, [nested(4)]]);
		expectAll('uncertain', [nested(6), { messages: [{ data: nested(3) }] }, [nested(5)]]);
	});

	test('is read up to 50 records', () => {
		const failed = { status: 'failed' };
		const after = (count: number, one: unknown) => [...range(count).map(() => one), failed];
		expectAll('refused', [after(49, {}), { messages: after(48, {}) }, after(49, 'x')]);
		expectAll('uncertain', [after(50, {}), { messages: after(49, {}) }, after(50, 'x')]);
		expectAll('refused', [{ error: [...range(49).map(() => null), 'failed'] }]);
		expectAll('uncertain', [{ error: [...range(50).map(() => null), 'failed'] }]);
	});

	test('is about the message only in usual fields', () => {
		const names = ['attributes', 'Items', 'records', '_embedded', 'sms', 'sendResponse', 'results'];
		expectAll(
			'refused m1',
			names.map((name) => ({ [name]: [{ id: 'm1', status: 'failed' }] })),
		);
		const others = ['contact', 'contacts', 'request', 'dataset'];
		expectAll(
			'uncertain',
			others.map((name) => ({ [name]: { id: 'x', status: 'failed' } })),
		);
		expectAll(
			'uncertain',
			others.map((name) => ({ [name]: { id: 'x', status: 'sent' } })),
		);
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
	])('is %s in %j', (id, body) => {
		expect(meaningOf(body)).toBe(`sent ${id}`);
	});

	test('is no ID if it has no value', () => {
		const texts = ['', ' ', '0', '000', '0-0', '-', '-77', 'none', 'True', 'false'];
		const ids = [...texts, null, 0, -7, true, {}];
		expectAll('uncertain', inField('id', ids));
		expectAll('uncertain', [{ requestId: 'r1' }, { contact: { id: 'c1' } }, { message: 'm1' }]);
	});

	test('may be the whole body', () => {
		const texts = 'm_77 77 199 600 1402 2001 a.b:c@d+e/f=g-1 email7 sent7 home7 e7a2 7-failed';
		const ids = texts.split(' ');
		expect(ids.map((id) => meaningOf(id))).toEqual(ids.map((id) => `sent ${id}`));
		expect(meaningOf(77)).toBe('sent 77');
		expect(meaningOf(' m_77\n')).toBe('sent m_77');
	});

	test('is not a text with something else, nor an error or a status', () => {
		expectAll('uncertain', ['Thanks', 'm 77', 'm_77!', '!m_77', 'é7', '200', '300', '0', 200, 0]);
		expectAll('uncertain', ['E1001', 'e-7', 'e7', '504', 504]);
		expectAll('refused', ['402', 402, -7, '-7', 'ERR_1001', 'not7_no', 'failed: 7']);
	});

	test.each<[string, Record<string, unknown>]>([
		['sent m1', { 'X-Message-Id': 'm1' }],
		['sent m1', { msgid: 'm1', location: '/messages/m2' }],
		['sent m1', { message_id: 'm1' }],
		['sent m_1', { Location: 'https://api.example.com/v1/messages/m_1' }],
		['sent m_1', { location: '/v1/jobs/m_1/?a=/b#/c' }],
		['sent first', { location: '/v1/messages/first' }],
		['sent first', { location: '/message/first#top' }],
		['sent first', { location: 'SMS/first' }],
		['uncertain', { location: '/v1/jobs/first' }],
		['uncertain', { location: '/v1/messages' }],
		['uncertain', { location: '/messages_old/first' }],
		['uncertain', { location: '/old_messages/first' }],
		['uncertain', { location: '' }],
		['uncertain', { 'x-request-id': 'r1', 'x-message-id-old': 'm1', 'my-message-id': 'm1' }],
		['uncertain', { link: '/v1/messages/m_1' }],
		['uncertain', { 'x-message-id': '0' }],
		['uncertain', {}],
	])('may be in a header: %s with %j', (meaning, headers) => {
		expect(meaningOf({}, 200, headers)).toBe(meaning);
		expect(meaningOf('', 200, headers)).toBe(meaning);
	});

	test('in the body comes before one in a header', () => {
		expect(meaningOf({ id: 'm1' }, 200, { 'x-message-id': 'm2' })).toBe('sent m1');
	});
});

test('an empty response means yes only with the status Created, Accepted or No Content', () => {
	const statuses = [200, 201, 202, 203, 204, 205];
	expect(statuses.filter((status) => meaningOf(undefined, status) === 'sent')).toEqual([
		201, 202, 204,
	]);
	expect(meaningOf(undefined)).toBe('uncertain');
	expect(meaningOf({}, 202)).toBe('uncertain');
});

test('a response without a record means what its text, switch or number means', () => {
	expectAll('sent', ['OK', 'Message queued', true, 'true']);
	expectAll('refused', ['NOK', 'Your balance is too low', false, 'false']);
	expectAll('uncertain', ['', 'Thank you', 'Timeout', null, [], 'a']);
});
