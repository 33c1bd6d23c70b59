/** What users read when a call fails: what happened, whether it may have taken effect, and what to do. */
import {
	type CallInfo,
	ServiceError,
	errorFromNetwork,
	errorFromResponse,
	isRefusedContent,
	rateLimitedError,
	unreadableError,
} from '../../nodes/BusinessMessaging/transport/errors';

const read: CallInfo = { request: 'GET /v1/contacts', listed: true, writes: false, isKnown: true };
const write: CallInfo = { ...read, request: 'POST /v1/messages/send', writes: true };
const response = (statusCode: number, body: unknown = { message: 'The words. ' }) => ({
	statusCode,
	headers: {},
	body,
});
const mayHaveWorked =
	'It may have taken effect all the same. Check in the service before you run it again.';
const failed = 'The service failed while handling the request';
const redirects = 'The service redirects to another address';
const newBaseUrl =
	"Set 'Base URL' in the credential to the address it redirects to. The API key is not sent to other addresses.";
const refused = 'The service refused the request';
const correctIt = 'Correct the values it names and run it again.';
const checkAddress = "Check 'Base URL' and 'API Path' in the credential.";

test.each<[number, CallInfo, string, string, string]>([
	[500, write, 'indeterminate', failed, mayHaveWorked],
	[599, read, 'indeterminate', failed, 'Try again later.'],
	[408, write, 'indeterminate', failed, mayHaveWorked],
	[408, read, 'indeterminate', failed, 'Try again later.'],
	[300, write, 'refused', redirects, newBaseUrl],
	[399, write, 'refused', redirects, newBaseUrl],
	[
		401,
		write,
		'refused',
		'The service does not accept the API key',
		"Check 'API Key' in the credential.",
	],
	[
		403,
		write,
		'refused',
		'The API key is not allowed to do this',
		'Use an API key with the necessary permissions in the credential.',
	],
	[405, write, 'refused', 'The service does not allow this request', checkAddress],
	[409, write, 'refused', 'The service reports a conflict', 'Check whether it exists already.'],
	[400, write, 'refused', refused, correctIt],
	[499, write, 'refused', refused, correctIt],
	[200, write, 'refused', refused, correctIt],
])('HTTP %i', (status, call, kind, what, description) => {
	const error = errorFromResponse(response(status), call);
	expect({ ...error, message: error.message }).toEqual({
		name: 'ServiceError',
		message: `${what}: The words (HTTP ${status})`,
		kind,
		description,
		statusCode: status,
	});
	expect(error.sendStatus).toBe(kind === 'indeterminate' ? 'mayHaveBeenSent' : 'notSent');
});

test('HTTP 404 names what was not found, and the credential only if the service was never seen to work', () => {
	const contact = { ...write, record: 'contact "7"' };
	const advice = 'It may have been renamed or deleted. Check the values of the request.';
	expect(errorFromResponse(response(404, ''), contact)).toMatchObject({
		message: 'The service did not find the contact "7" (HTTP 404)',
		description: advice,
		kind: 'refused',
	});
	expect(errorFromResponse(response(404, ''), { ...write, isKnown: false })).toMatchObject({
		message: 'The service did not find what was asked for (HTTP 404)',
		description: `${advice} ${checkAddress}`,
	});
});

test.each([404, 405])(
	'HTTP %i where the specification does not list the call names the way out; nothing else does',
	(status) => {
		const unlisted = { ...write, listed: false };
		const error = errorFromResponse(response(status, ''), unlisted);
		expect(error).toMatchObject({
			kind: 'refused',
			statusCode: status,
			message: `The service does not offer POST /v1/messages/send (HTTP ${status})`,
		});
		expect(error.description).toContain('website');
		expect(errorFromResponse(response(400, ''), unlisted).message).toBe(
			'The service refused the request (HTTP 400)',
		);
	},
);

test('a service that says too much is cut short', () => {
	expect(
		errorFromResponse(response(400, { error: { message: 'x'.repeat(400), details: 'y' } }), write)
			.message,
	).toContain('x'.repeat(400));
	const list = Array.from({ length: 50 }, (_, index) => ({
		message: `${index} ${'x'.repeat(480)}`,
	}));
	expect(errorFromResponse(response(400, { errors: list }), write).message.length).toBeLessThan(
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
	expect(isRefusedContent(errorFromResponse(response(status), write))).toBe(is);
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
	[0, '1 minute'],
	[30_000, '1 minute'],
	[3_600_000, '60 minutes'],
])('a rate limit for another %i ms', (ms, wait) => {
	const error = rateLimitedError(ms);
	expect(error).toMatchObject({
		kind: 'rateLimited',
		statusCode: 429,
		message: `The service limits the rate and asks to wait another ${wait}`,
		sendStatus: 'notSent',
	});
	expect(error.description).toContain("'Requests per Minute'");
});

test('after a response that cannot be read, a message may have been sent', () => {
	expect(unreadableError(200, write)).toMatchObject({
		kind: 'indeterminate',
		statusCode: 200,
		message: 'The response of the service is not JSON (HTTP 200)',
		description: mayHaveWorked,
	});
	expect(unreadableError(200, read).description).toBe(checkAddress);
});

const checkNetwork =
	"Check 'Base URL' in the credential and the network of n8n, then run it again.";
const lost = 'The connection to the service was lost before it responded';
const noHttps = 'There is no HTTPS at host';
const badCertificate = 'The TLS certificate of host is not valid';
const checkBaseUrl = "Check 'Base URL' in the credential.";

test.each<[string, string, string, string]>([
	[
		'ECONNREFUSED',
		'unreachable',
		'The service cannot be reached at host: the connection was refused',
		checkNetwork,
	],
	[
		'ENOTFOUND',
		'unreachable',
		'The service cannot be reached at host: its name is unknown',
		checkNetwork,
	],
	['EPROTO', 'configuration', noHttps, checkBaseUrl],
	['ERR_SSL_WRONG_VERSION_NUMBER', 'configuration', noHttps, checkBaseUrl],
	['CERT_HAS_EXPIRED', 'configuration', badCertificate, checkBaseUrl],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'configuration', badCertificate, checkBaseUrl],
	['ETIMEDOUT', 'indeterminate', 'The service did not respond within 1 second', mayHaveWorked],
	['ECONNABORTED', 'indeterminate', 'The service did not respond within 1 second', mayHaveWorked],
	['ECONNRESET', 'indeterminate', lost, mayHaveWorked],
])('the network error %s', (code, kind, message, advice) => {
	const error = errorFromNetwork(code, 'host', 1_000, write);
	expect(error).toMatchObject({ kind, message, description: `${advice} (${code})` });
	expect(error.statusCode).toBeUndefined();
});

test('a network error of which nothing is known, and one while reading', () => {
	expect(errorFromNetwork('', 'host', 30_000, write)).toMatchObject({
		message: lost,
		description: mayHaveWorked,
	});
	expect(errorFromNetwork('ETIMEDOUT', 'host', 30_000, read)).toMatchObject({
		message: 'The service did not respond within 30 seconds',
		description: 'Try again later. (ETIMEDOUT)',
	});
});
