/** Address, key and rate of the service, read from the credential and checked. */
import { createHash } from 'crypto';
import { trimEnd } from 'lodash';

import { type ApiPath, apiPaths } from '../api/endpoints';
import { InputError } from './errors';
import { keyRemover } from './secrets';

/** The values of the credential, including n8n's own fields for allowed domains. */
export type CredentialValues = Record<string, unknown>;

/** The service of one credential. */
export interface ServiceConfig {
	/** Origin and path prefix, without the API path's `/api` and without a slash at the end. */
	root: string;
	apiPath: ApiPath;
	/** Identifies the pair of base URL and key without revealing the key. */
	id: string;
	/** Identifies the key alone, however the address of the service is written, without revealing the key. */
	keyId: string;
	/** The allowed rate; `id` identifies the pair of host and key that share it. */
	rate: { id: string; requests: number; windowMs: number };
	/** Removes the API key from a text that comes from outside. */
	redact(text: string): string;
}

/** Whether a URL points to this machine. */
export function isLoopback({ hostname }: URL): boolean {
	return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** Reads the credential. HTTP is only allowed on this machine. @throws InputError for an invalid value */
export function readServiceConfig(values: CredentialValues): ServiceConfig {
	const url = readBaseUrl(values.baseUrl);
	checkDomain(url, values);
	const path = trimEnd(url.pathname, '/').replace(/\/v1$/, '');
	const automatic = path.endsWith('/api') ? '/api/v1' : '/v1';
	const apiPath = apiPaths.find((choice) => choice === values.apiPath) ?? automatic;
	const root = `${url.origin}${apiPath === '/api/v1' ? path.replace(/\/api$/, '') : path}`;
	const apiKey = readKey(values.apiKey);
	const idOf = (to: string) => createHash('sha256').update(`${to}\n${apiKey}`).digest('hex');
	return {
		root,
		apiPath,
		id: idOf(root),
		keyId: idOf(''),
		rate: {
			id: idOf(url.origin),
			requests: readRate(values.requestsPerMinute),
			windowMs: Number(values.rateWindowMs) || 60_000,
		},
		redact: keyRemover(apiKey),
	};
}

function readBaseUrl(value: unknown): URL {
	const text = typeof value === 'string' ? value.trim() : '';
	const url = URL.canParse(text) ? new URL(text) : undefined;
	demand(
		url && /^https?:$/.test(url.protocol),
		"'Base URL' of the credential is not a web address",
		'Enter the address of the service, e.g. https://api.example.com',
	);
	demand(
		url.protocol === 'https:' || isLoopback(url),
		"'Base URL' of the credential does not start with https://",
		'Without HTTPS, others could read the API key on its way to the service. Change http:// to https:// in the credential.',
	);
	demand(
		!url.username && !url.password && !url.search && !url.hash,
		"'Base URL' of the credential contains something else besides the address",
		'Remove the user name, the password, and any ? or # together with the text after it.',
	);
	return url;
}

/** Checks Allowed Domains, because n8n does not check them if the URL comes from the credential. */
function checkDomain({ hostname }: URL, values: CredentialValues): void {
	if (values.allowedHttpRequestDomains !== 'domains') return; // 'none' only affects the HTTP Request node
	const plainHost = (host: string) => host.trim().toLowerCase().replace(/\.$/, '');
	const host = plainHost(hostname);
	const { allowedDomains } = values;
	const allowed =
		typeof allowedDomains === 'string' ? allowedDomains.split(',').map(plainHost) : [];
	const matches = (domain: string) =>
		domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain;
	demand(
		allowed.some(matches),
		`The credential is not allowed for ${hostname}`,
		"Add this host to 'Allowed Domains' of the credential, or correct its 'Base URL'.",
	);
}

/** A line break inside the key would end its header. One at its ends is left out, as the credential itself does. */
function readKey(value: unknown): string {
	const apiKey = typeof value === 'string' ? value.trim() : '';
	demand(
		/^[\x21-\x7e]*$/.test(apiKey),
		"'API Key' of the credential contains a space, a line break or another character that is not allowed in a key",
		'Copy the key from the account settings of the service again.',
	);
	return apiKey;
}

function readRate(value: unknown): number {
	const rate = value === undefined || value === '' ? 1000 : Number(value);
	demand(
		Number.isFinite(rate) && rate >= 1,
		"'Requests per Minute' of the credential must be a number, 1 or more",
		'Enter what your plan allows. The usual limit is 1,000.',
	);
	return Math.floor(rate);
}

function demand(isMet: unknown, message: string, description: string): asserts isMet {
	if (!isMet) throw new InputError(message, description);
}
