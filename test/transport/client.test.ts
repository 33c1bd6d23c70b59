/** What one call does with each response: whether it is believed, made again, made in another way, or given up. */
import { type Endpoint, endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import { readServiceConfig } from '../../nodes/BusinessMessaging/transport/serviceConfig';
import {
	type ApiRequest,
	Client,
	type ClientOptions,
} from '../../nodes/BusinessMessaging/transport/client';
import { ServiceError } from '../../nodes/BusinessMessaging/transport/errors';

interface Given {
	status?: number;
	type?: string;
	body?: string;
	/** Thrown instead of an answer. */
	error?: unknown;
}

const apiKey = 'not-a-real-key';
let services = 0;

// No chance, which makes the shortest pauses before a call is made again.
beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => jest.restoreAllMocks());

/** A client of a service of its own that gives these answers one after the other, and in the end the last one again. */
function clientFor(
	answers: Given[],
	options?: ClientOptions,
	requestsPerMinute = 1_000,
	baseUrl = `https://service${++services}.example.com`,
) {
	const asked: string[] = [];
	const timeouts: number[] = [];
	const client = new Client(
		async ({ method, url, timeoutMs }) => {
			asked.push(`${method} ${new URL(url).pathname}`);
			timeouts.push(timeoutMs);
			const given = answers[Math.min(asked.length, answers.length) - 1];
			if ('error' in given) throw given.error;
			const { status = 200, type = 'application/json', body = '{}' } = given;
			return { statusCode: status, headers: { 'content-type': type }, body };
		},
		readServiceConfig({ baseUrl, apiKey, requestsPerMinute }),
		options,
	);
	return { client, asked, timeouts };
}

async function outcome(
	answers: Given[],
	endpoint: Endpoint,
	request: ApiRequest = {},
	options?: ClientOptions,
) {
	const { client, asked } = clientFor(answers, options);
	const result = await client.call(endpoint, request).catch((error: ServiceError) => error);
	return { result, asked };
}

const networkError = (code?: string) => Object.assign(new Error('Network'), { code });
const refused = networkError('ECONNREFUSED');
const broken = networkError('ECONNRESET');
const [read, write, update, remove] = [
	endpoints.getCurrentAccount,
	endpoints.sendText,
	endpoints.updateContact,
	endpoints.deleteWebhook,
];

test.each<[string, Given, unknown]>([
	['JSON', { body: '{"id":1}' }, { id: 1 }],
	['JSON under another type', { type: 'text/plain', body: '{"id":1}' }, { id: 1 }],
	['a text', { type: 'text/plain', body: 'Accepted' }, 'Accepted'],
	['nothing', { body: '' }, undefined],
	['nothing, of no type', { type: '', status: 204, body: '' }, undefined],
	['a text with a sign in it', { type: 'text/plain', body: 'a < b' }, 'a < b'],
])('%s is the answer', async (_, given, body) => {
	expect((await outcome([given], write)).result).toEqual(body);
});

test.each<[string, Given]>([
	['JSON that breaks off', { body: '{"id":' }],
	['a page', { type: 'text/html', body: ' \n<html></html>' }],
])('%s is no answer', async (_, given) => {
	expect((await outcome([given], write)).result).toMatchObject({
		kind: 'indeterminate',
		message: 'The response of the service is not JSON (HTTP 200)',
	});
});

test('the number of levels is bounded', async () => {
	const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
	expect((await outcome([{ body: nested(100) }], write)).result).toBeInstanceOf(Array);
	expect((await outcome([{ body: nested(101) }], write)).result).toMatchObject({
		kind: 'indeterminate',
	});
});

test.each([300, 399])('HTTP %i is no success', async (status) => {
	expect((await outcome([{ status }], write)).result).toMatchObject({
		kind: 'refused',
		statusCode: status,
	});
});

test.each<[string, Given, Endpoint, number]>([
	['a read without an answer', { error: broken }, read, 4],
	['a read that fails', { status: 503 }, read, 4],
	['a send without a connection', { error: refused }, write, 4],
	['a send without an answer', { error: broken }, write, 1],
	['a send that fails', { status: 500 }, write, 1],
	['a send that is refused', { status: 422 }, write, 1],
	['a read that is refused', { status: 403 }, read, 1],
])(
	'%s goes out as often as it may',
	async (_, given, endpoint, times) => {
		const { result, asked } = await outcome([given], endpoint);
		expect(result).toBeInstanceOf(ServiceError);
		expect(asked).toHaveLength(times);
	},
	20_000,
);

test('a removal that was made again and found nothing has worked; one that found nothing at first has not', async () => {
	expect(await outcome([{ error: broken }, { status: 404 }], remove, { id: '1' })).toEqual({
		result: undefined,
		asked: ['DELETE /v1/webhooks/1', 'DELETE /v1/webhooks/1'],
	});
	expect((await outcome([{ status: 404 }], remove, { id: '1' })).result).toMatchObject({
		statusCode: 404,
	});
	expect(
		(await outcome([{ error: refused }, { status: 404 }], remove, { id: '1' })).result,
	).toMatchObject({ statusCode: 404 });
	expect(
		(await outcome([{ error: broken }, { status: 410 }], remove, { id: '1' })).result,
	).toMatchObject({ statusCode: 410 });
	expect((await outcome([{ error: broken }, { status: 404 }], read)).result).toMatchObject({
		statusCode: 404,
	});
});

test('the method of the other API path is tried where there is nothing, and kept once it was taken', async () => {
	const { client, asked } = clientFor([{ status: 405 }, {}, {}]);
	await client.call(update, { id: '1' });
	await client.call(update, { id: '2' });
	expect(asked).toEqual(['PUT /v1/contacts/1', 'PATCH /v1/contacts/1', 'PATCH /v1/contacts/2']);
});

test('what one endpoint was found to take says nothing of another on the same path', async () => {
	const { client, asked } = clientFor([{ status: 405 }, {}, {}]);
	await client.call(update, { id: '1' });
	await client.call({ ...update, methods: { '/v1': 'GET' } }, { id: '1' });
	expect(asked.slice(1)).toEqual(['PATCH /v1/contacts/1', 'GET /v1/contacts/1']);
});

test('once an endpoint has worked, a record that is not found is asked for once', async () => {
	const { client, asked } = clientFor([{}, { status: 404 }]);
	await client.call(update, { id: '1' });
	await expect(client.call(update, { id: '2' })).rejects.toMatchObject({
		message: 'The service did not find the contact "2" (HTTP 404)',
		description: 'It may have been renamed or deleted. Check the values of the request.',
	});
	expect(asked).toEqual(['PUT /v1/contacts/1', 'PUT /v1/contacts/2']);
});

test.each([404, 405])(
	'if neither is taken, the error is that of the first, HTTP %i',
	async (status) => {
		expect(
			await outcome([{ status }, { status: 501 }], { ...update, idempotent: false }, { id: '1' }),
		).toMatchObject({
			result: { statusCode: status },
			asked: ['PUT /v1/contacts/1', 'PATCH /v1/contacts/1'],
		});
	},
);

test('any other refusal is believed at once', async () => {
	expect((await outcome([{ status: 422 }, {}], update, { id: '1' })).asked).toEqual([
		'PUT /v1/contacts/1',
	]);
	expect((await outcome([{ status: 403 }, {}], update, { id: '1' })).asked).toEqual([
		'PUT /v1/contacts/1',
	]);
});

test.each([undefined, '', '.', '..', '\ud800'])(
	'with %j for an identifier nothing is sent',
	async (id) => {
		const { result, asked } = await outcome([{}], update, { id });
		expect(result).toMatchObject({
			kind: 'configuration',
			message: 'The record ID is empty or invalid',
			description: 'Choose the record from the list or enter its ID.',
		});
		expect(asked).toEqual([]);
	},
);

test('an identifier stays within its place in the path', async () => {
	expect((await outcome([{}], update, { id: '../a?b#c' })).asked).toEqual([
		'PUT /v1/contacts/..%2Fa%3Fb%23c',
	]);
});

test('the code of a fault is found where n8n has wrapped it, and only there', async () => {
	const wrapped = (levels: number): unknown =>
		levels === 0 ? refused : { cause: wrapped(levels - 1) };
	expect(
		(await outcome([{ error: wrapped(4) }], write, {}, { timeoutMs: 1 })).result,
	).toMatchObject({ kind: 'unreachable' });
	for (const given of [wrapped(5), 'ECONNREFUSED', null, { code: 7 }, {}]) {
		expect((await outcome([{ error: given }], write)).result).toMatchObject({
			kind: 'indeterminate',
			message: 'The connection to the service was lost before it responded',
		});
	}
}, 20_000);

test('a connection that was refused takes no part of the rate', async () => {
	const { client, asked } = clientFor([{ error: refused }, { error: refused }, {}], {}, 1);
	await client.call(write);
	expect(asked).toHaveLength(3);
});

test('credentials with one host and key share the rate, however the address is written', async () => {
	const { client, asked } = clientFor([{}], {}, 2);
	const other = clientFor([{}], {}, 2, `${client.config.root.toUpperCase()}/eu`);
	await client.call(read);
	await other.client.call(read);
	void client.call(read).catch(() => undefined);
	await new Promise(setImmediate);
	expect([asked.length, other.asked.length]).toEqual([1, 1]);
});

test.each([
	[1_001.0000000000001, 1_001],
	[5e9, 3_600_000],
])('a timeout of %d ms reaches the request as %d ms', async (timeoutMs, expected) => {
	const { client, timeouts } = clientFor([{}], { timeoutMs });
	await client.call(read);
	expect(timeouts).toEqual([expected]);
});

test('a key that the service quotes is left out, however it is written', async () => {
	const quoted = apiKey.replaceAll('-', '\\u002d');
	expect((await outcome([{ body: `{"id":1,"key":"${quoted}"}` }], write)).result).toEqual({
		id: 1,
		key: '[API key]',
	});
});

test('an execution that was stopped sends nothing, and gives up what it would do again', async () => {
	const stop = new AbortController();
	const { client, asked } = clientFor([{ error: broken }], { signal: stop.signal });
	const call = client.call(read).catch((error: ServiceError) => error);
	stop.abort();
	expect(await call).toMatchObject({ kind: 'indeterminate' });
	expect(asked).toHaveLength(1);
	expect(await client.call(write).catch((error: ServiceError) => error)).toMatchObject({
		kind: 'cancelled',
		message: 'The execution was stopped before the request was sent',
		sendStatus: 'notSent',
	});
	expect(asked).toHaveLength(1);
});

test('a mistake of our own comes through as it is', async () => {
	const request = {
		get body(): never {
			throw new TypeError('Ours');
		},
	};
	await expect(clientFor([{}]).client.call(write, request)).rejects.toThrow(new TypeError('Ours'));
});
