/** What goes wrong between us and the service, in words that say what happened and what to do next. */
import { trimEnd } from 'lodash';

import { readErrorMessage } from '../api/readError';

/**
 * What a failed call means for the thing it should have done, e.g. for the message it should have sent.
 * A workflow can branch on it: what was certainly not sent may be sent again, the other may have arrived.
 */
export type SendStatus = 'notSent' | 'mayHaveBeenSent';

/** What a failure is, as far as the way of handling it depends on it. */
export type FailureKind =
	/** The credential or the request cannot be right; nothing was sent. */
	| 'configuration'
	/** The service has refused the request. */
	| 'refused'
	/** The service asks to slow down for longer than we wait. */
	| 'rateLimited'
	/** No connection came about, so nothing was sent. */
	| 'unreachable'
	/** The request may or may not have taken effect. */
	| 'indeterminate'
	/** The execution was stopped before the request went out. */
	| 'cancelled';

/** An answer of the service. */
export interface ServiceResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	/** Parsed JSON, or the text as it came. */
	body: unknown;
}

interface ErrorDetails {
	kind: FailureKind;
	/** What to do next. */
	description?: string;
	/** HTTP status, if the service answered. */
	statusCode?: number;
}

/** A call that failed; `message` says what happened and `description` what to do next. Never holds the API key. */
export class ServiceError extends Error {
	readonly kind: FailureKind;
	readonly description?: string;
	readonly statusCode?: number;

	constructor(message: string, details: ErrorDetails) {
		super(message);
		this.name = 'ServiceError';
		this.kind = details.kind;
		this.description = details.description;
		this.statusCode = details.statusCode;
	}

	/** Whether the request certainly had no effect. */
	get sendStatus(): SendStatus {
		return this.kind === 'indeterminate' ? 'mayHaveBeenSent' : 'notSent';
	}
}

/** What of a call its errors mention. */
export interface CallInfo {
	/** What the call does, in words, e.g. "Send a free-text message". */
	summary: string;
	/** Whether the specification lists the endpoint in the API path that is used. */
	listed: boolean;
	/** Whether the call changes something at the service, so that repeating it by hand needs care. */
	writes: boolean;
}

const unknownFate =
	'It may have taken effect all the same. Check at the service before you run it again.';
const tryAgain = 'Try again later.';
/** How much the service may say in an error, characters. */
const mostWords = 1_000;

/** The error for an answer that refuses or fails, with the service's own words. Some do so with a status of success. */
export function errorFromResponse(response: ServiceResponse, call: CallInfo): ServiceError {
	const { statusCode } = response;
	const words = readErrorMessage(response.body)?.slice(0, mostWords);
	const said = `${words ? `: ${trimEnd(words, '. \n')}` : ''} (HTTP ${statusCode})`;
	const error = (kind: FailureKind, what: string, description: string) =>
		new ServiceError(`${what}${said}`, { kind, description, statusCode });

	if (statusCode >= 500) {
		return error(
			'indeterminate',
			'The service failed while handling the request',
			call.writes ? unknownFate : tryAgain,
		);
	}
	if (statusCode >= 300 && statusCode < 400) {
		return error(
			'refused',
			'The service redirects to another address',
			'Enter the address it redirects to as Base URL in the credential. The API key is not sent along to other addresses.',
		);
	}
	if ((statusCode === 404 || statusCode === 405) && !call.listed) {
		return error(
			'refused',
			`The service does not offer "${call.summary}" here`,
			"It is not documented for the API Path of the credential. Use the service's own website for it, or check Base URL and API Path in the credential.",
		);
	}
	if (statusCode === 408)
		return error(
			'indeterminate',
			'The service gave up waiting for the request',
			call.writes ? unknownFate : tryAgain,
		);
	return error('refused', ...(refusals[statusCode] ?? otherRefusal));
}

/** What a refusal means and what to do, by its status. */
const refusals: Record<number, [what: string, description: string]> = {
	401: ['The service does not accept the API key', 'Check the API key in the credential.'],
	403: [
		'The API key is not allowed to do this',
		'Use an API key with the rights it needs in the credential.',
	],
	404: [
		'The service did not find what was asked for',
		'Check that it exists, and Base URL and API Path in the credential.',
	],
	405: ['The service does not allow this here', 'Check Base URL and API Path in the credential.'],
	409: ['The service reports a conflict', 'Check whether it exists already.'],
};
const otherRefusal: [what: string, description: string] = [
	'The service refused the request',
	'Correct the values it names and run it again.',
];

/** Whether the service has refused what a request holds, rather than the key, the record or the rate. */
export function isRefusedContent(error: unknown): error is ServiceError {
	if (!(error instanceof ServiceError) || error.kind !== 'refused') return false;
	const { statusCode = 0 } = error;
	return statusCode < 300 || statusCode === 400 || statusCode === 422;
}

/** The error for a rate limit that lasts longer than anyone would wait; `waitMs` is how much longer, in ms. */
export function rateLimitedError(waitMs: number): ServiceError {
	const minutes = Math.max(1, Math.round(waitMs / 60_000));
	return new ServiceError(
		`The service limits the rate and asks to wait another ${minutes} minutes`,
		{
			kind: 'rateLimited',
			description:
				'Run it again then. If this happens often, lower Requests per Minute in the credential or ask for a larger plan.',
			statusCode: 429,
		},
	);
}

/** The error for an answer that reports success but cannot be read. */
export function unreadableError(statusCode: number, call: CallInfo): ServiceError {
	return new ServiceError(`The service answered something that is not JSON (HTTP ${statusCode})`, {
		kind: 'indeterminate',
		description: call.writes ? unknownFate : 'Check Base URL and API Path in the credential.',
		statusCode,
	});
}

/**
 * Faults before a connection exists: whatever was asked has certainly not happened. Codes stand in descriptions only:
 * n8n replaces any message that holds one by words of its own.
 */
const unreachableCodes: Record<string, string> = {
	EAI_AGAIN: 'its name cannot be looked up at the moment',
	EADDRNOTAVAIL: 'no local address is free',
	ECONNREFUSED: 'the connection was refused',
	EHOSTUNREACH: 'there is no way to its host',
	ENETUNREACH: 'there is no way to its network',
	ENOTFOUND: 'its name is unknown',
};
const certificateCode = /CERT|^ERR_TLS|^EPROTO$|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/;
const timeoutCodes = ['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT'];

/**
 * The error for a call that brought no answer.
 *
 * @param code of the network fault, e.g. ECONNREFUSED; undefined if it is not known
 * @param host that was called
 */
export function errorFromFault(
	code: string | undefined,
	host: string,
	timeoutMs: number,
	call: CallInfo,
): ServiceError {
	if (code && code in unreachableCodes) {
		return new ServiceError(`The service cannot be reached at ${host}: ${unreachableCodes[code]}`, {
			kind: 'unreachable',
			description: `Check the Base URL in the credential and the network of n8n, then run it again. (${code})`,
		});
	}
	if (code && certificateCode.test(code)) {
		return new ServiceError(`The service at ${host} cannot prove who it is`, {
			kind: 'configuration',
			description: `Its TLS certificate is not valid. Check the Base URL in the credential. (${code})`,
		});
	}
	const what =
		code && timeoutCodes.includes(code)
			? `The service did not answer within ${timeoutMs / 1000} seconds`
			: 'The connection to the service broke before it answered';
	const advice = call.writes ? unknownFate : tryAgain;
	return new ServiceError(what, {
		kind: 'indeterminate',
		description: code ? `${advice} (${code})` : advice,
	});
}
