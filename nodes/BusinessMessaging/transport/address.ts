/** Where the service is and how it is called there: read from the credential, checked once. */
import { createHash } from 'crypto';

import type { Layout } from '../api/endpoints';
import { ServiceError } from './errors';

/** The credential's values as n8n hands them over. */
export interface CredentialValues {
	apiKey?: unknown;
	baseUrl?: unknown;
	layout?: unknown;
	requestsPerMinute?: unknown;
	/** Length of the rate limit's window in ms; only benchmarks change it. */
	rateWindowMs?: unknown;
}

/** The service as one credential reaches it. */
export interface Address {
	/** Origin and path prefix, without the layout's `/api` and without a slash at the end. */
	root: string;
	layout: Layout;
	/** Names the pair of address and key without revealing the key: those who share it share the rate limit. */
	id: string;
	rate: { requests: number; windowMs: number };
	/** Takes the API key out of a text that came from elsewhere. */
	redact(text: string): string;
}

const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether an address points at this very machine. */
export function isLoopback(url: URL): boolean {
	return loopbackHost.test(url.hostname);
}

/**
 * Reads and checks the credential.
 *
 * @throws ServiceError if the base URL is no HTTPS address (plain HTTP only for loopback) or the rate is no number
 */
export function readAddress(values: CredentialValues): Address {
	const url = readBaseUrl(values.baseUrl);
	const path = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
	const hasApiSegment = path.endsWith('/api');
	const layout: Layout =
		values.layout === 'sharedHost' || values.layout === 'dedicatedHost'
			? values.layout
			: hasApiSegment
				? 'sharedHost'
				: 'dedicatedHost';
	const prefix = layout === 'sharedHost' && hasApiSegment ? path.slice(0, -'/api'.length) : path;
	const root = `${url.origin}${prefix}`;
	const apiKey = typeof values.apiKey === 'string' ? values.apiKey : '';
	return {
		root,
		layout,
		id: createHash('sha256').update(`${root}\n${apiKey}`).digest('hex'),
		rate: { requests: readRate(values.requestsPerMinute), windowMs: Number(values.rateWindowMs) || 60_000 },
		redact: (text) => (apiKey.length < 4 ? text : text.replaceAll(apiKey, '[API key]')),
	};
}

function readBaseUrl(value: unknown): URL {
	const text = typeof value === 'string' ? value.trim() : '';
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !/^https?:$/.test(url.protocol)) {
		throw addressError('The Base URL of the credential is not a web address', 'Enter the address of the service, e.g. https://api.example.com');
	}
	if (url.protocol === 'http:' && !isLoopback(url)) {
		throw addressError('The Base URL of the credential does not start with https://', 'The service demands HTTPS, and the API key would be readable on the way. Change http:// to https:// in the credential.');
	}
	if (url.username || url.password || url.search || url.hash) {
		throw addressError('The Base URL of the credential holds more than an address', 'Remove user name, password, and everything from ? or # on.');
	}
	return url;
}

function readRate(value: unknown): number {
	const rate = value === undefined || value === '' ? 1000 : Number(value);
	if (!Number.isFinite(rate) || rate < 1) {
		throw addressError('Requests per Minute of the credential is not a number above 0', 'Enter what your plan allows; the service documents 1,000.');
	}
	return Math.floor(rate);
}

function addressError(message: string, description: string): ServiceError {
	return new ServiceError(message, { kind: 'configuration', description });
}
