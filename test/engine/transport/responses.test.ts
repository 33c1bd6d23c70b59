/** Responses have a greatest size and a time limit, and their connection ends with the request. */
import { getEventListeners, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { readBodyText } from '../../../nodes/BusinessMessaging/transport/connect';
import { sendText, useOtherHost, useService } from '../../../harness/engine/service';
import { until } from '../../../harness/until';

const service = useService();
let respond: (response: ServerResponse) => unknown;
const host = useOtherHost((_, response) => void respond(response));

const account = { resource: 'account', operation: 'getCurrent' };
/** Runs an operation against the host. */
const run = async (parameters: object, options = {}) =>
	await service.run({
		parameters: { ...parameters, options },
		credentials: service.credentials({ baseUrl: host.url }),
	});

const head = { 'content-type': 'application/json' };
const packed = (megabytes: number) =>
	gzipSync(JSON.stringify({ id: 'a'.repeat(megabytes * 2 ** 20) }));

test('a response that grows beyond 32 MB when it is decompressed is refused at once', async () => {
	const body = packed(64);
	expect(body.length).toBeLessThan(80_000);
	respond = (response) =>
		response.writeHead(200, { ...head, 'content-encoding': 'gzip' }).end(body);
	const read = await run(account);
	expect(read.error?.message).toContain('The response of the service is larger than 32 MB');
	expect(read.error?.context).toMatchObject({ sendStatus: 'notSent' });
	const sent = await run(sendText);
	expect(sent.error?.message).toContain('The response of the service is larger than 32 MB');
	expect(sent.error?.context).toMatchObject({ sendStatus: 'mayHaveBeenSent' });
	expect(host.seen).toHaveLength(2);
});

test('an endless response is refused, and its connection is closed', async () => {
	let isClosed = false;
	respond = async (response) => {
		const closed = once(response, 'close').then(() => (isClosed = true));
		response.writeHead(200, head);
		const part = Buffer.alloc(2 ** 20, 'a');
		while (!isClosed) {
			const isFull = !response.write(part);
			if (isFull) await Promise.race([once(response, 'drain'), closed]);
		}
	};
	const { error } = await run(account);
	expect(error?.message).toContain('larger than 32 MB');
	await until('the end of the connection', () => isClosed);
});

test('a response of 30 MB is read', async () => {
	respond = (response) =>
		response.writeHead(200, { ...head, 'content-encoding': 'gzip' }).end(packed(30));
	const { outputs } = await run(account);
	expect(outputs[0][0].json.id).toHaveLength(30 * 2 ** 20);
});

test.each([
	['headers', false],
	['body, which comes byte by byte,', true],
])(
	'a response that does not end its %s within Timeout loses its connection',
	async (_, hasHeaders) => {
		let isClosed = false;
		respond = async (response) => {
			response.once('close', () => (isClosed = true));
			if (hasHeaders) response.writeHead(200, head);
			while (!isClosed) {
				if (hasHeaders) response.write(' ');
				await sleep(50);
			}
		};
		const { error } = await run({ ...sendText }, { timeout: 1 });
		expect(error?.message).toContain('The service did not respond within 1 s');
		await until('the end of the connection', () => isClosed);
	},
);

test.each([{ ok: false }, { Ok: 'false' }, { success: false }, { status: 'error', message: 'No' }])(
	'the status 200 with %j is an error, and the contact does not count as created',
	async (body) => {
		respond = (response) => response.writeHead(200, head).end(JSON.stringify(body));
		const phone = '+15550001001';
		const { error } = await run({ resource: 'contact', operation: 'create', phone });
		expect(error?.context).toMatchObject({ sendStatus: 'notSent' });
		expect((await run(account)).error).toBeDefined();
	},
);

test.each([
	['a byte order mark', Buffer.from('\ufeff{"id":"ä"}')],
	['letters that are split between packets', Buffer.from(`{"id":"${'ä'.repeat(100_000)}"}`)],
])('a response is read in spite of %s', async (_, body) => {
	respond = (response) => response.writeHead(200, head).end(body);
	const { outputs } = await run(account);
	expect(outputs[0][0].json.id).toMatch(/^ä+$/);
});

describe('the body of a response', () => {
	async function* broken() {
		yield Buffer.from('{');
		throw new Error('The connection was lost');
	}
	const tooLarge = () => Readable.from([Buffer.alloc(33 * 2 ** 20)]);

	test.each<[string, () => Readable, string]>([
		['was read', () => Readable.from([Buffer.from('{}')]), '{}'],
		['is too large', tooLarge, 'Too large'],
		['breaks off', () => Readable.from(broken()), 'The connection was lost'],
	])('that %s is not kept until the timeout', async (_, make, result) => {
		const signals: AbortSignal[] = [];
		const send = async (signal: AbortSignal) => {
			signals.push(signal);
			return { statusCode: 200, headers: {}, body: make() };
		};
		const read = readBodyText(send, 60_000).then(({ body }) => body);
		expect(await read.catch(({ message }: Error) => message)).toBe(result);
		expect(signals.map((signal) => getEventListeners(signal, 'abort'))).toEqual([[]]);
	});

	test('that comes after the timeout loses its connection', async () => {
		const endless = new Readable({ read: () => undefined });
		const send = async (signal: AbortSignal) => {
			await once(signal, 'abort');
			return { statusCode: 200, headers: {}, body: endless };
		};
		await expect(readBodyText(send, 10)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
		await until('the end of the connection', () => endless.destroyed);
	});
});
