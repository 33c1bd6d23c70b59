/** The errors that users read when a call fails: what happened, whether it may have taken effect, and what to do. */
import {
	type CallInfo,
	ServiceError,
	errorFromNetwork,
	errorFromResponse,
	isRefusedContent,
	rateLimitedError,
	unreadableError,
} from '../../../nodes/BusinessMessaging/transport/errors';
import { sendText, useService } from '../../../harness/engine/service';

const service = useService();

const uncertain =
	'It is unclear whether the message was sent, so it is not repeated. Check the chat before you send it again.';
const mayHaveWorked =
	'The service may have carried out the request. Look at the result in the service before you run the node again.';
const failed = 'The service failed while handling the request';
const refused = 'The service refused the request';
const redirects = 'The service redirects to another address';
const correctIt = 'Correct the values that the service reports, then try again.';
const notSent = 'The message was not sent. Correct what the service reports, then try again.';
const newUrl =
	"Set 'Base URL' in the credential to that address. The API key is not sent to other addresses.";
const notFound =
	"Check the phone number. If other operations fail too, check 'Base URL' and 'API Path' in the credential.";
const checkAddress = "Check 'Base URL' and 'API Path' in the credential.";
const byField = { errors: { to: ['is bad'], text: {} } };
const details = { error: { message: 'No', details: { reason: 'too late' } } };
const page = '<html><body><h1>Bad &amp; &quot;broken&quot;</h1></body></html>';
const badKey = 'The service does not accept the API key';
const noRight = 'The API key is not allowed to do this';
const permissions = 'In the credential, use an API key with the necessary permissions.';

test.each<[number, object | string, string, string]>([
	[400, byField, `${refused}: to: is bad; text: invalid`, correctIt],
	[400, { message: 'Invalid. ', param: 'to' }, `${refused}: to: Invalid`, correctIt],
	[400, [{ message: 'one' }, 'two'], `${refused}: one; two`, correctIt],
	[400, details, `${refused}: No (too late)`, correctIt],
	[200, { success: false, id: 'request_1', message: 'No' }, `${refused}: No`, notSent],
	[200, { status: 'error', detail: 'No' }, `${refused}: No`, notSent],
	[200, { error: { code: 7, message: 'No' } }, `${refused}: No`, notSent],
	[200, { statusCode: 422, message: 'No' }, `${refused}: No`, notSent],
	[300, { title: 'Moved' }, `${redirects}: Moved`, newUrl],
	[304, '', 'The response has no data and only says that nothing has changed', uncertain],
	[401, {}, badKey, "Check 'API Key' in the credential."],
	[403, { title: 'Plan' }, `${noRight}: Plan`, permissions],
	[
		404,
		'',
		'The service did not find the recipient, or sends no messages at this address',
		notFound,
	],
	[408, '', failed, uncertain],
	[500, page, `${failed}: Bad & "broken"`, uncertain],
	[200, page, 'The response of the service is not JSON', uncertain],
])('HTTP %i with %j: %s', async (status, body, message, description) => {
	service.fault({ endpoint: 'sendText', status, body });
	const error = await service.errorOf(sendText);
	expect(error?.message).toBe(`${message} (HTTP ${status}) [item 0]`);
	expect(error?.description).toMatch(description);
	const sendStatus = description === uncertain ? 'mayHaveBeenSent' : 'notSent';
	expect(error?.context).toMatchObject({ sendStatus });
	expect(service.calls('sendText')).toBe(1);
});

test('a conflict says to check whether the record exists', async () => {
	service.fault({ endpoint: 'createContact', status: 409 });
	const parameters = { resource: 'contact', operation: 'create', phone: '+15550001000' };
	expect(await service.errorOf(parameters)).toMatchObject({
		message: expect.stringMatching(/^The service reports a conflict/),
		description: 'Check whether the record exists already.',
	});
});

const read: CallInfo = { request: 'GET /v1/contacts', listed: true, writes: false };
const write: CallInfo = { ...read, request: 'POST /v1/messages/send', writes: true };
const response = (statusCode: number, body: unknown = '') => ({ statusCode, headers: {}, body });

test('after a failure without any effect, the error suggests trying again', () => {
	expect(errorFromResponse(response(500), read).description).toBe('Try again later.');
	expect(errorFromNetwork({ code: 'ETIMEDOUT' }, 'https://host/v1', 30_000, read)).toMatchObject({
		message: 'The service did not respond within 30 s',
		description: 'Try again later. (ETIMEDOUT)',
	});
	expect(unreadableError(200, read)).toMatchObject({
		kind: 'uncertain',
		statusCode: 200,
		description: checkAddress,
	});
});

test.each([404, 405])(
	'HTTP %i for a call that is not documented: the error says what to do instead',
	(status) => {
		const unlisted = { ...write, listed: false };
		const error = errorFromResponse(response(status), unlisted);
		expect(error.message).toBe(
			`The service does not offer POST /v1/messages/send (HTTP ${status})`,
		);
		expect(error.description).toContain('website');
		expect(errorFromResponse(response(400), unlisted).message).toBe(`${refused} (HTTP 400)`);
	},
);

test('a long message of the service is cut', () => {
	const one = { message: 'x'.repeat(400) };
	const errors = Array.from({ length: 50 }, () => one);
	expect(errorFromResponse(response(400, one), write).message).toContain(one.message);
	const { message } = errorFromResponse(response(400, { errors }), write);
	expect(message.length).toBeLessThan(1_050);
});

test('a refusal concerns the content of the request, unless it concerns the key, the record or the rate', () => {
	const statuses = [200, 299, 300, 400, 422, 401, 404, 409];
	const errors = statuses.map((status) => errorFromResponse(response(status), write));
	const refusals = errors.filter(isRefusedContent);
	expect(refusals.map(({ statusCode }) => statusCode)).toEqual([200, 299, 400, 422]);
	const others = [new Error('x'), undefined, new ServiceError('x', { kind: 'uncertain' })];
	expect(others.some(isRefusedContent)).toBe(false);
	expect(isRefusedContent(new ServiceError('x', { kind: 'refused' }))).toBe(true);
});

const checkNetwork = "Check 'Base URL' in the credential and the network of n8n, then try again.";
const checkBaseUrl = "Check 'Base URL' in the credential.";
const certificate = `${checkBaseUrl} If the certificate has expired, ask the provider of the service. If it comes from your own certificate authority, enter the file of its certificate in NODE_EXTRA_CA_CERTS in the environment of n8n, and restart n8n.`;
const unreachable = 'The service cannot be reached at host';
const lost = 'The connection was lost before the service responded';
const noHttps = 'There is no HTTPS at host';
const badCertificate = 'The TLS certificate of host is not valid';
const late = 'The service did not respond within 1 s';

test.each<[string, string, string, string]>([
	['ECONNREFUSED', 'unreachable', `${unreachable}: the connection was refused`, checkNetwork],
	['EPROTO', 'configuration', noHttps, checkBaseUrl],
	['ERR_SSL_WRONG_VERSION_NUMBER', 'configuration', noHttps, checkBaseUrl],
	['CERT_HAS_EXPIRED', 'configuration', badCertificate, certificate],
	['SELF_SIGNED_CERT_IN_CHAIN', 'configuration', badCertificate, certificate],
	['ETIMEDOUT', 'uncertain', late, mayHaveWorked],
	['ECONNRESET', 'uncertain', lost, mayHaveWorked],
	['', 'uncertain', lost, mayHaveWorked],
])('the network error %s', (code, kind, message, advice) => {
	const error = errorFromNetwork({ code }, 'https://host/v1', 1_000, write);
	const description = code ? `${advice} (${code})` : advice;
	expect(error).toMatchObject({ kind, message, description, statusCode: undefined });
});

test.each([
	[30, /^If this happens often, lower 'Requests per Minute'/],
	[119, /lower 'Requests per Minute'/],
	[120, /quota is used up: ask the provider of the service for a larger one\.$/],
	[1_440, /quota is used up/],
])('a limit of %i minutes is that of a rate or of a quota', (minutes, advice) => {
	const { description } = rateLimitedError(minutes * 60_000);
	expect(description).toMatch(advice);
	expect(/lower/.test(String(description))).toBe(minutes < 120);
});

test.each([200, 400, 422])(
	'a text that is refused with HTTP %i: the error names the most frequent reason first, and what to do',
	async (status) => {
		service.fault({ endpoint: 'sendText', status, body: { success: false } });
		const error = await service.errorOf(sendText);
		expect(error?.description).toMatch(
			/^Most services refuse a text if the customer has not written in the last 24 hours: send a template, or switch on 'Use Fallback Template'\. .*service reports/,
		);
	},
);
