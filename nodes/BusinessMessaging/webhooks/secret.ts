/** The secret by which the trigger recognizes the service, since the specification shows no signature. */
import { createHash, createHmac, timingSafeEqual } from 'crypto';
import type { IWebhookFunctions } from 'n8n-workflow';

/** The parameter with the secret. Its name is the mark by which other nodes find the trigger that keeps the replies. */
const parameter = 'token';
const inboxParameter = 'inbox';
const header = 'x-webhook-token';
/** 256 bits, written so that they need no escaping in a URL. */
const secretForm = /^[\w-]{43}$/;

/**
 * The secret of a URL, derived from the API key, so that nobody has to keep it and nobody can lose it.
 * @param keyId a hash of the API key @param purpose what tells the URL from all others
 */
export function deriveSecret(keyId: string, purpose: Array<string | number>): string {
	const text = JSON.stringify(['URL of a trigger', ...purpose]);
	return createHmac('sha256', keyId).update(text).digest('base64url');
}

/** The SHA-256 of a text, in base64url. n8n stores that of a secret, which cannot be used to call the URL. */
export function hashOf(text: string): string {
	return createHash('sha256').update(text).digest('base64url');
}

/** Compares two hashes, in the same time wherever they differ. */
export function isSameHash(one: string, other: string): boolean {
	const [bytes, others] = [one, other].map((hash) => Buffer.from(hash, 'base64url'));
	return bytes.length === others.length && timingSafeEqual(bytes, others);
}

/** The URL that is registered: n8n's webhook URL with the secret. */
export function withSecret(url: string, secret: string, keepsReplies: boolean): string {
	return `${url}?${keepsReplies ? inboxParameter : parameter}=${secret}`;
}

/** A registered URL of ours: n8n's webhook URL, its secret, and whether the trigger keeps the replies. */
export interface OwnUrl {
	url: string;
	secret: string;
	keepsReplies: boolean;
}

/** Reads a registered URL in canonical form. @returns undefined without a secret of ours: it is somebody else's */
export function readOwnUrl(registered: string): OwnUrl | undefined {
	if (!URL.canParse(registered)) return undefined;
	const parsed = new URL(registered);
	const [[name, secret] = ['', ''], ...others] = [...parsed.searchParams];
	const isOurs = [parameter, inboxParameter].includes(name) && secretForm.test(secret);
	if (!isOurs || others.length > 0) return undefined;
	parsed.search = '';
	return { url: parsed.href, secret, keepsReplies: name === inboxParameter };
}

/** The secret in a delivery; empty if there is none. */
export function givenSecret(context: IWebhookFunctions): string {
	const query = context.getQueryData() as Record<string, unknown>;
	const given = query[parameter] ?? query[inboxParameter] ?? context.getHeaderData()[header];
	return typeof given === 'string' ? given : '';
}

/** Compares texts by their hashes, so that the time of the comparison does not reveal where or how much they differ. */
export function isSame(a: string, b: string): boolean {
	return isSameHash(hashOf(a), hashOf(b));
}
