/** The secrets in URLs of webhooks, which the service lists and may quote. */
import { isRecord } from '../api/read';

/** In a URL of ours: its secret, what n8n signs, and what Send and Wait seals. Also where the URL is a parameter itself. */
const secrets = /((?:\b|%3F|%26)(?:token|wait|signature)(?:=|%3D))[^&#\s"']+/gi;

/** Takes secrets out of a text, or out of all texts and names of fields of a record, however deep. */
export function withoutSecrets<T>(value: T): T;
export function withoutSecrets(value: unknown): unknown {
	if (typeof value === 'string') return value.replace(secrets, '$1…');
	if (Array.isArray(value)) return value.map((entry: unknown) => withoutSecrets(entry));
	return isRecord(value) ? Object.fromEntries(withoutSecrets(Object.entries(value))) : value;
}
