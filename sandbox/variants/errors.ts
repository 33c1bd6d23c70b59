/** Errors in the shapes that services of this kind use. */
import { STATUS_CODES } from 'node:http';

import { escape, omit } from 'lodash';

import type { HttpError } from '../errors';
import type { Choice } from '.';

/** What leaves the sandbox. */
export interface Answer {
	status: number;
	/** JSON, a text as it is, or nothing. */
	body: unknown;
	/** Content type of a text. */
	type?: string;
	headers?: Record<string, string>;
}

type Shape = Choice['error-shape'];
type Words = Pick<HttpError, 'status' | 'code' | 'message' | 'field' | 'body'>;

const shapes: Record<Shape, (error: Words) => unknown> = {
	nested: ({ body }) => body,
	message: ({ status, message }) => ({ statusCode: status, message }),
	error: ({ message }) => ({ error: message }),
	list: ({ code, message, field }) => ({ errors: [{ code, message, field }] }),
	texts: ({ message }) => ({ errors: [message] }),
	fields: ({ message, field = 'request' }) => ({ errors: { [field]: [message] } }),
	detail: ({ status, message }) => ({
		type: 'about:blank',
		title: STATUS_CODES[status],
		status,
		detail: message,
	}),
	titles: ({ status, message }) => ({
		errors: [{ status: String(status), title: STATUS_CODES[status], detail: message }],
	}),
	oauth: ({ code, message }) => ({ error: code, error_description: message }),
	description: ({ code, message, field = null }) => ({
		errors: [{ code, description: message, parameter: field }],
	}),
	graph: ({ message, code }) => ({
		error: {
			message: '(#100) Invalid parameter',
			type: 'OAuthException',
			code,
			error_data: { details: message },
		},
	}),
	'service-exception': ({ message, code }) => ({
		requestError: { serviceException: { messageId: code, text: message } },
	}),
	developer: ({ status, message }) => ({
		meta: { success: false, http_code: status, developer_message: message },
	}),
	info: ({ message }) => ({ result: false, info: message }),
	data: ({ status, message }) => ({ status, data: { message } }),
	array: ({ code, message }) => [{ code, message }],
	text: ({ message }) => message,
	html: ({ status, message }) =>
		`<!DOCTYPE html>\n<html><head><title>${status} ${STATUS_CODES[status]}</title></head>\n<body><center><h1>${escape(message)}</h1></center><hr><center>proxy</center></body></html>`,
	xml: ({ code, message }) =>
		`<?xml version="1.0"?><error><code>${code}</code><message>${escape(message)}</message></error>`,
};
const types: Partial<Record<Shape, string>> = {
	text: 'text/plain',
	html: 'text/html',
	xml: 'application/xml',
};

/** Refusals that some services send with status 200. */
const refusals = [400, 409, 422];

/** An error as the service sends it. */
export function errorAnswer(choice: Choice, error: HttpError): Answer {
	const shape = choice['error-shape'];
	const type = types[shape];
	const body = shapes[shape](error);
	const headers = error.status === 429 ? rateHeaders(choice, error.headers) : error.headers;
	const isObject = !type && !Array.isArray(body);
	if (choice['error-status'] === 'ok' && isObject && refusals.includes(error.status)) {
		return { status: 200, body: { success: false, ...(body as object) }, headers };
	}
	const isTold = error.status === 429 && choice['rate-headers'] === 'body' && isObject;
	return {
		status: error.status,
		body: isTold ? { ...(body as object), retry_after: secondsOf(error.headers) } : body,
		type,
		headers,
	};
}

function secondsOf({ 'retry-after': seconds = '1' }: Record<string, string>): number {
	return Number(seconds);
}

function rateHeaders(choice: Choice, headers: Record<string, string>): Record<string, string> {
	if (choice['rate-headers'] === 'retry-after') return headers; // as the test has ordered it, also a date
	const others = omit(headers, 'retry-after');
	const seconds = secondsOf(headers);
	const until = Date.now() + seconds * 1000;
	const forms: Record<Exclude<Choice['rate-headers'], 'retry-after'>, Record<string, string>> = {
		'retry-after-date': { 'retry-after': new Date(until).toUTCString() },
		'retry-after-ms': { 'retry-after-ms': String(seconds * 1000) },
		'x-ratelimit-reset': { 'x-ratelimit-reset': String(Math.ceil(until / 1000)) },
		'x-ratelimit-reset-ms': { 'x-ratelimit-reset': String(until) },
		'x-rate-limit-reset': { 'x-rate-limit-reset': String(Math.ceil(until / 1000)) },
		'ratelimit-reset': { 'ratelimit-reset': String(seconds) },
		'x-ratelimit-reset-after': { 'x-ratelimit-reset-after': String(seconds) },
		ratelimit: { ratelimit: `"default";r=0;t=${seconds}` },
		'ratelimit-list': { ratelimit: `limit=1000, remaining=0, reset=${seconds}` },
		body: {},
		none: {},
	};
	return { ...others, ...forms[choice['rate-headers']] };
}
