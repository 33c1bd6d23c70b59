/**
 * The secret by which the trigger recognizes the service, since the specification shows no signature. The secret is
 * part of the registered URL, or in a header if the service can send one.
 */
import { createHash, timingSafeEqual } from 'crypto';
import type { IWebhookFunctions } from 'n8n-workflow';

const parameter = 'token';
const header = 'x-webhook-token';

/** The URL that is registered: n8n's webhook URL with the secret. */
export function withSecret(url: string, secret: string): string {
	return `${url}?${parameter}=${secret}`;
}

/** What services show instead of a secret, e.g. `***`, `abcd…` or `[REDACTED]`. */
const mask = /^[\w-]{0,8}(\*+|•+|…|\.{3,}|x{3,})[\w-]{0,8}$|redact|hidden|mask|filter/i;

/**
 * Whether a registered URL shows our secret; `hidden` if the URL has no secret, or a mask instead. Both URLs are in
 * canonical form. Any other URL belongs to somebody else.
 *
 * @param url n8n's webhook URL
 */
export function shownSecret(registered: string, url: string): 'shown' | 'hidden' | undefined {
	if (!URL.canParse(registered)) return undefined;
	const parsed = new URL(registered);
	const others = [...parsed.searchParams.keys()].filter((name) => name !== parameter);
	const secrets = parsed.searchParams.getAll(parameter);
	parsed.search = '';
	if (parsed.href !== url || others.length > 0 || secrets.length > 1) return undefined;
	const [secret = ''] = secrets;
	if (/^[\w-]{43}$/.test(secret)) return 'shown';
	return secret === '' || mask.test(secret) ? 'hidden' : undefined;
}

/** Whether a registered URL is ours: n8n's webhook URL with a secret that looks like ours, or with a hidden one. */
export function isOwnUrl(registered: string, url: string): boolean {
	return shownSecret(registered, url) !== undefined;
}

/** The secret in a delivery; empty if there is none. */
export function givenSecret(context: IWebhookFunctions): string {
	const query = context.getQueryData() as Record<string, unknown>;
	const given = query[parameter] ?? context.getHeaderData()[header];
	return typeof given === 'string' ? given : '';
}

/** Compares texts by their hashes, so that the time of the comparison does not reveal where or how much they differ. */
export function isSame(a: string, b: string): boolean {
	const [hashA, hashB] = [a, b].map((text) => createHash('sha256').update(text).digest());
	return timingSafeEqual(hashA, hashB);
}
