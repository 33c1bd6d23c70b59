/** Signatures over the raw body, for services that sign their deliveries. Assumption: the specification shows none. */
import { createHmac } from 'crypto';

import { asMilliseconds } from '../reading/readResponse';
import { standardWebhooksKey } from '../transport/secrets';
import type { Delivery } from './delivery';
import { isSame } from './secret';

/** How a service signs, as the fields of the trigger say. */
export interface SignatureSettings {
	/** Standard Webhooks, or an HMAC: algorithm and encoding, e.g. `sha256-hex`. */
	scheme: 'standardWebhooks' | `sha${1 | 256 | 512}-${'base64' | 'hex'}`;
	/** Name of the header that holds the signature. This and all further fields are only for an HMAC. */
	header: string;
	/** Text before the signature in the header. */
	prefix?: string;
	/** Name of the header with the timestamp. If it is set, the service signs the timestamp, a dot and the body. */
	timestampHeader?: string;
}

/** The signed parts of a delivery, and its signatures. */
interface Signed {
	/** There are several while a service changes its secret. */
	signatures: string[];
	/** Unix time in seconds or ms; absent if the scheme has no timestamp. */
	timestamp?: string;
	/** Text before the body in the signed content. */
	prefix: string;
}

/** How far the timestamp may differ from the current time, ms. */
const toleranceMs = 300_000;

/** https://www.standardwebhooks.com: `webhook-id`, `webhook-timestamp` and `webhook-signature: v1,<base64> …`. */
function readStandard(headers: Delivery['headers']): Signed {
	const id = headerOf(headers, 'webhook-id');
	const timestamp = headerOf(headers, 'webhook-timestamp');
	// If the header comes twice, Node.js joins both values with a comma.
	const signatures = headerOf(headers, 'webhook-signature').split(/,?\s+/);
	return {
		signatures: id === '' ? [] : valuesOf(signatures, 'v1,'),
		timestamp,
		prefix: `${id}.${timestamp}.`,
	};
}

function readHmac(
	headers: Delivery['headers'],
	{ header, prefix = '', timestampHeader = '' }: SignatureSettings,
): Signed {
	const signatures = valuesOf([headerOf(headers, header)], prefix);
	if (timestampHeader.trim() === '') return { signatures, prefix: '' };
	const timestamp = headerOf(headers, timestampHeader);
	return { signatures, timestamp, prefix: `${timestamp}.` };
}

/** The key with which a service that has this secret signs; undefined if no service can sign with it. */
export function signingKey({ scheme }: SignatureSettings, secret: string): Buffer | undefined {
	if (scheme === 'standardWebhooks') return standardWebhooksKey(secret);
	return secret.trim() === '' ? undefined : Buffer.from(secret);
}

/** Whether a delivery is signed with a secret: never if the secret gives no key. @param now ms since 1970 */
export function isSigned(
	settings: SignatureSettings,
	secret: string,
	{ headers, rawBody }: Delivery,
	now: number,
): boolean {
	const key = signingKey(settings, secret);
	if (!key) return false;
	const { scheme } = settings;
	const isStandard = scheme === 'standardWebhooks';
	const { signatures, timestamp, prefix } = isStandard
		? readStandard(headers)
		: readHmac(headers, settings);
	if (timestamp !== undefined && !isRecent(timestamp, now)) return false;
	const [algorithm, writing] = (isStandard ? 'sha256-base64' : scheme).split('-');
	const encoding = writing as 'base64' | 'hex';
	const expected = createHmac(algorithm, key).update(prefix).update(rawBody).digest(encoding);
	const written = (signature: string) => (encoding === 'hex' ? signature.toLowerCase() : signature);
	return signatures.some((signature) => isSame(written(signature), expected));
}

/** A Unix time in seconds or in ms. */
function isRecent(timestamp: string, now: number): boolean {
	const isUnixTime = /^\d{1,15}$/.test(timestamp);
	return isUnixTime && Math.abs(now - asMilliseconds(timestamp)) <= toleranceMs;
}

function headerOf(headers: Delivery['headers'], name: string): string {
	const value = headers[name.trim().toLowerCase()];
	return typeof value === 'string' ? value : '';
}

/** The rest of each text that begins with the prefix. */
function valuesOf(texts: string[], prefix: string): string[] {
	const trimmed = texts.map((text) => text.trim());
	return trimmed.filter((text) => text.startsWith(prefix)).map((text) => text.slice(prefix.length));
}
