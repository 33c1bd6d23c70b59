/** What users read when a call fails: what happened, whether it may have taken effect, and what to do. */
import {
	type CallInfo,
	ServiceError,
	errorFromFault,
	errorFromResponse,
	isRefusedContent,
	rateLimitedError,
	unreadableError,
} from '../../nodes/BusinessMessaging/transport/errors';

const read: CallInfo = { summary: 'List contacts', listed: true, writes: false };
const write: CallInfo = { summary: 'Send a free-text message', listed: true, writes: true };
const answer = (statusCode: number, body: unknown = { message: 'The words. ' }) => ({
	statusCode,
	headers: {},
	body,
});
const unknownFate =
	'It may have taken effect all the same. Check at the service before you run it again.';

test.each<[number, CallInfo, string, string, string]>([
	[500, write, 'indeterminate', 'The service failed while handling the request', unknownFate],
	[599, read, 'indeterminate', 'The service failed while handling the request', 'Try again later.'],
	[408, write, 'indeterminate', 'The service gave up waiting for the request', unknownFate],
	[408, read, 'indeterminate', 'The service gave up waiting for the request', 'Try again later.'],
	[
		300,
		write,
		'refused',
		'The service redirects to another address',
		'Enter the address it redirects to as Base URL in the credential. The API key is not sent along to other addresses.',
	],
	[
		399,
		write,
		'refused',
		'The service redirects to another address',
		'Enter the address it redirects to as Base URL in the credential. The API key is not sent along to other addresses.',
	],
	[
		401,
		write,
		'refused',
		'The service does not accept the API key',
		'Check the API key in the credential.',
	],
	[
		403,
		write,
		'refused',
		'The API key is not allowed to do this',
		'Use an API key with the rights it needs in the credential.',
	],
	[
		404,
		write,
		'refused',
		'The service did not find what was asked for',
		'Check that it exists, and Base URL and API Path in the credential.',
	],
	[
		405,
		write,
		'refused',
		'The service does not allow this here',
		'Check Base URL and API Path in the credential.',
	],
	[409, write, 'refused', 'The service reports a conflict', 'Check whether it exists already.'],
	[
		400,
		write,
		'refused',
		'The service refused the request',
		'Correct the values it names and run it again.',
	],
	[
		499,
		write,
		'refused',
		'The service refused the request',
		'Correct the values it names and run it again.',
	],
	[
		200,
		write,
		'refused',
		'The service refused the request',
		'Correct the values it names and run it again.',
	],
])('HTTP %i', (status, call, kind, what, description) => {
	const error = errorFromResponse(answer(status), call);
	expect({ ...error, message: error.message }).toEqual({
		name: 'ServiceError',
		message: `${what}: The words (HTTP ${status})`,
		kind,
		description,
		statusCode: status,
	});
	expect(error.sendStatus).toBe(kind === 'indeterminate' ? 'mayHaveBeenSent' : 'notSent');
});

test.each([404, 405])(
	'HTTP %i where the API path does not document the call names the way out; nothing else does',
	(status) => {
		const unlisted = { ...write, listed: false };
		const error = errorFromResponse(answer(status, ''), unlisted);
		expect(error).toMatchObject({
			kind: 'refused',
			statusCode: status,
			message: `The service does not offer "Send a free-text message" here (HTTP ${status})`,
		});
		expect(error.description).toContain('website');
		expect(errorFromResponse(answer(400, ''), unlisted).message).toBe(
			'The service refused the request (HTTP 400)',
		);
	},
);

test('a service that says too much is cut short', () => {
	expect(
		errorFromResponse(answer(400, { error: { message: 'x'.repeat(400), details: 'y' } }), write)
			.message,
	).toContain('x'.repeat(400));
	const list = Array.from({ length: 50 }, (_, index) => ({
		message: `${index} ${'x'.repeat(480)}`,
	}));
	expect(errorFromResponse(answer(400, { errors: list }), write).message.length).toBeLessThan(
		1_050,
	);
});

test.each<[number, boolean]>([
	[200, true],
	[299, true],
	[300, false],
	[400, true],
	[422, true],
	[401, false],
	[404, false],
	[409, false],
])('HTTP %i is about what the request holds: %s', (status, is) => {
	expect(isRefusedContent(errorFromResponse(answer(status), write))).toBe(is);
});

test('what is no refusal is not about what the request holds', () => {
	expect(isRefusedContent(new Error('x'))).toBe(false);
	expect(isRefusedContent(undefined)).toBe(false);
	expect(isRefusedContent(new ServiceError('x', { kind: 'indeterminate', statusCode: 400 }))).toBe(
		false,
	);
	expect(isRefusedContent(new ServiceError('x', { kind: 'refused' }))).toBe(true);
});

test.each([
	['0 ms', 0, 1],
	['half a minute', 30_000, 1],
	['an hour', 3_600_000, 60],
])('a rate limit for another %s', (_, ms, minutes) => {
	expect(rateLimitedError(ms)).toMatchObject({
		kind: 'rateLimited',
		statusCode: 429,
		message: `The service limits the rate and asks to wait another ${minutes} minutes`,
		sendStatus: 'notSent',
	});
	expect(rateLimitedError(ms).description).toContain('Requests per Minute');
});

test('an answer that cannot be read leaves the fate of a send open', () => {
	expect(unreadableError(200, write)).toMatchObject({
		kind: 'indeterminate',
		statusCode: 200,
		message: 'The service answered something that is not JSON (HTTP 200)',
		description: unknownFate,
	});
	expect(unreadableError(200, read).description).toContain('Check Base URL');
});

test.each<[string | undefined, string, string, string]>([
	[
		'ECONNREFUSED',
		'unreachable',
		'The service cannot be reached at host: the connection was refused',
		'Check the Base URL in the credential and the network of n8n, then run it again. (ECONNREFUSED)',
	],
	[
		'ENOTFOUND',
		'unreachable',
		'The service cannot be reached at host: its name is unknown',
		'Check the Base URL in the credential and the network of n8n, then run it again. (ENOTFOUND)',
	],
	[
		'CERT_HAS_EXPIRED',
		'configuration',
		'The service at host cannot prove who it is',
		'Its TLS certificate is not valid. Check the Base URL in the credential. (CERT_HAS_EXPIRED)',
	],
	[
		'EPROTO',
		'configuration',
		'The service at host cannot prove who it is',
		'Its TLS certificate is not valid. Check the Base URL in the credential. (EPROTO)',
	],
	[
		'ETIMEDOUT',
		'indeterminate',
		'The service did not answer within 30 seconds',
		`${unknownFate} (ETIMEDOUT)`,
	],
	[
		'ECONNRESET',
		'indeterminate',
		'The connection to the service broke before it answered',
		`${unknownFate} (ECONNRESET)`,
	],
	[
		undefined,
		'indeterminate',
		'The connection to the service broke before it answered',
		unknownFate,
	],
])('the fault %s', (code, kind, message, description) => {
	expect(errorFromFault(code, 'host', 30_000, write)).toMatchObject({
		kind,
		message,
		description,
		statusCode: undefined,
	});
});

test('a fault while reading may simply be tried again', () => {
	expect(errorFromFault('ECONNRESET', 'host', 1_000, read).description).toBe(
		'Try again later. (ECONNRESET)',
	);
});
