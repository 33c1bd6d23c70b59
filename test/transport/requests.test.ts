/** What a request carries, and where it goes. */
import { useService } from '../support/service';

const service = useService({ sampleContacts: 1 });
const getCurrent = { resource: 'account', operation: 'getCurrent' };
const requests = () => service.sandbox.state.requests.last();

test.each([
	['', 'automatic', '/v1/auth/me'],
	['/', 'automatic', '/v1/auth/me'],
	['/v1', 'automatic', '/v1/auth/me'],
	['/api', 'automatic', '/api/v1/auth/me'],
	['/api/v1/', 'automatic', '/api/v1/auth/me'],
	['', '/api/v1', '/api/v1/auth/me'],
	['/api', '/api/v1', '/api/v1/auth/me'],
	['', '/v1', '/v1/auth/me'],
])('with the base address %j and the API path %s it goes to %s', async (path, apiPath, url) => {
	const { error } = await service.run({
		parameters: getCurrent,
		credentials: service.credentials({ baseUrl: ` ${service.url}${path} `, apiPath }),
	});
	expect(error).toBeUndefined();
	expect(requests().map((request) => request.url)).toEqual([url]);
});

test('says that it brings JSON where it brings some, and nothing of the kind where not', async () => {
	await service.run({ parameters: getCurrent });
	await service.run({
		parameters: { resource: 'message', operation: 'sendText', to: '+15550001000', text: 'Hi' },
	});
	expect(
		requests().map(({ method, headers }) => [method, headers.accept, headers['content-type']]),
	).toEqual([
		['GET', 'application/json', undefined],
		['POST', 'application/json', 'application/json'],
	]);
	const keys = requests().map(({ headers }) => headers['idempotency-key']);
	expect(keys).toEqual([undefined, expect.stringMatching(/\S{8,}/)]);
});

test('names and values of any kind arrive as they are', async () => {
	const fields = [
		{ name: 'constructor', type: 'text', value: 'x' },
		{ name: 'name[]', type: 'text', value: 'y' },
	];
	await service.run({
		parameters: {
			resource: 'message',
			operation: 'sendText',
			to: '+15550001000',
			text: '"\\ 👍 \u2028',
			additionalFields: { field: fields },
		},
	});
	expect(requests()[0].body).toEqual({
		to: '+15550001000',
		text: '"\\ 👍 \u2028',
		constructor: 'x',
		'name[]': 'y',
	});
});

test('an identifier is a part of the path and leads nowhere else', async () => {
	const contactId = { __rl: true, mode: 'id', value: '../me?x=1#y' };
	await service.run({
		parameters: {
			resource: 'contact',
			operation: 'update',
			contactId,
			updateFields: { name: 'Anna' },
		},
	});
	expect(requests()[0].url).toBe('/v1/contacts/..%2Fme%3Fx%3D1%23y');
});

test('a service that is not there is named', async () => {
	const { error } = await service.run({
		parameters: getCurrent,
		credentials: service.credentials({ baseUrl: 'http://127.0.0.1:9' }),
	});
	expect(error).toMatchObject({
		message: 'The service cannot be reached at 127.0.0.1:9: the connection was refused [item 0]',
		description: expect.stringContaining(
			"Check 'Base URL' in the credential and the network of n8n, then run it again. (ECONNREFUSED)",
		),
		context: { sendStatus: 'notSent' },
	});
});
