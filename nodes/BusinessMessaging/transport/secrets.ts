/** Secrets: the API key and those in the URLs of webhooks, which a service may quote; and those with which it signs deliveries. */
import { escape, escapeRegExp } from 'lodash';

import { isRecord } from '../jsonValues';

/** Secret query parameters of these nodes, n8n and other programs, also if their URL is a parameter of another URL. */
const secrets =
	/((?:\b|%3F|%26)(?:[\w-]{0,30}(?:token|secret|api_?key|signature)|inbox|wait|sig)(?:=|%3D))[^&#\s"']+/gi;
/** Names of fields with secrets, e.g. with the one that signs deliveries. */
const secretName = /secret|signing_?key|(token|api_?key|password|authorization)$/i;

/** The shortest API key that is removed, characters: a shorter one could be part of ordinary words. */
const minKeyLength = 8;

/** Makes a function that removes an API key from texts, however its characters are encoded: for URLs, JSON or HTML. */
export function keyRemover(apiKey: string): (text: string) => string {
	if (apiKey.length < minKeyLength) return (text) => text;
	const key = new RegExp([...apiKey].map(spellingsOf).join(''), 'gi');
	return (text) => text.replace(key, '[API key]');
}

/** A pattern for a character of ASCII, the shortest spelling last. The bounds of the repetitions keep the search fast. */
function spellingsOf(character: string): string {
	const code = character.charCodeAt(0);
	const hex = code.toString(16).padStart(2, '0');
	const escaped = /\w/.test(character) ? '' : '\\\\{0,4}';
	const spellings = [
		`%(?:25){0,3}${hex}`,
		`\\\\{1,4}u00${hex}`,
		`&#(?:0{0,4}${code}|x0{0,4}${hex});`,
		`${escaped}(?:${escapeRegExp(escape(character))}|${escapeRegExp(character)})`,
	];
	return `(?:${spellings.join('|')})`;
}

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
