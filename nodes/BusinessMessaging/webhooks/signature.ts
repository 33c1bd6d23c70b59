/** Signatures over the raw body, for services that sign their deliveries. Assumption: the specification shows none. */
import { createHmac } from 'crypto';

import type { Delivery } from './delivery';
import { isSame } from './secret';

/** How a service signs. */
export interface SignatureScheme {
	/** Name of the header that holds the signature, in lower case. */
	header: string;
	algorithm: 'sha1' | 'sha256' | 'sha512';
	encoding: 'hex' | 'base64';
	/** The key that the secret stands for. */
	key(secret: string): string | Buffer;
	/** The signatures that the header holds; a service that changes its secret sends one with each. */
	signatures(header: string): string[];
	/** The moment of signing, which is signed as well; absent if the scheme has none. */
	timestamp?(headers: Headers, header: string): string | undefined;
	/** What stands before the body in the signed text. */
	prefix(headers: Headers, timestamp: string): string;
	/** How old or how far ahead the moment may be, in seconds. */
	tolerance: number;
}

type Headers = Record<string, unknown>;

const defaultTolerance = 300;

const plain: Omit<SignatureScheme, 'header'> = {
	algorithm: 'sha256',
	encoding: 'hex',
	key: (secret) => secret,
	signatures: (header) => [header.trim()],
	prefix: () => '',
	tolerance: defaultTolerance,
};

/** Values of a header of the form `t=1700000000,v1=5257a8…`. */
function pairs(header: string, name: string): string[] {
	return header.split(',').flatMap((pair) => {
		const [key, ...rest] = pair.trim().split('=');
		return key === name ? [rest.join('=')] : [];
	});
}

/** https://www.standardwebhooks.com: `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,<base64> …`. */
const standardWebhooks: SignatureScheme = {
	...plain,
	header: 'webhook-signature',
	encoding: 'base64',
	key: (secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'),
	signatures: (header) =>
		header.split(/\s+/).flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : [])),
	timestamp: (headers) => text(headers['webhook-timestamp']),
	prefix: (headers, timestamp) => `${text(headers['webhook-id']) ?? ''}.${timestamp}.`,
};

/** What the fields of the trigger say about signatures. */
export interface SignatureSettings {
	/** Name of a preset, or `custom`. */
	kind: string;
	/** Name of the header, as written by the user. */
	header: string;
	custom: Record<string, unknown>;
}

/** The scheme that the user has chosen; undefined for none. */
export function schemeOf({ kind, header, custom }: SignatureSettings): SignatureScheme | undefined {
	const base = { ...plain, header: header.trim().toLowerCase() };
	switch (kind) {
		case 'standardWebhooks':
			return standardWebhooks;
		case 'timestamped':
			return {
				...base,
				signatures: (value) => pairs(value, 'v1'),
				timestamp: (_, value) => pairs(value, 't').at(0),
				prefix: (_, timestamp) => `${timestamp}.`,
			};
		case 'sha256':
			return { ...base, signatures: (value) => withoutPrefix(value, 'sha256=') };
		case 'hex':
			return base;
		case 'custom':
			return customScheme(base, custom);
		default:
			return undefined;
	}
}

function customScheme(base: SignatureScheme, custom: Record<string, unknown>): SignatureScheme {
	const timestampHeader = (text(custom.timestampHeader) ?? '').trim().toLowerCase();
	const scheme: SignatureScheme = {
		...base,
		algorithm: (custom.algorithm ?? 'sha256') as SignatureScheme['algorithm'],
		encoding: (custom.encoding ?? 'hex') as SignatureScheme['encoding'],
		signatures: (value) => withoutPrefix(value, text(custom.prefix) ?? ''),
		tolerance: Number(custom.tolerance ?? defaultTolerance),
	};
	if (timestampHeader === '') return scheme;
	return {
		...scheme,
		timestamp: (headers) => text(headers[timestampHeader]),
		prefix: (_, timestamp) => `${timestamp}.`,
	};
}

function withoutPrefix(value: string, prefix: string): string[] {
	return value.trim().startsWith(prefix) ? [value.trim().slice(prefix.length)] : [];
}

function text(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

/**
 * Whether a delivery is signed with a secret.
 *
 * @param now in ms
 */
export function isSigned(
	scheme: SignatureScheme,
	secret: string,
	{ headers, rawBody }: Delivery,
	now: number,
): boolean {
	const header = text(headers[scheme.header]);
	const timestamp = header === undefined ? undefined : scheme.timestamp?.(headers, header);
	if (
		secret === '' ||
		header === undefined ||
		(scheme.timestamp && !isRecent(timestamp, scheme.tolerance, now))
	)
		return false;
	const hmac = createHmac(scheme.algorithm, scheme.key(secret));
	const expected = hmac
		.update(scheme.prefix(headers, timestamp ?? ''))
		.update(rawBody)
		.digest(scheme.encoding);
	const written = (signature: string) =>
		scheme.encoding === 'hex' ? signature.toLowerCase() : signature;
	return scheme.signatures(header).some((signature) => isSame(written(signature), expected));
}

/** A Unix time in seconds or in ms. */
function isRecent(timestamp: string | undefined, tolerance: number, now: number): boolean {
	if (!timestamp || !/^\d{1,15}$/.test(timestamp)) return false;
	const ms = Number(timestamp) * (Number(timestamp) > 1e11 ? 1 : 1000);
	return Math.abs(now - ms) <= tolerance * 1000;
}
