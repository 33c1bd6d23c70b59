/** Signatures over the raw body, for services that sign their deliveries. Assumption: the specification shows none. */
import { createHmac } from 'crypto';

import type { Delivery } from './delivery';
import { isSame } from './secret';

/** How a service signs, as the fields of the trigger say. */
export interface SignatureSettings {
	kind: 'custom' | 'standardWebhooks' | 'timestamped';
	/** Name of the header that holds the signature; `standardWebhooks` has its own. */
	header: string;
	/** Only for `custom`, like all below. */
	algorithm?: 'sha1' | 'sha256' | 'sha512';
	encoding?: 'hex' | 'base64';
	/** What is before the signature in the header. */
	prefix?: string;
	/** Name of the header with the time of signing; then the time, a dot and the body are signed. */
	timestampHeader?: string;
}

/** What of a delivery is signed, and the signatures that it brings. */
interface Signed {
	key: string | Buffer;
	/** Several while a service changes its secret. */
	signatures: string[];
	/** Unix time in seconds or ms; absent if the scheme has none. */
	timestamp?: string;
	/** What is before the body in the signed text. */
	prefix: string;
}

type Headers = Delivery['headers'];

/** How old or how far ahead the time of signing may be. */
const toleranceMs = 300_000;

/** https://www.standardwebhooks.com: `webhook-id`, `webhook-timestamp` and `webhook-signature: v1,<base64> …`. */
function readStandardWebhooks(headers: Headers, secret: string): Signed {
	const timestamp = text(headers['webhook-timestamp']);
	const signatures = text(headers['webhook-signature']).split(/\s+/);
	return {
		key: Buffer.from(secret.replace(/^whsec_/, ''), 'base64'),
		signatures: signatures.filter((one) => one.startsWith('v1,')).map((one) => one.slice(3)),
		timestamp,
		prefix: `${text(headers['webhook-id'])}.${timestamp}.`,
	};
}

/** One header of the form `t=1700000000,v1=5257a8…`. */
function readTimestamped(headers: Headers, secret: string, header: string): Signed {
	const pairs = text(headers[header]).split(',');
	const valuesOf = (name: string) =>
		pairs
			.map((pair) => pair.trim())
			.filter((pair) => pair.startsWith(`${name}=`))
			.map((pair) => pair.slice(name.length + 1));
	const [timestamp = ''] = valuesOf('t');
	return { key: secret, signatures: valuesOf('v1'), timestamp, prefix: `${timestamp}.` };
}

function readCustom(headers: Headers, secret: string, settings: SignatureSettings): Signed {
	const { header, prefix = '', timestampHeader = '' } = settings;
	const value = text(headers[nameOf(header)]).trim();
	const signatures = value.startsWith(prefix) ? [value.slice(prefix.length)] : [];
	if (nameOf(timestampHeader) === '') return { key: secret, signatures, prefix: '' };
	const timestamp = text(headers[nameOf(timestampHeader)]);
	return { key: secret, signatures, timestamp, prefix: `${timestamp}.` };
}

function readSigned(headers: Headers, secret: string, settings: SignatureSettings): Signed {
	switch (settings.kind) {
		case 'standardWebhooks':
			return readStandardWebhooks(headers, secret);
		case 'timestamped':
			return readTimestamped(headers, secret, nameOf(settings.header));
		case 'custom':
			return readCustom(headers, secret, settings);
	}
}

/**
 * Whether a delivery is signed with a secret.
 *
 * @param now in ms
 */
export function isSigned(
	settings: SignatureSettings,
	secret: string,
	{ headers, rawBody }: Delivery,
	now: number,
): boolean {
	if (secret === '') return false;
	const { key, signatures, timestamp, prefix } = readSigned(headers, secret, settings);
	if (timestamp !== undefined && !isRecent(timestamp, now)) return false;
	const { algorithm = 'sha256' } = settings;
	const encoding = settings.kind === 'standardWebhooks' ? 'base64' : (settings.encoding ?? 'hex');
	const expected = createHmac(algorithm, key).update(prefix).update(rawBody).digest(encoding);
	const written = (signature: string) => (encoding === 'hex' ? signature.toLowerCase() : signature);
	return signatures.some((signature) => isSame(written(signature), expected));
}

/** A Unix time in seconds or in ms. */
function isRecent(timestamp: string, now: number): boolean {
	if (!/^\d{1,15}$/.test(timestamp)) return false;
	const ms = Number(timestamp) * (Number(timestamp) > 1e11 ? 1 : 1000);
	return Math.abs(now - ms) <= toleranceMs;
}

function nameOf(header: string): string {
	return header.trim().toLowerCase();
}

function text(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
