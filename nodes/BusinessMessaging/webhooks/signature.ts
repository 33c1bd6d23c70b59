/** Signatures over the raw body, for services that sign their deliveries. Assumption: the specification shows none. */
import { createHmac } from 'crypto';

import type { Delivery } from './delivery';
import { isSame } from './secret';

/** How a service signs, as the fields of the trigger say. */
export interface SignatureSettings {
	kind: 'custom' | 'standardWebhooks';
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

type Given = [headers: Delivery['headers'], secret: string, settings: SignatureSettings];

/** How old or how far ahead the time of signing may be. */
const toleranceMs = 300_000;

/** How each kind of signature is read. */
const readers: Record<SignatureSettings['kind'], (...given: Given) => Signed> = {
	/** https://www.standardwebhooks.com: `webhook-id`, `webhook-timestamp` and `webhook-signature: v1,<base64> …`. */
	standardWebhooks: (headers, secret) => {
		const timestamp = headerOf(headers, 'webhook-timestamp');
		const signatures = headerOf(headers, 'webhook-signature').split(/\s+/);
		return {
			key: Buffer.from(secret.replace(/^whsec_/, ''), 'base64'),
			signatures: valuesOf(signatures, 'v1,'),
			timestamp,
			prefix: `${headerOf(headers, 'webhook-id')}.${timestamp}.`,
		};
	},
	custom: (headers, secret, { header, prefix = '', timestampHeader = '' }) => {
		const signatures = valuesOf([headerOf(headers, header)], prefix);
		if (timestampHeader.trim() === '') return { key: secret, signatures, prefix: '' };
		const timestamp = headerOf(headers, timestampHeader);
		return { key: secret, signatures, timestamp, prefix: `${timestamp}.` };
	},
};

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
	const { key, signatures, timestamp, prefix } = readers[settings.kind](headers, secret, settings);
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

/** The value of a header; empty if it is missing. */
function headerOf(headers: Delivery['headers'], name: string): string {
	const value = headers[name.trim().toLowerCase()];
	return typeof value === 'string' ? value : '';
}

/** What follows a prefix, in each of the texts that begin with it. */
function valuesOf(texts: string[], prefix: string): string[] {
	const trimmed = texts.map((text) => text.trim());
	return trimmed.filter((text) => text.startsWith(prefix)).map((text) => text.slice(prefix.length));
}
