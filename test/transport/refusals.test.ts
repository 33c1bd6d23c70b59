/** Calls that fail: in which words, whether they may have happened, and what is tried before. */
import { useService } from '../support/service';

const service = useService();
const send = { resource: 'message', operation: 'sendText', to: '+15550001000', text: 'Hi' };
const getCurrent = { resource: 'account', operation: 'getCurrent' };

test.each<[number, object | string, string, string]>([
	[
		400,
		{ errors: { to: ['is required'], text: {} } },
		'The service refused the request: to: is required; text: invalid (HTTP 400)',
		'Correct the values',
	],
	[
		400,
		{ message: 'Invalid.', param: 'to' },
		'The service refused the request: to: Invalid (HTTP 400)',
		'Correct the values',
	],
	[
		400,
		[{ message: 'one' }, 'two'],
		'The service refused the request: one; two (HTTP 400)',
		'Correct the values',
	],
	[
		400,
		{ error: { message: 'No', details: { reason: 'too late' } } },
		'The service refused the request: No (too late) (HTTP 400)',
		'Correct the values',
	],
	[401, {}, 'The service does not accept the API key (HTTP 401)', "Check 'API Key'"],
	[
		403,
		{ title: 'Plan' },
		'The API key is not allowed to do this: Plan (HTTP 403)',
		'necessary permissions',
	],
	[404, '', 'The service did not find what was asked for (HTTP 404)', 'renamed or deleted'],
	[405, '', 'The service does not allow this request (HTTP 405)', "Check 'Base URL'"],
	[
		409,
		{ message: 'Exists' },
		'The service reports a conflict: Exists (HTTP 409)',
		'whether it exists already',
	],
	[
		200,
		{ success: false, message: 'No credit' },
		'The service refused the request: No credit (HTTP 200)',
		'Correct the values',
	],
	[
		200,
		{ status: 'error', detail: 'No credit' },
		'The service refused the request: No credit (HTTP 200)',
		'Correct the values',
	],
])('HTTP %i with %j: %s', async (status, body, message, description) => {
	await service.fault({ endpoint: 'sendText', status, body });
	const { error } = await service.run({ parameters: send });
	expect(error).toMatchObject({
		message: `${message} [item 0]`,
		description: expect.stringContaining(description),
		context: { sendStatus: 'notSent' },
	});
	expect(service.calls('sendText')).toBe(1);
});

test.each<[number, string | undefined, string]>([
	[408, undefined, 'The service failed while handling the request'],
	[
		502,
		'<html><body><h1>Bad &amp; broken</h1></body></html>',
		'The service failed while handling the request: Bad & broken (HTTP 502)',
	],
	[500, undefined, 'The service failed while handling the request'],
	[200, '<html>Welcome</html>', 'The response of the service is not JSON (HTTP 200)'],
])('HTTP %i with %j may have happened', async (status, body, message) => {
	await service.fault({
		endpoint: 'sendText',
		status,
		body,
		...(body?.includes('Welcome') && { headers: { 'content-type': 'text/html' } }),
	});
	const { error } = await service.run({ parameters: send });
	expect(error).toMatchObject({
		message: expect.stringContaining(message),
		description: expect.stringContaining('Check in the service before'),
		context: { sendStatus: 'mayHaveBeenSent' },
	});
});

test('a response that cannot be read, to a request that changes nothing, names the address', async () => {
	await service.fault({
		endpoint: 'getCurrentAccount',
		status: 200,
		body: '<html>Welcome</html>',
		headers: { 'content-type': 'text/html' },
		count: 9,
	});
	const { error } = await service.run({ parameters: getCurrent });
	expect(error?.description).toBe("Check 'Base URL' and 'API Path' in the credential.");
});

test('what an earlier attempt has deleted is deleted', async () => {
	await service.run({
		parameters: {
			resource: 'webhook',
			operation: 'create',
			url: 'https://example.com/hook',
			events: ['message.received'],
		},
	});
	const webhookId = { __rl: true, mode: 'id', value: service.sandbox.state.webhooks.all[0].id };
	await service.fault({ endpoint: 'deleteWebhook', status: 503, processed: true });
	const { outputs, error } = await service.run({
		parameters: { resource: 'webhook', operation: 'delete', webhookId },
	});
	expect([error, outputs[0][0].json]).toEqual([undefined, { deleted: true }]);
	expect(
		(await service.run({ parameters: { resource: 'webhook', operation: 'delete', webhookId } }))
			.error?.message,
	).toContain('did not find');
});

test('a service without HTTPS at an https:// address gets nothing', async () => {
	const { error } = await service.run({
		parameters: send,
		credentials: service.credentials({ baseUrl: service.url.replace('http:', 'https:') }),
	});
	expect(error).toMatchObject({
		message: expect.stringContaining('There is no HTTPS at'),
		context: { sendStatus: 'notSent' },
	});
});

test.each<[object, string]>([
	[
		{ requestsPerMinute: 'many' },
		"'Requests per Minute' of the credential is not a number above 0",
	],
	[{ requestsPerMinute: 0 }, "'Requests per Minute' of the credential is not a number above 0"],
])('the credential %j is refused', async (values, message) => {
	const { error } = await service.run({
		parameters: send,
		credentials: service.credentials(values as never),
	});
	expect(error).toMatchObject({
		message: `${message} [item 0]`,
		context: { sendStatus: 'notSent' },
	});
	expect(service.calls('sendText')).toBe(0);
});
