/** The secrets in the URLs of webhooks, which the service lists and may quote. */
import { isRecord } from '../api/read';

/** Our secret, n8n's signature and the state of Send and Wait, also if the whole URL is a parameter of another one. */
const secrets = /((?:\b|%3F|%26)(?:token|wait|signature)(?:=|%3D))[^&#\s"']+/gi;

/** Removes secrets from a text, or from all texts and field names of a record. */
export function withoutSecrets<T>(value: T): T;
export function withoutSecrets(value: unknown): unknown {
	if (typeof value === 'string') return value.replace(secrets, '$1…');
	if (Array.isArray(value)) return value.map((entry: unknown) => withoutSecrets(entry));
	return isRecord(value) ? Object.fromEntries(withoutSecrets(Object.entries(value))) : value;
}
