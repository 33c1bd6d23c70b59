/** Reading the body of a response as n8n's helpers give it. */
import { Readable } from 'node:stream';

import { readBodyText } from '../../../nodes/BusinessMessaging/transport/connect';
import { maxResponseBytes, tooLargeCode } from '../../../nodes/BusinessMessaging/transport/errors';

const read = async (body: unknown, timeoutMs = 1_000) =>
	await readBodyText(async () => ({ statusCode: 200, headers: { a: 'b' }, body }), timeoutMs);

test.each([
	['a text', 'Grüße', 'Grüße'],
	['nothing', undefined, ''],
	['an object, as a test of n8n gives it', { id: 1 }, '{"id":1}'],
	['a list', [1], '[1]'],
	['a stream', Readable.from([Buffer.from('Gr'), Buffer.from('üße')]), 'Grüße'],
	['a character in two parts', Readable.from([Buffer.from([0xc3]), Buffer.from([0xbc])]), 'ü'],
	['a byte order mark', Readable.from([Buffer.from('\ufeff{}')]), '{}'],
])('reads %s', async (_, body, expected) => {
	expect(await read(body)).toEqual({ statusCode: 200, headers: { a: 'b' }, body: expected });
});

test.each([
	['application/json; charset=iso-8859-1', [0x47, 0x72, 0xfc, 0xdf, 0x65], 'Grüße'],
	['text/plain;charset="Windows-1251"', [0xcf, 0xf0], 'Пр'],
	['application/json; charset=UTF-8', [0xc3, 0xbc], 'ü'],
	['application/json; charset=unknown', [0xc3, 0xbc], 'ü'],
	['application/json', [0xfc], '\ufffd'],
])('a body is decoded as its header says: %s', async (type, bytes, expected) => {
	const body = Readable.from([Buffer.from(bytes)]);
	const headers = { 'content-type': type };
	const read = await readBodyText(async () => ({ statusCode: 200, headers, body }), 1_000);
	expect(read.body).toBe(expected);
});

test.each([0, 1])('a body that is %d bytes larger than the maximum', async (more) => {
	const half = Buffer.alloc(maxResponseBytes / 2);
	const stream = Readable.from([half, half, Buffer.alloc(more)]);
	const outcome = await read(stream, 60_000).catch(({ code }: NodeJS.ErrnoException) => code);
	expect(outcome === tooLargeCode).toBe(more > 0);
	expect(stream.destroyed).toBe(true);
});

test('a body that takes too long is closed', async () => {
	const stream = new Readable({ read: () => {} });
	const expected = { message: 'Timed out', code: 'ETIMEDOUT' };
	await expect(read(stream, 50)).rejects.toMatchObject(expected);
	expect(stream.destroyed).toBe(true);
});

test('a response that comes after the time is up is closed, too', async () => {
	const stream = new Readable({ read: () => {} });
	let respond!: (response: object) => void;
	const response = new Promise<object>((resolve) => (respond = resolve));
	await expect(readBodyText(async () => await response, 50)).rejects.toThrow('Timed out');
	respond({ statusCode: 200, headers: {}, body: stream });
	await new Promise((resolve) => stream.once('close', resolve));
});

test('a body that was read leaves no listener behind', async () => {
	let signal: AbortSignal | undefined;
	const removed = jest.spyOn(AbortSignal.prototype, 'removeEventListener');
	await readBodyText(async (given) => {
		signal = given;
		return { statusCode: 200, headers: {}, body: Readable.from([Buffer.from('x')]) };
	}, 1_000);
	expect(removed.mock.contexts).toContain(signal);
});
