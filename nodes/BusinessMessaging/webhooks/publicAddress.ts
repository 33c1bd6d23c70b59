/** The webhook URL of a trigger, and whether the internet can reach an address, judging by the address alone. */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { InputError } from '../transport/errors';
import { type ServiceConfig, isLoopback } from '../transport/serviceConfig';

/**
 * A URL in one form: host in lower case, no default port, fragment or slash at the end of the path, and
 * percent-encoding only where it is needed. Other texts stay as they are.
 */
export function canonical(text: string): string {
	if (!URL.canParse(text)) return text;
	const url = new URL(text);
	const segments = url.pathname.replace(/(?<!\/)\/+$/, '').split('/');
	url.pathname = segments.map((segment) => encodeURIComponent(decoded(segment))).join('/');
	url.search = new URLSearchParams([...url.searchParams]).toString();
	url.hash = '';
	return url.href;
}

/** A part of a path that may be percent-encoded; a wrong encoding stays as it is. */
function decoded(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}

/** n8n's webhook URL of a trigger. */
export function webhookUrlOf(context: IHookFunctions | IWebhookFunctions): string {
	return canonical(context.getNodeWebhookUrl('default') ?? '');
}

/** Names of local networks (RFC 6761, RFC 6762, RFC 8375 and common usage). */
const localNames =
	/(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|home\.arpa|corp|test|invalid|example)$/;

/** IPv4 ranges that are not routed on the internet (RFC 6890), by their first one or two numbers. */
function isPrivateIpv4([first, second]: number[]): boolean {
	return (
		[0, 10, 127].includes(first) ||
		first >= 224 ||
		(first === 100 && second >= 64 && second < 128) ||
		(first === 169 && second === 254) ||
		(first === 172 && second >= 16 && second < 32) ||
		(first === 192 && second === 168) ||
		(first === 198 && (second === 18 || second === 19))
	);
}

/**
 * Whether an IPv6 address is private: loopback, unspecified, unique local, link-local, multicast, tunnels to IPv4, and
 * private IPv4 addresses in IPv6 form, which `URL` writes in hex.
 */
function isPrivateIpv6(address: string): boolean {
	const mapped = /^::(?:ffff:)?([\da-f]{1,4}):([\da-f]{1,4})$/.exec(address);
	const word = Number.parseInt(mapped?.[1] ?? '', 16);
	if (mapped) return isPrivateIpv4([word >> 8, word & 255]);
	return /^(::1?$|f[cd]|fe[89ab]|ff|64:ff9b:|2001:0?:|2002:)/.test(address);
}

function isPrivate(url: URL): boolean {
	const host = url.hostname.toLowerCase().replace(/\.$/, '');
	if (isLoopback(url)) return true;
	if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));
	if (/^\d+(\.\d+){3}$/.test(host)) return isPrivateIpv4(host.split('.').map(Number));
	return !host.includes('.') || localNames.test(host);
}

/** Why the service cannot deliver to an address; undefined if there is no reason. */
export function unreachableReason(url: URL): string | undefined {
	if (isPrivate(url)) return 'is only known to this machine or its network';
	return url.protocol === 'https:' ? undefined : 'does not start with https://';
}

/** Why the service cannot deliver to a URL of n8n; undefined if it can, e.g. because it runs in this network. */
export function undeliverableReason(url: string, { root }: ServiceConfig): string | undefined {
	return isPrivate(new URL(root)) ? undefined : unreachableReason(new URL(url));
}

/** @throws InputError that says what to do, if a service cannot deliver to a URL of n8n */
export function checkDeliverable(url: string, config: ServiceConfig): void {
	const reason = undeliverableReason(url, config);
	if (!reason) return;
	throw new InputError(
		`The service cannot deliver to ${new URL(url).origin}: the address ${reason}`,
		"Set n8n's environment variable N8N_WEBHOOK_URL (older versions: WEBHOOK_URL) to the public https:// address of n8n, or use a tunnel while you try things out.",
	);
}
