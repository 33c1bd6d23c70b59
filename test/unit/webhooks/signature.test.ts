/** Signed deliveries at the edges: the oldest timestamp, other forms of a time, and fields that hold only spaces. */
import { createHmac } from 'node:crypto';

import {
	isSigned,
	type SignatureSettings,
	signingKey,
} from '../../../nodes/BusinessMessaging/webhooks/signature';

const now = Date.parse('2030-01-31T10:00:00Z');
const body = '{"event":"message.received","data":{}}';
const secret = 'the secret of this webhook';
const settings: SignatureSettings = { scheme: 'sha256-hex', header: 'X-Signature' };
const digestOf = (text: string, key = secret) =>
	createHmac('sha256', key).update(text).digest('hex');

function accepts(
	headers: Record<string, unknown>,
	further: Partial<SignatureSettings> = {},
	key = secret,
): boolean {
	return isSigned({ ...settings, ...further }, key, { headers, rawBody: Buffer.from(body) }, now);
}

test.each([
	['in seconds', `${now / 1000}`, true],
	['in milliseconds', `${now}`, true],
	['300 seconds ago', `${now / 1000 - 300}`, true],
	['in 300 seconds', `${now / 1000 + 300}`, true],
	['301 seconds ago', `${now / 1000 - 301}`, false],
	['in 301 seconds', `${now / 1000 + 301}`, false],
	['with a fraction', `${now / 1000}.5`, false],
	['as a date', '2030-01-31T10:00:00', false],
	['in nanoseconds', `${now}000000`, false],
	['missing', '', false],
])('a signed time %s is accepted: %s', (_, time, expected) => {
	const headers = { 'x-time': time, 'x-signature': digestOf(`${time}.${body}`) };
	expect(accepts(headers, { timestampHeader: 'X-Time' })).toBe(expected);
});

test.each<[string, Partial<SignatureSettings>, Record<string, unknown>, boolean]>([
	['around the header name', { header: ' X-Signature ' }, {}, true],
	['as the name of the timestamp header', { timestampHeader: ' ' }, {}, true],
	['around the signature', {}, { 'x-signature': ` ${digestOf(body)} ` }, true],
	['before the prefix', { prefix: 'v=' }, { 'x-signature': ` v=${digestOf(body)}` }, true],
	['inside the signature', {}, { 'x-signature': digestOf(body).replace(/./, '$& ') }, false],
])('spaces %s: %j', (_, further, headers, expected) => {
	expect(accepts({ 'x-signature': digestOf(body), ...headers }, further)).toBe(expected);
});

test.each(['', ' ', '\n'])('the empty secret %j signs nothing', (blank) => {
	expect(signingKey(settings, blank)).toBeUndefined();
	expect(accepts({ 'x-signature': digestOf(body, blank) }, {}, blank)).toBe(false);
});
