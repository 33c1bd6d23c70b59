/** What a call does after each response: whether it accepts it, repeats the request, tries another method, or gives up. */
import { type Endpoint, endpoints } from '../../../nodes/BusinessMessaging/api/endpoints';
import type { ApiRequest } from '../../../nodes/BusinessMessaging/transport/client';
import { pause, withDeadline } from '../../../nodes/BusinessMessaging/transport/deadline';
import { ServiceError } from '../../../nodes/BusinessMessaging/transport/errors';
import { type Answer, answering, clientOf } from '../../../harness/engine/functionService';

// No randomness: each pause before a repetition is the shortest possible.
beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => jest.restoreAllMocks());

async function outcome(answers: Answer[], endpoint: Endpoint, request: ApiRequest = {}) {
	const { client, routes } = clientOf(answering(...answers));
	const result = await client.call(endpoint, request).catch((error: ServiceError) => error);
	return { result, routes };
}

const text = (body: string, type = 'text/plain'): Answer => ({
	body,
	headers: { 'content-type': type },
});
const json = (body: string) => text(body, 'application/json');
const refused = Object.assign(new Error('Network'), { code: 'ECONNREFUSED' });
const broken = Object.assign(new Error('Network'), { code: 'ECONNRESET' });
const blocked = Object.assign(new Error('Blocked'), { name: 'SsrfBlockedHostnameError' });
const noTls = Object.assign(new Error('Network'), { code: 'ERR_SSL_BAD_RECORD_TYPE' });
const read = endpoints.getCurrentAccount;
const write = endpoints.sendText;
const update = endpoints.updateContact;
const remove = endpoints.deleteWebhook;

const nested = (levels: number) => json(`${'['.repeat(levels)}${']'.repeat(levels)}`);
const notJson = expect.objectContaining({
	kind: 'uncertain',
	message: 'The response of the service is not JSON (HTTP 200)',
});

test.each<[string, Answer, unknown]>([
	['JSON', json('{"id":1}'), { id: 1 }],
	['JSON with another content type', text('{"id":1}'), { id: 1 }],
	['a text', text('Accepted'), 'Accepted'],
	['a text that contains <', text('a < b'), 'a < b'],
	['nothing', json(''), undefined],
	['JSON with 100 levels', nested(100), expect.any(Array)],
	['JSON with more than 100 levels', nested(101), notJson],
	['incomplete JSON', json('{"id":'), notJson],
	['an HTML page', text(' \n<html></html>', 'text/html'), notJson],
	[
		'JSON that quotes the API key',
		text('{"key":"not\\u002da\\u002dreal\\u002dkey"}'),
		{ key: '[API key]' },
	],
	['HTTP 300', { status: 300 }, expect.objectContaining({ kind: 'refused', statusCode: 300 })],
])('a response of %s is accepted, or is an error', async (_, given, result) => {
	expect((await outcome([given], write)).result).toEqual(result);
});

test.each([409, 500])(
	'after HTTP %d, only a request that sends a message says that a message may be sent',
	async (status) => {
		const saysSo = async ([name, endpoint]: [string, Endpoint]) => {
			const { message, description } = (await outcome([{ status }], endpoint))
				.result as ServiceError;
			return /message was sent|has this message/.test(`${message} ${description}`) ? [name] : [];
		};
		const names = await Promise.all(Object.entries(endpoints).map(saysSo));
		expect(names.flat()).toEqual(['sendText', 'sendTemplate']);
	},
);

test('a TLS error blames the address; but after an earlier response, the message may have been sent', async () => {
	const { client } = clientOf(answering({ error: noTls }, json('{}'), { error: noTls }));
	await expect(client.call(write)).rejects.toMatchObject({ kind: 'configuration' });
	expect(await client.call(write)).toEqual({});
	await expect(client.call(write)).rejects.toMatchObject({ kind: 'uncertain' });
});

test.each<[string, Answer, Endpoint, number]>([
	['a read without a response', { error: broken }, read, 4],
	['a send without a connection', { error: refused }, write, 4],
	['a send that fails', { status: 500 }, write, 1],
	["a read that n8n's SSRF protection blocks", { error: { cause: blocked } }, read, 1],
	["a send that n8n's SSRF protection blocks", { error: { cause: blocked } }, write, 1],
])(
	'%s is sent as often as allowed',
	async (_, given, endpoint, times) => {
		const { result, routes } = await outcome([given], endpoint);
		expect(result).toBeInstanceOf(ServiceError);
		expect(routes).toHaveLength(times);
	},
	20_000,
);

test.each<[string, Answer[], number | undefined]>([
	['at first', [{ status: 404 }], 404],
	['after no connection', [{ error: refused }, { status: 404 }], 404],
	['after no response', [{ error: broken }, { status: 404 }], undefined],
	[
		'after a failure, then no connection',
		[{ status: 502 }, { error: refused }, { status: 404 }],
		undefined,
	],
	[
		'after no connection, then no response',
		[{ error: refused }, { error: broken }, { status: 404 }],
		undefined,
	],
])(
	'a record that is missing %s was deleted by an earlier attempt, or the error says that it is missing',
	async (_, answers, statusCode) => {
		const { result, routes } = await outcome(answers, remove, { id: 'w1' });
		expect([(result as ServiceError | undefined)?.statusCode, routes.length]).toEqual([
			statusCode,
			answers.length,
		]);
	},
);

describe('a network error', () => {
	const byCode = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'];
	const codes = [...byCode, 'ETIMEDOUT', 'ECONNRESET', 'EPIPE', 'EACCES'];
	type Make = (code: string, syscall?: string) => object;
	const alone: Make = (code, syscall) =>
		Object.assign(new Error(`${syscall} ${code}`), { code, ...(syscall && { syscall }) });
	/** As Node.js tries the addresses of a host one after the other. */
	const ofEachAddress: Make = (code, syscall) =>
		Object.assign(new AggregateError([alone(code, syscall), alone('ENETUNREACH', syscall)]), {
			code,
		});
	/** As axios and n8n do it. */
	const wrapped = (make: Make): Make => {
		return (code, syscall) => ({ cause: { code, cause: make(code, syscall) } });
	};
	const shapes = [alone, ofEachAddress, wrapped(alone), wrapped(ofEachAddress)];

	test.each<[string | undefined, string[]]>([
		['getaddrinfo', codes],
		['bind', codes],
		['connect', codes],
		['read', []],
		['write', []],
		[undefined, byCode],
	])(
		'of the system call %s means for the codes %j that nothing was sent, so the send is repeated; otherwise it is not',
		async (syscall, unsent) => {
			const cases = codes.flatMap((code) => shapes.map((make, shape) => ({ code, shape, make })));
			const given = cases.map(async ({ code, shape, make }) => {
				const { result, routes } = await outcome([{ error: make(code, syscall) }], write);
				const { kind, sendStatus } = result as ServiceError;
				return [code, shape, kind, sendStatus, routes.length];
			});
			const expected = cases.map(({ code, shape }) => [
				...[code, shape],
				...(unsent.includes(code)
					? ['unreachable', 'notSent', 4]
					: ['uncertain', 'mayHaveBeenSent', 1]),
			]);
			expect(await Promise.all(given)).toEqual(expected);
		},
	);
});

test.each<[string, Answer[], Endpoint, number | undefined]>([
	[
		'an earlier attempt may have removed it',
		[{ error: broken }, { status: 404 }],
		remove,
		undefined,
	],
	['it is the first attempt', [{ status: 404 }], remove, 404],
	['no earlier attempt reached the service', [{ error: refused }, { status: 404 }], remove, 404],
	['the status is not 404', [{ error: broken }, { status: 410 }], remove, 410],
	['the call only reads', [{ error: broken }, { status: 404 }], read, 404],
])(
	'a removal that finds nothing counts as done only if an earlier attempt may have removed it: %s',
	async (_, answers, endpoint, status) => {
		const { result } = await outcome(answers, endpoint, { id: '1' });
		expect((result as ServiceError | undefined)?.statusCode).toBe(status);
	},
);

test('after 404 or 405, the method of the other API path is tried; if it works, this endpoint keeps it', async () => {
	const { client, routes } = clientOf(answering({ status: 405 }, {}));
	await client.call(update, { id: '1' });
	await client.call(update, { id: '2' });
	await client.call({ ...update, methods: { '/v1': 'GET' } }, { id: '1' });
	const [put, ...others] = routes;
	expect(put).toBe('PUT /v1/contacts/1');
	expect(others).toEqual(['PATCH /v1/contacts/1', 'PATCH /v1/contacts/2', 'GET /v1/contacts/1']);
});

test.each([
	['/v1', 'PUT /v1/contacts/1', 'The service did not find the requested resource'],
	['/api/v1', 'PATCH /api/v1/contacts/1', 'The service does not offer POST /api/v1/templates'],
])(
	'under the API path %s, the first request of an update is %s, and the error of an endpoint that is not found is "%s"',
	async (apiPath, route, message) => {
		const { client, routes } = clientOf(answering({}, { status: 404 }), { apiPath });
		await client.call(update, { id: '1' });
		const call = client.call(endpoints.createTemplate);
		await expect(call).rejects.toMatchObject({ message: `${message} (HTTP 404)` });
		expect(routes).toEqual([route, `POST ${apiPath}/templates`]);
	},
);

test('once an endpoint has worked, a record that is not found is requested only once', async () => {
	const { client, routes } = clientOf(answering({}, { status: 404 }));
	await client.call(update, { id: '1' });
	await expect(client.call(update, { id: '2' })).rejects.toMatchObject({
		message: 'The service did not find the contact "2" (HTTP 404)',
		description: expect.stringContaining('It may have been renamed or deleted.'),
	});
	expect(routes).toEqual(['PUT /v1/contacts/1', 'PUT /v1/contacts/2']);
});

test.each([
	[404, 501, 2, 404],
	[405, 501, 2, 405],
	[405, 422, 2, 422],
	[422, 501, 1, 422],
])(
	'HTTP %i and %i: %i methods are tried, and the error is %i',
	async (one, other, count, shown) => {
		const endpoint = { ...update, idempotent: false };
		const answers = [{ status: one }, { status: other }];
		const { result, routes } = await outcome(answers, endpoint, { id: '1' });
		expect(result).toMatchObject({ statusCode: shown });
		expect(routes).toEqual(['PUT /v1/contacts/1', 'PATCH /v1/contacts/1'].slice(0, count));
	},
);

test('the code of a network error is read from the error that n8n has wrapped, and from no other place', async () => {
	const wrapped = (levels: number): unknown =>
		levels === 0 ? refused : { cause: wrapped(levels - 1) };
	const { result } = await outcome([{ error: wrapped(4) }], write);
	expect(result).toMatchObject({ kind: 'unreachable' });
	for (const error of [wrapped(5), 'ECONNREFUSED', null, { code: 7 }, {}]) {
		const { result: unknown } = await outcome([{ error }], write);
		expect(unknown).toMatchObject({ kind: 'uncertain' });
	}
});

test('messages that a closing window holds back take nothing from the rate of later ones', async () => {
	const { client, routes } = clientOf(answering({}), { requestsPerMinute: 1 });
	const held = { isStillAllowed: () => false };
	for (const kind of Array(3).fill('cancelled'))
		await expect(client.call(write, held)).rejects.toMatchObject({ kind });
	await client.call(write);
	expect(routes).toHaveLength(1);
});

test('a refused connection does not count for the rate', async () => {
	const service = answering({ error: refused }, { error: refused }, {});
	const { client, routes } = clientOf(service, { requestsPerMinute: 1 });
	await client.call(write);
	expect(routes).toHaveLength(3);
});

test.each([
	['as a high rate needs at the response time, half as many again', 60_000, 200, 24, 300],
	['the least at a low rate', 600, 200, 100, 100],
	['the least at a low rate with Send Once', 600, 200, 24, 24],
	['the greatest number at a long response time', 60_000, 5_000, 24, 600],
])('there are as many simultaneous requests: %s', async (_, requestsPerMinute, ms, least, most) => {
	let now = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	const service = () => {
		now += ms;
		return {};
	};
	const { client } = clientOf(service, { requestsPerMinute });
	expect(client.concurrency(least)).toBe(least);
	for (let n = 0; n < 60; n++) await client.call(read);
	expect(client.concurrency(least)).toBe(most);
});

test.each([
	[1_001.0000000000001, 1_001],
	[5e9, 3_600_000],
])('a timeout of %d ms reaches the request as %d ms', async (timeoutMs, expected) => {
	const { client, timeouts } = clientOf(answering({}), {}, { timeoutMs });
	await client.call(read);
	expect(timeouts).toEqual([expected]);
});

test('every caller gives up after its timeout, with the error code of a connection that timed out', async () => {
	const ends: unknown[] = [];
	const wait = async (ms: number) =>
		await withDeadline(new Promise(() => undefined), ms).catch(({ code }) => ends.push([ms, code]));
	await Promise.all([wait(200), wait(10)]);
	expect(ends).toEqual([10, 200].map((ms) => [ms, 'ETIMEDOUT']));
});

test('a response or failure within the timeout is passed on, even with a timeout of years', async () => {
	const ms = 5e12 + 0.5;
	expect(await withDeadline(Promise.resolve('in time'), ms)).toBe('in time');
	await expect(withDeadline(Promise.reject(new Error('x')), ms)).rejects.toThrow('x');
	const ends = [pause(ms).then(() => 'over'), pause(1).then(() => 'waiting')];
	expect(await Promise.race(ends)).toBe('waiting');
});

test('an execution that was stopped sends nothing and repeats nothing', async () => {
	const stop = new AbortController();
	const { client, routes } = clientOf(answering({ error: broken }), {}, { signal: stop.signal });
	const call = client.call(read).catch((error: ServiceError) => error);
	await new Promise(setImmediate); // the request is under way
	stop.abort();
	expect(await call).toMatchObject({ kind: 'uncertain' });
	expect(await client.call(write).catch((error: ServiceError) => error)).toMatchObject({
		kind: 'cancelled',
		message: 'The execution was stopped before the request was sent',
		sendStatus: 'notSent',
	});
	expect(routes).toHaveLength(1);
});
