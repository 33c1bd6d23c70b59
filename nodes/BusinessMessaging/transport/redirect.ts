/** Redirects of the service. The API key goes only to the host in the credential. */
import type { ServiceResponse } from '../reading/readResponse';
import type { ServiceConfig } from './serviceConfig';

/** The longest address in an error, characters. */
const maxLength = 200;

/** Where a response redirects to; undefined if it does not redirect, or does not say where. */
export function readRedirect(response: ServiceResponse, url: string): URL | undefined {
	const { location } = response.headers;
	const isRedirect = [301, 302, 303, 307, 308].includes(response.statusCode);
	if (!isRedirect || typeof location !== 'string' || !URL.canParse(location, url)) return undefined;
	return new URL(location, url);
}

/** Whether an address has the scheme, host and port of another one. */
export function isSameOrigin({ origin }: URL, url: string): boolean {
	return origin === new URL(url).origin;
}

/** How an error shows a redirect: the address without secrets, and the Base URL that leads there with the same path. */
export function describeRedirect(
	{ origin, pathname }: URL,
	url: string,
	{ root, redact }: Pick<ServiceConfig, 'root' | 'redact'>,
): { address: string; baseUrl?: string } {
	const address = `${origin}${pathname}`;
	const isSecret = [address, decode(address)].some((text) => redact(text) !== text);
	if (isSecret || address.length > maxLength) return { address: origin };
	const path = url.slice(root.length).replace(/^\/api\b/, '');
	const baseUrl = address.endsWith(path) ? address.slice(0, -path.length) : root;
	return baseUrl.replace(/\/api$/, '') === root ? { address } : { address, baseUrl };
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
