/** Errors of calls, in words that say what happened and what to do next. */
import { compact, reject, trimEnd } from 'lodash';

import { type ServiceResponse, fieldNames } from '../reading/readResponse';
import { readErrorMessage, saysItExists } from '../reading/readError';
import { printable } from '../log';
import { withoutSecrets } from './secrets';

/** The kinds of failure that are handled differently. */
export type FailureKind =
	| 'configuration' // the credential or the request is invalid; nothing was sent
	| 'refused' // the service has refused the request
	| 'rateLimited' // the service asks for more than ten minutes, or has refused everything for so long
	| 'unreachable' // no connection was made, so nothing was sent
	| 'uncertain' // the request may or may not have taken effect
	| 'cancelled'; // the execution was stopped, or the send window closed, before the request went out

/** A call that failed; `message` says what happened. Never holds the API key. */
export class ServiceError extends Error {
	override readonly name = 'ServiceError';
	readonly kind: FailureKind;
	/** What to do next. */
	readonly description?: string;
	readonly statusCode?: number;

	constructor(message: string, details: Pick<ServiceError, 'kind' | 'description' | 'statusCode'>) {
		super(message);
		this.kind = details.kind;
		this.description = details.description;
		this.statusCode = details.statusCode;
	}

	/** Whether the request may have taken effect, or certainly has not. Workflows can branch on this value. */
	get sendStatus(): 'notSent' | 'mayHaveBeenSent' {
		return this.kind === 'uncertain' ? 'mayHaveBeenSent' : 'notSent';
	}
}

/** The largest response, bytes after decompression: enough for 100,000 contacts on one page. */
export const maxResponseBytes = 32 * 1024 * 1024;
/** The code of the error for a larger response. */
export const tooLargeCode = 'ERR_RESPONSE_TOO_LARGE';

/** An invalid value of a field: `message` says which, `description` what to do. Nothing was sent. */
export class InputError extends ServiceError {
	constructor(message: string, description?: string) {
		super(message, { kind: 'configuration', description });
	}
}

/** Converts any error to one for the user; an unexpected one becomes an InputError with the same message. */
export function asFailure(error: unknown): ServiceError {
	if (error instanceof ServiceError) return error;
	return new InputError(error instanceof Error ? error.message : String(error));
}

/** The parts of a call that errors mention. */
export interface CallInfo {
	/** Method and path, e.g. "POST /v1/templates". */
	request: string;
	/** The record that it addresses, e.g. `contact "123"`. */
	record?: string;
	/** Whether the specification lists the endpoint under the API path in use. */
	listed: boolean;
	writes: boolean;
	/** Whether it sends a message. */
	sends?: boolean;
	/** Where a redirect leads, and the Base URL that avoids it, if there is one. */
	redirect?: { address: string; baseUrl?: string };
	/** Whether the service has responded to an earlier call. Then its address must be right. */
	isKnownAddress?: boolean;
}

const checkBaseUrl = "Check 'Base URL' in the credential.";
const checkAddress = "Check 'Base URL' and 'API Path' in the credential.";
const ifOthersFail =
	"If other operations fail too, check 'Base URL' and 'API Path' in the credential.";
const uncertainSend =
	'It is unclear whether the message was sent, so it is not repeated. Check the chat before you send it again.';
/** The longest message of the service in an error, characters. */
const maxWords = 1_000;

type Meaning = [what: string, advice: string];

/** What a refusal means, by its HTTP status; 400 is used for statuses that are not listed. */
const refusals: Record<number, Meaning> = {
	400: [
		'The service refused the request',
		'Correct the values that the service reports, then try again.',
	],
	401: ['The service does not accept the API key', "Check 'API Key' in the credential."],
	403: [
		'The API key is not allowed to do this',
		'In the credential, use an API key with the necessary permissions.',
	],
	304: [
		'The response has no data and only says that nothing has changed',
		'A proxy between n8n and the service may have answered from its cache. Try again, or ask the administrator of the proxy.',
	],
	405: ['The service does not allow this request', checkAddress],
	409: ['The service reports a conflict', 'Check whether the record exists already.'],
};

/** The error for a response that refuses or fails. */
export function errorFromResponse({ statusCode, body }: ServiceResponse, call: CallInfo) {
	if (call.sends && statusCode < 500 && (statusCode === 409 || saysItExists(body)))
		return errorOfKnownMessage(statusCode, body);
	const isServerFailure = statusCode >= 500 || statusCode === 408;
	const [what, advice] = isServerFailure
		? ['The service failed while handling the request', adviceAfterFailure(call)]
		: meaningOf(statusCode, call);
	// After a write, 303 usually means that it is done, and that the other address shows the result (RFC 9110). A 304
	// is no response to a write, so it may come from anywhere.
	const mayBeDone = [303, 304].includes(statusCode) && call.writes;
	const message = serviceMessageOf(body);
	return new ServiceError(`${what}${message && ': '}${message} (HTTP ${statusCode})`, {
		kind: isServerFailure || mayBeDone ? 'uncertain' : 'refused',
		description: mayBeDone ? `${adviceAfterFailure(call)} ${advice}` : advice,
		statusCode,
	});
}

/**
 * The error for a send with a successful status whose body says no, or does not say yes. The `signs`, the fields that
 * judge, are shown if the service has no message, or if they leave it open.
 */
export function errorFromSend(
	{ statusCode, body }: ServiceResponse,
	sendStatus: 'notSent' | 'mayHaveBeenSent',
	signs: string[],
): ServiceError {
	if (saysItExists(body)) return errorOfKnownMessage(statusCode, body);
	const isCertain = sendStatus === 'notSent';
	const message = serviceMessageOf(body);
	const isShown = (sign: string) => message.includes(sign.slice(sign.indexOf(': ') + 2));
	const further = isCertain && message ? [] : reject(signs, isShown);
	const said = compact([message, serviceMessageOf(further)]).join('; ');
	const end = `${said && ': '}${said} (HTTP ${statusCode})`;
	if (isCertain)
		return new ServiceError(`The service refused the request${end}`, {
			kind: 'refused',
			description: 'The message was not sent. Correct what the service reports, then try again.',
			statusCode,
		});
	return new ServiceError(`The service did not confirm that it accepted the message${end}`, {
		kind: 'uncertain',
		description: `${uncertainSend} The response has the fields: ${fieldNames(body)}.`,
		statusCode,
	});
}

/** The error for a message that the service refuses because it has it already, e.g. from an attempt without a response. */
function errorOfKnownMessage(statusCode: number, body: unknown): ServiceError {
	const said = serviceMessageOf(body);
	return new ServiceError(
		`The service says that it has this message already${said && ': '}${said} (HTTP ${statusCode})`,
		{
			kind: 'uncertain',
			description:
				'An earlier attempt may have sent the message. So the node sends neither the message again nor a fallback template. Check the chat before you send it again.',
			statusCode,
		},
	);
}

/** The service's own message in a response, without secrets and without a period; empty if there is none. */
function serviceMessageOf(body: unknown): string {
	const said = readErrorMessage(body)?.slice(0, maxWords) ?? '';
	return printable(trimEnd(withoutSecrets(said), '. \n'));
}

function meaningOf(statusCode: number, call: CallInfo): Meaning {
	const { request, record, listed } = call;
	if (!listed && [404, 405].includes(statusCode)) {
		return [
			`The service does not offer ${request}`,
			`The request is not documented for your 'API Path'. Use the website of the service instead. ${ifOthersFail}`,
		];
	}
	if (statusCode === 404 && call.sends && !record)
		return [
			'The service did not find the recipient, or sends no messages at this address',
			`Check the phone number. ${ifOthersFail}`,
		];
	if (statusCode === 404) {
		return [
			`The service did not find ${record ? `the ${record}` : 'the requested resource'}`,
			`It may have been renamed or deleted. Check the values of the request. ${ifOthersFail}`,
		];
	}
	const isRedirect = statusCode >= 300 && statusCode < 400 && statusCode !== 304;
	return isRedirect ? meaningOfRedirect(call) : (refusals[statusCode] ?? refusals[400]);
}

/** The API key and the message are not sent to other addresses. */
function meaningOfRedirect({ redirect }: CallInfo): Meaning {
	const what = 'The service redirects to another address';
	const ofKey = 'The API key is not sent to other addresses.';
	if (!redirect) return [what, `Set 'Base URL' in the credential to that address. ${ofKey}`];
	const { address, baseUrl } = redirect;
	const advice = baseUrl
		? `Set 'Base URL' in the credential to ${baseUrl}. ${ofKey}`
		: "Check 'Base URL' in the credential, or ask the provider of the service for an address that does not redirect. Only requests that read data follow a redirect, once and on the same host.";
	return [`${what}, ${address}`, advice];
}

function adviceAfterFailure({ sends, writes }: CallInfo): string {
	if (sends) return uncertainSend;
	return writes
		? 'The service may have carried out the request. Look at the result in the service before you run the node again.'
		: 'Try again later.';
}

/** Whether the service has refused the content of a request, not the key, the record or the rate. */
export function isRefusedContent(error: unknown): error is ServiceError {
	if (!(error instanceof ServiceError) || error.kind !== 'refused') return false;
	const { statusCode = 0 } = error;
	return statusCode < 300 || statusCode === 400 || statusCode === 422;
}

/** The error for a rate limit that lasts too long. @param refusal the body of the last 429 to this request, if any */
export function rateLimitedError(waitMs: number, refusal?: unknown): ServiceError {
	const said = serviceMessageOf(refusal);
	const isEndless = waitMs === Infinity;
	const when = isEndless ? 'It does not recover by itself' : `Try again in ${inWords(waitMs)}`;
	const ofQuota = 'Your quota is used up: ask the provider of the service for a larger one.';
	const ofRate =
		"If this happens often, lower 'Requests per Minute' in the credential or ask for a larger plan.";
	const ofAccount = 'Look at the account in the service, or ask for a larger plan. Then try again.';
	const ofLimit = waitMs < quotaMs ? ofRate : ofQuota;
	return new ServiceError(`The limit of the service is reached${said && ': '}${said}. ${when}`, {
		kind: 'rateLimited',
		description: isEndless ? ofAccount : ofLimit,
		statusCode: 429,
	});
}

/** A longer wait is that of a quota for hours or days, not of a rate. */
const quotaMs = 2 * 3_600_000;

function inWords(ms: number): string {
	const minutes = Math.max(1, Math.round(ms / 60_000));
	const hours = Math.round(minutes / 60);
	if (hours >= 48) return `${Math.round(hours / 24)} days`;
	if (minutes >= 120) return `${hours} hours`;
	return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

/** The error for a response that reports success but cannot be read. */
export function unreadableError(statusCode: number, call: CallInfo): ServiceError {
	return new ServiceError(`The response of the service is not JSON (HTTP ${statusCode})`, {
		kind: 'uncertain',
		description: call.writes ? adviceAfterFailure(call) : checkAddress,
		statusCode,
	});
}

/** Codes of network errors that usually occur before a connection exists, so that nothing was sent. */
const unreachableReasons: Partial<Record<string, string>> = {
	EAI_AGAIN: 'the host name cannot be resolved at the moment',
	EADDRNOTAVAIL: 'n8n has no free network address or port',
	ECONNREFUSED: 'the connection was refused',
	EHOSTUNREACH: 'there is no route to the host',
	ENETUNREACH: 'there is no route to its network',
	ENOTFOUND: 'the host name is unknown',
};

const allowHost =
	"Check 'Base URL' in the credential. If it is right, add its host name to N8N_SSRF_ALLOWED_HOSTNAMES, or its IP address to N8N_SSRF_ALLOWED_IP_RANGES, in the environment of n8n, and restart n8n.";
const certificateAdvice =
	"Check 'Base URL' in the credential. If the certificate has expired, ask the provider of the service. If it comes from your own certificate authority, enter the file of its certificate in NODE_EXTRA_CA_CERTS in the environment of n8n, and restart n8n.";
const maxWraps = 4;

/** The error for a call without a response, e.g. with the code ECONNREFUSED. */
export function errorFromNetwork(
	networkError: unknown,
	url: string,
	timeoutMs: number,
	call: CallInfo,
): ServiceError {
	const parts = partsOf(networkError);
	const code = codeOf(parts);
	const { host } = new URL(url);
	// n8n replaces messages that contain an error code.
	const error = (kind: FailureKind, what: string, advice: string) =>
		new ServiceError(what, { kind, description: code ? `${advice} (${code})` : advice });
	if (parts.some(({ name }) => /^SsrfBlocked/.test(String(name))))
		return error('configuration', `n8n's SSRF protection blocks requests to ${host}`, allowHost);
	if (isUnconnected(parts, code)) {
		const reason = unreachableReasons[code] ?? 'no connection was made';
		return error(
			'unreachable',
			`The service cannot be reached at ${host}: ${reason}`,
			"Check 'Base URL' in the credential and the network of n8n, then try again.",
		);
	}
	if (code === tooLargeCode) {
		const advice = call.writes
			? adviceAfterFailure(call)
			: "With Get Many, request fewer records, e.g. with a filter or 'Query Parameters'.";
		const what = `The response of the service is larger than ${maxResponseBytes / 1024 ** 2} MB`;
		return error(call.writes ? 'uncertain' : 'refused', what, advice);
	}
	// If the address is known to be right, the connection broke, perhaps after the service had received the request.
	if (/^EPROTO$|^ERR_SSL/.test(code) && !call.isKnownAddress)
		return error('configuration', `There is no HTTPS at ${host}`, checkBaseUrl);
	if (/CERT|^ERR_TLS|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code))
		return error('configuration', `The TLS certificate of ${host} is not valid`, certificateAdvice);
	const what = /TIMEDOUT$|^ECONNABORTED$/.test(code)
		? `The service did not respond within ${timeoutMs / 1_000} s`
		: 'The connection was lost before the service responded';
	return error('uncertain', what, adviceAfterFailure(call));
}

interface ErrorPart {
	name?: unknown;
	code?: unknown;
	/** The call of the operating system that failed. */
	syscall?: unknown;
}

/** A network error and the errors in it: n8n and axios wrap errors, and Node.js collects one for each address of a host. */
function partsOf(error: unknown, depth = 0): ErrorPart[] {
	if (typeof error !== 'object' || error === null || depth > maxWraps) return [];
	const { cause, errors } = error as { cause?: unknown; errors?: unknown };
	const inner: unknown[] = Array.isArray(errors) ? [cause, ...(errors as unknown[])] : [cause];
	return [error, ...inner.flatMap((one) => partsOf(one, depth + 1))];
}

function codeOf(parts: ErrorPart[]): string {
	const codes = parts.map(({ code }) => code);
	return codes.find((code): code is string => typeof code === 'string') ?? '';
}

/** Whether there was no connection. A code such as ETIMEDOUT or EHOSTUNREACH occurs before and after a connection exists. */
function isUnconnected(parts: ErrorPart[], code: string): boolean {
	const calls = parts.map(({ syscall }) => syscall);
	if (calls.some((call) => call === 'read' || call === 'write')) return false;
	const isBefore = calls.some((call) => /^(getaddrinfo|bind|connect)$/.test(String(call)));
	return isBefore || code in unreachableReasons;
}
