/** The service's error message, and refusals with a status such as 200, in the forms that services use. */
import { range } from 'lodash';

import { isRefusal, readErrorMessage } from '../../../nodes/BusinessMessaging/reading/readError';

const long = 'x'.repeat(600);
const longest = long.slice(0, 500);
/** A record in this many others. */
const nested = (levels: number, innermost: unknown) =>
	range(levels).reduce((inner: unknown) => ({ inner }), innermost);

test.each<[unknown, string | undefined]>([
	[' No credit\n', 'No credit'],
	['', undefined],
	[' ', undefined],
	[long, longest],
	[undefined, undefined],
	[null, undefined],
	[402, undefined],
	[true, undefined],
	[{}, undefined],
	[{ code: 402, message: '' }, undefined],
	[{ message: 'No credit' }, 'No credit'],
	[{ message: { text: 'No credit' } }, 'No credit'],
	[{ message: '', detail: 'No credit' }, 'No credit'],
	[{ error: { code: 7, description: 'No credit' } }, 'No credit'],
	[{ status: { reason: 'No credit' } }, 'No credit'],
	[{ meta: { status: { info: 'No credit' } } }, 'No credit'],
	[{ meta: {}, status: { msg: 'No credit' } }, 'No credit'],
	[{ fault: 'No credit' }, undefined],
	[nested(99, { message: 'No credit' }), 'No credit'],
	[nested(100, { message: 'No credit' }), undefined],
])('the message in %j is %j', (body, message) => {
	expect(readErrorMessage(body)).toBe(message);
});

const keys = [
	...['error_description', 'message', 'developer_message', 'detail', 'description', 'reason'],
	...['msg', 'info', 'text', 'errorMessage', 'error_message', 'error', 'details', 'title'],
];

test.each(keys)('a message in %s is read before one in a less clear field', (key) => {
	const less = keys.slice(keys.indexOf(key) + 1).filter((other) => other !== 'details');
	const body = Object.fromEntries([...less.reverse(), key].map((name) => [name, `In ${name}`]));
	expect(readErrorMessage({ status: { message: 'Inside' }, ...body })).toBe(`In ${key}`);
});

test.each<[unknown, string | undefined]>([
	[['No credit', 'No number'], 'No credit; No number'],
	[['', 7, 'No number'], 'No number'],
	[[], undefined],
	[[7, {}], undefined],
	[['a', 'b', 'c', 'd', 'e', 'f'], 'a; b; c; d; e'],
	[{ errors: [{ title: 'No credit' }, { detail: 'No number' }] }, 'No credit; No number'],
	[{ errors: 'No credit' }, 'No credit'],
	[{ errors: { to: ['is required', 'is short'] } }, 'to: is required; is short'],
	[{ errors: { to: { message: 'is short' }, name: 5 } }, 'to: is short; name: invalid'],
	[
		{ errors: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 } },
		'a, b, c, d, e'.replace(/\w/g, '$&: invalid').replaceAll(',', ';'),
	],
	[{ errors: {} }, undefined],
	[{ errors: [], message: 'No credit' }, 'No credit'],
	// The list says more than another object beside it.
	[{ errors: ['No credit'], request: { text: 'Hello' } }, 'No credit'],
	[{ errors: ['to is short'], message: 'Invalid' }, 'Invalid (to is short)'],
	[{ errors: ['to is short'], message: 'Invalid: to is short' }, 'Invalid: to is short'],
	[{ errors: { to: 'is short' }, message: 'Invalid' }, 'Invalid (to: is short)'],
	[{ errors: ['to is short'], message: 'Invalid', details: 'See above' }, 'Invalid (to is short)'],
])('the messages in the list %j are %j', (body, message) => {
	expect(readErrorMessage(body)).toBe(message);
});

test.each<[object, string]>([
	[{ message: 'is required', field: 'to' }, 'to: is required'],
	[{ message: 'is required', param: 'to' }, 'to: is required'],
	[{ message: 'is required', parameter: 'to' }, 'to: is required'],
	[{ message: 'is required', path: 'to' }, 'to: is required'],
	[{ message: 'is required', path: '/to', field: 'to' }, 'to: is required'],
	[{ message: 'is required', field: 3, path: 'to' }, 'to: is required'],
	[{ message: 'is required', path: ['to'] }, 'is required'],
	[{ message: 'is required', field: '' }, 'is required'],
	[{ message: 'to is required', field: 'to' }, 'to is required'],
	[{ message: 'Invalid', error_data: { details: 'No number' } }, 'Invalid (No number)'],
	[{ message: 'Invalid', error_data: 'Old', details: 'No number' }, 'Invalid (Old)'],
	[{ message: 'Invalid', details: ['a', 'b'] }, 'Invalid (a; b)'],
	[{ message: 'Invalid', error_user_msg: 'No number' }, 'Invalid (No number)'],
	[{ message: 'Invalid', invalid_params: [{ reason: 'No number' }] }, 'Invalid (No number)'],
	[{ message: 'Invalid: No number', details: 'No number' }, 'Invalid: No number'],
	[{ message: 'is short', field: 'to', details: 'See to' }, 'to: is short (See to)'],
	[{ message: 'is short', field: 'to', details: 'to: is' }, 'to: is short'],
	[{ message: 'Invalid', details: {} }, 'Invalid'],
])('field and details in %j: %s', (body, message) => {
	expect(readErrorMessage(body)).toBe(message);
});

test('an object that contains itself is read once', () => {
	const body: Record<string, unknown> = { code: 7 };
	body.error = body;
	body.inner = [body, { message: 'No credit' }];
	expect(readErrorMessage(body)).toBe('No credit');
});

test.each<[string, string | undefined]>([
	[
		'<html><head><title>502</title></head><body><h1>Bad\n  Gateway</h1></body></html>',
		'Bad Gateway',
	],
	['<html><title>Bad Gateway</title><h1></h1>', 'Bad Gateway'],
	['<H1 class="big">Bad Gateway</H1>', 'Bad Gateway'],
	['<h1> Bad <b>Gateway</b></h1>', 'Bad'],
	[
		'<error><title>7</title><message>No credit &amp; no number</message></error>',
		'No credit & no number',
	],
	['<e><faultstring>No credit</faultstring><h1>7</h1></e>', 'No credit'],
	['<html><p>Bad Gateway</p></html>', undefined],
	['<h1></h1>', undefined],
	['<h1> </h1>', undefined],
	['<title>502</title><h1> <b>Bad Gateway</b></h1>', '502'],
	[`<h1>${long}</h1>`, longest],
	[' <h1>Bad Gateway</h1>', 'Bad Gateway'],
	['No <h1>', 'No <h1>'],
])('the message in the page %s is %j', (page, message) => {
	expect(readErrorMessage(page)).toBe(message);
	expect(readErrorMessage({ message: page })).toBe(message);
});

describe('a response with the status 200 is a refusal', () => {
	test.each([
		...[{ success: false }, { success: 'no' }, { OK: 'off' }, { Success: 'FALSE' }],
		...[
			{ ok: 'false', id: 'request_1' },
			{ ok: false, success: true },
		],
	])('if it says so: %j', (body) => {
		expect(isRefusal(body)).toBe(true);
	});

	test.each([
		{ success: 0, message: 'No credit' },
		{ Success: '0', error: { code: 7, message: 'No credit' } },
		{ success: 0, errors: [{ reason: 'No credit' }] },
		{ success: 0, Errors: [{ reason: 'No credit' }] },
		{ success: 0, error: [{ reason: 'No credit' }] },
		{ success: 0, message: [{ text: 'No credit' }] },
		{ success: 0, messages: [{ text: 'No credit' }], error: 'No' },
		{ success: 0, details: [{ reason: 'No credit' }] },
		{ success: 0, data: { message: 'No credit' } },
		{ success: 0, info: ['No credit'] },
		{ success: -1, reason: 'No credit' },
	])('if it has a number for no beside an error message: %j', (body) => {
		expect(isRefusal(body)).toBe(true);
	});

	test.each([
		...[
			{ status: 'error', message: 'No credit' },
			{ status: 'FAIL', data: { title: 'No' } },
		],
		...[
			{ code: 400, message: 'No credit' },
			{ code: '422', message: 'No credit', count: 3 },
		],
		...[
			{ status: 599, message: 'No credit' },
			{ statusCode: 402, message: 'No credit' },
		],
		...[
			{ status_code: 402, message: 'No credit' },
			{ status: 200, code: 402, message: 'No' },
		],
	])('if it has the status or code of an error, and a message: %j', (body) => {
		expect(isRefusal(body)).toBe(true);
	});

	test.each([
		...[{ error: 'No credit' }, { error: { code: 7, message: 'No credit' }, request_id: 'r1' }],
		...[
			{ errors: ['No credit'], data: null },
			{ error: null, errors: { to: ['is short'] } },
			{ errors: { to: 'is short' }, request_id: 'r1' },
			{ errors: { to: true } },
		],
	])('if it has nothing but an error: %j', (body) => {
		expect(isRefusal(body)).toBe(true);
	});

	test('if its result is false', () => {
		expect(isRefusal({ result: false })).toBe(true);
	});
});

describe('a response with the status 200 is no refusal', () => {
	test.each([
		...['No credit', undefined, null, false, [], [{ success: false }], {}],
		...[{ success: true, error: 'No credit', count: 1 }, { success: null }, { success: 'maybe' }],
		...[{ data: { success: false } }, { unsuccessful: false }, { success_rate: false }],
		...[{ token: false }, { okay: false }, { tested_ok: false }],
	])('if it does not say so: %j', (body) => {
		expect(isRefusal(body)).toBe(false);
	});

	test.each([
		...[
			{ total: 3, success: 0, failed: 3 },
			{ ok: '0', failed: '3', errors: 3 },
		],
		...[{ success: 3, failed: 0 }, { success: 0 }],
		{ success: 0, failed: 3, failures: [{ reason: 'No such number', count: 3 }] },
		{ success: 0, failed: 3, failures: ['+15550001111', { reason: 'No such number' }] },
		{ success: 0, failed: 3, failed_messages: [{ text: 'Hello' }] },
		{ success: 0, failed: 3, messages_failed: [{ text: 'Hello' }] },
	])('if its number counts something: %j', (body) => {
		expect(isRefusal(body)).toBe(false);
	});

	test.each([
		...[
			{ id: 'm1', status: 'error', message: 'No credit' },
			{ id: 7, result: false },
		],
		...[
			{ id: 'm1', error: 'No credit' },
			{ message_id: 'm1', code: 400, message: 'Hi' },
		],
	])('if it is a record: %j', (body) => {
		expect(isRefusal(body)).toBe(false);
	});

	test.each([
		...[{ status: 'error' }, { status: 'errors', message: 'None' }, { code: 402, count: 3 }],
		...[
			{ status: 'no error', message: 'Done' },
			{ code: 399, message: 'Done' },
		],
		...[{ code: 600, message: 'Done' }, { status: 200, message: 'Done' }, { message: 'Done' }],
		...[{ result: 0, message: 'Done' }, { result: 'false' }, { status: ['fail'], message: 'No' }],
	])('if its status or code is not clear: %j', (body) => {
		expect(isRefusal(body)).toBe(false);
	});

	test.each([
		...[{ error: '' }, { error: null }, { errors: [] }, { error: 'No credit', count: 3 }],
		...[{ errors: {} }, { errors: { to: null, body: [], name: '', text: {} } }],
		...[
			{ errors: ['No credit'], data: {} },
			{ error: 'No credit', sent: true },
		],
	])('if it has something else beside the error, or no message: %j', (body) => {
		expect(isRefusal(body)).toBe(false);
	});
});
