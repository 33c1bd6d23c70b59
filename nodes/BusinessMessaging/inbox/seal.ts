/** Encrypts content (AES-256-GCM). The key comes from the API key: the service knows the secret in our public URLs. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

function sealKey(keyId: string): Buffer {
	return createHash('sha256').update(`send and wait ${keyId}`).digest();
}

/** Content as JSON, encrypted to a text that needs no escaping in JSON. */
export function seal(keyId: string, json: string): string {
	const iv = randomBytes(ivBytes);
	const cipher = createCipheriv(algorithm, sealKey(keyId), iv);
	const text = Buffer.concat([cipher.update(json, 'utf8'), cipher.final()]);
	return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url');
}

/** The JSON; undefined if the text is invalid or encrypted with another key. */
export function unseal(keyId: string, sealed: unknown): string | undefined {
	if (typeof sealed !== 'string') return undefined;
	const bytes = Buffer.from(sealed, 'base64url');
	if (bytes.length <= ivBytes + tagBytes) return undefined;
	const [iv, tag] = [bytes.subarray(0, ivBytes), bytes.subarray(ivBytes, ivBytes + tagBytes)];
	try {
		const decipher = createDecipheriv(algorithm, sealKey(keyId), iv);
		decipher.setAuthTag(tag);
		const text = [decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()];
		return Buffer.concat(text).toString('utf8');
	} catch {
		return undefined; // from somebody else
	}
}
