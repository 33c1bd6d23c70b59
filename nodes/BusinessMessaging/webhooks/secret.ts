/** The secret by which the trigger recognizes the service, since the specification shows no signature. */
import { createHash, randomBytes, timingSafeEqual } from 'crypto';
import type { IWebhookFunctions } from 'n8n-workflow';

/** The parameter with the secret. Its name is the mark by which other nodes find the trigger that keeps the replies. */
const parameter = 'token';
const inboxParameter = 'inbox';
const header = 'x-webhook-token';
/** 256 bits, written so that they need no escaping in a URL. */
const secretForm = /^[\w-]{43}$/;

/** A secret for a new registration. */
export function newSecret(): string {
	return randomBytes(32).toString('base64url');
}

/** Whether a text may be one of our secrets. */
export function isSecret(text: string): boolean {
	return secretForm.test(text);
}

/** The URL that is registered: n8n's webhook URL with the secret. */
export function withSecret(url: string, secret: string, keepsReplies: boolean): string {
	return `${url}?${keepsReplies ? inboxParameter : parameter}=${secret}`;
}

/** A registered URL of ours: n8n's webhook URL, and whether the trigger keeps the replies. */
export interface OwnUrl {
	url: string;
	keepsReplies: boolean;
}

/** Reads a registered URL in canonical form. @returns undefined without a secret of ours: it is somebody else's */
export function readOwnUrl(registered: string): OwnUrl | undefined {
	if (!URL.canParse(registered)) return undefined;
	const parsed = new URL(registered);
	const [[name, secret] = ['', ''], ...others] = [...parsed.searchParams];
	const isOurs = [parameter, inboxParameter].includes(name) && isSecret(secret);
	if (!isOurs || others.length > 0) return undefined;
	parsed.search = '';
	return { url: parsed.href, keepsReplies: name === inboxParameter };
}

/** The secret in a delivery; empty if there is none. */
export function givenSecret(context: IWebhookFunctions): string {
	const query = context.getQueryData() as Record<string, unknown>;
	const given = query[parameter] ?? query[inboxParameter] ?? context.getHeaderData()[header];
	return typeof given === 'string' ? given : '';
}

/** Compares texts by their hashes, so that the time of the comparison does not reveal where or how much they differ. */
export function isSame(a: string, b: string): boolean {
	const [hashA, hashB] = [a, b].map((text) => createHash('sha256').update(text).digest());
	return timingSafeEqual(hashA, hashB);
}
