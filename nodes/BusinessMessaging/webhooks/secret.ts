/**
 * The secret by which the trigger recognizes the service, since the specification shows no signature. It is part
 * of the registered URL, or in a header if the service can send one.
 */
import { createHash, timingSafeEqual } from 'crypto';
import type { IWebhookFunctions } from 'n8n-workflow';

const parameter = 'token';
const header = 'x-webhook-token';

/** The URL that is registered: n8n's webhook URL with the secret. */
export function withSecret(url: string, secret: string): string {
	return `${url}?${parameter}=${secret}`;
}

/** Whether a registered URL is ours: n8n's webhook URL, with or without such a secret. Any other URL belongs to somebody else. */
export function isOwnUrl(registered: string, url: string): boolean {
	return registered.startsWith(url) && /^(\?token=[\w-]{43})?$/.test(registered.slice(url.length));
}

/** The secret in a delivery; empty if there is none. */
export function givenSecret(context: IWebhookFunctions): string {
	const query = context.getQueryData() as Record<string, unknown>;
	const given = query[parameter] ?? context.getHeaderData()[header];
	return typeof given === 'string' ? given : '';
}

/** Compares texts by their hashes, so that the time it takes shows neither the place nor the length of a difference. */
export function isSame(a: string, b: string): boolean {
	const [hashA, hashB] = [a, b].map((text) => createHash('sha256').update(text).digest());
	return timingSafeEqual(hashA, hashB);
}
