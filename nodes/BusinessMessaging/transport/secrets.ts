/** Secrets: those in the URLs of webhooks, which the service lists and may quote; and those with which a service signs deliveries. */
import { isRecord } from '../jsonValues';

/** Secret query parameters of these nodes, n8n and other programs, also if their URL is a parameter of another URL. */
const secrets =
	/((?:\b|%3F|%26)(?:[\w-]{0,30}(?:token|secret|api_?key|signature)|inbox|wait|sig)(?:=|%3D))[^&#\s"']+/gi;
/** Names of fields with secrets, e.g. with the one that signs deliveries. */
const secretName = /secret|signing_?key|(token|api_?key|password|authorization)$/i;

/** Removes secrets from a text, or from all texts and field names of a record. */
export function withoutSecrets<T>(value: T): T;
export function withoutSecrets(value: unknown, name?: string): unknown;
export function withoutSecrets(value: unknown, name = ''): unknown {
	const isSecret = secretName.test(name);
	if (typeof value === 'string')
		return value !== '' && isSecret ? '…' : value.replace(secrets, '$1…');
	if (Array.isArray(value)) return value.map((entry: unknown) => withoutSecrets(entry, name));
	if (!isRecord(value)) return value;
	const clean = ([key, child]: [string, unknown]) => [
		withoutSecrets(key),
		withoutSecrets(child, isSecret ? name : key),
	];
	return Object.fromEntries(Object.entries(value).map(clean));
}

/**
 * The key in a secret of Standard Webhooks: base64, usually after `whsec_`; undefined for any other text. Node.js skips
 * what is not base64, so a mistyped secret would become a shorter key, or the empty one, which everybody knows.
 */
export function standardWebhooksKey(secret: string): Buffer | undefined {
	const encoded = secret.trim().replace(/^whsec_/, '');
	const key = Buffer.from(encoded, 'base64');
	const padded = key.toString('base64');
	const isWhole = [padded, padded.replace(/={1,2}$/, '')].includes(encoded);
	return isWhole && key.length > 0 ? key : undefined;
}
