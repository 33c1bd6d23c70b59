/** Calls endpoints at the allowed rate. Repeats a call only if it cannot take effect twice; 429 means no effect. */
import { randomUUID } from 'crypto';
import { clamp, uniq, upperFirst } from 'lodash';
import { sleep } from 'n8n-workflow';

import { type Endpoint, type HttpMethod, recordName, routeOf } from '../api/endpoints';
import { parseJson } from '../reading/parseJson';
import { isTooDeep, quoted } from '../jsonValues';
import { isRefusal } from '../reading/readError';
import type { ServiceResponse } from '../reading/readResponse';
import { toTimeoutMs } from './deadline';
import {
	type CallInfo,
	InputError,
	ServiceError,
	errorFromNetwork,
	errorFromResponse,
	rateLimitedError,
	unreadableError,
} from './errors';
import { type RateLimiter, RequestQueue, type Slot, limiterFor } from './rateLimiter';
import { readRetryAfter } from '../reading/readRetryAfter';
import { describeRedirect, isSameOrigin, readRedirect } from './redirect';
import type { ServiceConfig } from './serviceConfig';
import type { Limit } from './slidingWindow';
import { backoffMs } from './throttle';

/** The request of a call. */
export interface ApiRequest {
	/** ID of a record, for paths with `:id`. */
	id?: string;
	query?: Record<string, unknown>;
	body?: Record<string, unknown>;
	/** The body of a PUT, which may replace the record; by default `body`. */
	replacementBody?: Record<string, unknown>;
	/** Sent as `Idempotency-Key` (assumption). By default, each call has a new key, unless the endpoint is idempotent. */
	idempotencyKey?: string;
	/** Called each time the request's turn has come. If it returns false, the request is not sent. Must not throw. */
	isStillAllowed?: () => boolean | Promise<boolean>;
	/** The greatest number of attempts of a request that may be repeated, without those that got 429; four by default. */
	attempts?: number;
	/** Whether a body with a successful status refuses the request. By default, the general signs are checked. */
	isRefused?: (body: unknown) => boolean;
}

/** The response of a call; an empty body is undefined. */
export interface ApiResponse extends ServiceResponse {
	/** Without the query. */
	url: string;
}

/** Sends a request; the body of the response is text. Rejects with a network error if there is no response. */
export type HttpSend = (request: {
	method: HttpMethod;
	url: string;
	query: Record<string, unknown>;
	body?: Record<string, unknown>;
	headers: Record<string, string>;
	timeoutMs: number;
}) => Promise<TextResponse>;

interface TextResponse extends ServiceResponse {
	body: string;
}

/** What is special about the requests of a client. */
export interface ClientOptions {
	/** The timeout of a request, ms. */
	timeoutMs?: number;
	/** Ends waiting. It does not interrupt a request under way. */
	signal?: AbortSignal;
	/** A limit for messages, beside that of the credential. */
	messages?: Limit;
}

const maxConcurrency = 600;
/** Factor for more simultaneous requests than are needed on average, because response times vary. */
const concurrencyMargin = 1.5;

/** HTTP statuses which may mean that the endpoint does not support the method. */
const noMethod = [404, 405, 501];

const maxAttempts = 4;

/** Calls the endpoints of one service with one key. */
export class Client {
	readonly hints = new Set<string>();
	/** How many requests the service has refused with 429. */
	tooManyRequests = 0;
	private responseMs = 0;
	private hasResponded = false;
	private readonly knownMethods = new Map<Endpoint, HttpMethod>();
	private readonly queue: RequestQueue;

	constructor(
		private readonly send: HttpSend,
		readonly config: ServiceConfig,
		private readonly options: ClientOptions = {},
	) {
		this.queue = new RequestQueue(config.rate.requests, options.messages, options.signal);
	}

	/** How many simultaneous requests are needed for the allowed rate at the current response times, but at least `least`. */
	concurrency(least: number): number {
		const { requests, windowMs } = this.config.rate;
		const most = Math.min(requests, this.options.messages?.most ?? Infinity);
		const needed = (most / windowMs) * this.responseMs * concurrencyMargin;
		return clamp(Math.ceil(needed), least, maxConcurrency);
	}

	/** The method of an endpoint: the one that has worked, else the one of the API path. */
	methodOf(endpoint: Endpoint): HttpMethod {
		return this.knownMethods.get(endpoint) ?? routeOf(endpoint, this.config.apiPath).method;
	}

	/** The body of the response: parsed JSON, text as it came, or undefined for an empty one. @throws ServiceError */
	async call(endpoint: Endpoint, request?: ApiRequest): Promise<unknown> {
		return (await this.fetch(endpoint, request)).body;
	}

	/**
	 * Calls an endpoint. After a 405, or a 404 of an endpoint that never worked, tries the other API path's method.
	 * @throws ServiceError that says what happened, whether it may have taken effect, and what to do next
	 */
	async fetch(endpoint: Endpoint, request: ApiRequest = {}): Promise<ApiResponse> {
		const known = this.knownMethods.get(endpoint);
		const ownKey = endpoint.idempotent ? undefined : randomUUID();
		const keyed = { ...request, idempotencyKey: request.idempotencyKey ?? ownKey };
		const failures: ServiceError[] = [];
		for (const method of uniq([this.methodOf(endpoint), ...Object.values(endpoint.methods)])) {
			const result = await this.repeat(method, endpoint, keyed);
			if (!(result instanceof ServiceError)) {
				this.knownMethods.set(endpoint, method);
				return result;
			}
			failures.push(result);
			if (result.statusCode !== 405 && (result.statusCode !== 404 || known)) break;
		}
		// A method that failed with another status exists, so its error says more.
		throw failures.find(({ statusCode = 0 }) => !noMethod.includes(statusCode)) ?? failures[0];
	}

	/** Repeats a request with exponential backoff if it was certainly not sent, or if it is idempotent. */
	private async repeat(
		method: HttpMethod,
		endpoint: Endpoint,
		request: ApiRequest,
	): Promise<ApiResponse | ServiceError> {
		const { attempts = maxAttempts } = request;
		let mayBeDone = false;
		for (let attempt = 1; ; attempt++) {
			const result = await this.attempt(method, endpoint, request);
			if (!(result instanceof ServiceError)) return result;
			if (mayBeDone && method === 'DELETE' && result.statusCode === 404)
				return { url: '', statusCode: 204, body: undefined, headers: {} }; // an earlier attempt has deleted the record
			const isUncertain = result.kind === 'uncertain';
			const mayRepeat = result.kind === 'unreachable' || (isUncertain && endpoint.idempotent);
			if (!mayRepeat || attempt >= attempts) return result;
			mayBeDone ||= isUncertain;
			await sleep(backoffMs(attempt - 1));
			if (this.options.signal?.aborted) return result;
		}
	}

	/** One attempt. A request that only reads follows one redirect. */
	private async attempt(
		method: HttpMethod,
		endpoint: Endpoint,
		{
			id,
			query = {},
			body: fields,
			replacementBody,
			idempotencyKey,
			isStillAllowed,
			isRefused,
		}: ApiRequest,
	): Promise<ApiResponse | ServiceError> {
		const { path, listed } = routeOf(endpoint, this.config.apiPath);
		const url = `${this.config.root}${fillPath(path, endpoint, id)}`;
		const headers: Record<string, string> = {};
		if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
		const timeoutMs = toTimeoutMs(this.options.timeoutMs ?? 30_000);
		const body = method === 'PUT' ? (replacementBody ?? fields) : fields;
		const request = { method, url, query, body, headers, timeoutMs };
		const writes = method !== 'GET';
		const call: CallInfo = {
			request: `${method} ${path}`,
			record: id && `${recordName(endpoint)} "${quoted(id)}"`,
			listed,
			writes,
			sends: writes && recordName(endpoint) === 'message',
		};
		const response = await this.exchange(request, call, isStillAllowed);
		if (response instanceof ServiceError) return response;
		const target = readRedirect(response, url);
		if (!target || call.writes || !isSameOrigin(target, url))
			return this.read(response, url, call, isRefused);
		const followed = { ...request, url: target.href, query: target.search ? {} : query };
		const second = await this.exchange(followed, call, isStillAllowed);
		return second instanceof ServiceError ? second : this.read(second, target.href, call);
	}

	/** Sends a request when its turn has come, and again while the service responds with 429. */
	private async exchange(
		request: Parameters<HttpSend>[0],
		call: CallInfo,
		isStillAllowed?: ApiRequest['isStillAllowed'],
	): Promise<TextResponse | ServiceError> {
		const { to } = request.body ?? {};
		const recipient = typeof to === 'string' ? to : undefined;
		const { limiter } = this;
		for (let refusal: TextResponse | undefined; ; ) {
			const slot = await this.takeTurn(limiter, call, recipient, isStillAllowed, refusal);
			if (slot instanceof ServiceError) return slot;
			const response = await this.sendTimed(request, call);
			const isFailure = response instanceof ServiceError;
			if (isFailure && response.kind === 'unreachable') {
				slot.unsent();
				return response;
			}
			if (isFailure || response.statusCode !== 429) {
				slot.accepted();
				if (!isFailure && refusal && recipient) this.noteConcurrency(limiter);
				return response;
			}
			this.tooManyRequests++;
			slot.limited(readRetryAfter(response));
			refusal = response;
		}
	}

	private async sendTimed(
		request: Parameters<HttpSend>[0],
		call: CallInfo,
	): Promise<TextResponse | ServiceError> {
		const start = performance.now();
		const { url, timeoutMs } = request;
		const response = await this.send(request).catch((error: unknown) =>
			errorFromNetwork(error, url, timeoutMs, { ...call, isKnownAddress: this.hasResponded }),
		);
		this.responseMs += (performance.now() - start - this.responseMs) / 10;
		this.hasResponded ||= !(response instanceof ServiceError);
		return response;
	}

	/** How long the service takes to respond, ms: a moving average. */
	get averageResponseMs(): number {
		return this.responseMs;
	}

	/** How many messages may be sent within this time, ms, beside those of others that wait now. */
	freeWithin(ms: number): number {
		return this.limiter.freeWithin(ms, this.queue);
	}

	private get limiter(): RateLimiter {
		const { id, windowMs } = this.config.rate;
		return limiterFor(id, windowMs);
	}

	/** Waits until the request may be sent. @param refusal the response with 429 to its last attempt */
	private async takeTurn(
		limiter: RateLimiter,
		{ request, sends }: CallInfo,
		subject = request,
		isStillAllowed: ApiRequest['isStillAllowed'] = () => true,
		refusal?: TextResponse,
	): Promise<Slot | ServiceError> {
		const slot = await limiter.acquire(this.queue, subject, sends);
		if (slot === 'blocked') {
			const body = refusal && this.parse(this.config.redact(refusal.body));
			return rateLimitedError(limiter.waitMs(subject), body);
		}
		if (slot !== 'stopped' && (await isStillAllowed())) return slot;
		if (slot !== 'stopped') slot.unsent();
		const reason = slot === 'stopped' ? 'The execution was stopped' : 'It may no longer be sent';
		return new ServiceError(`${reason} before the request was sent`, { kind: 'cancelled' });
	}

	private noteConcurrency({ knownConcurrency: known }: RateLimiter): void {
		if (known === undefined) return;
		this.hints.add(
			`The service refused messages because too many were sent at once. The node sent them again. To avoid this, set 'Simultaneous Requests' under 'Options' to ${known}.`,
		);
	}

	private read(
		response: TextResponse,
		url: string,
		call: CallInfo,
		isRefused = isRefusal,
	): ApiResponse | ServiceError {
		const { statusCode, headers, body: raw } = response;
		const text = this.config.redact(raw);
		const body = this.parse(text);
		if (statusCode >= 300 || isRefused(body)) {
			const target = readRedirect(response, url);
			const redirect = target && describeRedirect(target, url, this.config);
			return errorFromResponse({ statusCode, headers, body }, { ...call, redirect });
		}
		const isText = text !== '' && body === text;
		const isJson = /json/i.test(String(headers['content-type']));
		if (isText && (isJson || text.trimStart().startsWith('<')))
			return unreadableError(statusCode, call);
		return { url: url.split('?')[0], statusCode, headers, body };
	}

	/** The body as JSON; as text if it is not JSON, or nested too deeply. */
	private parse(text: string): unknown {
		const body = parseJson(text);
		if (text === '' || body === undefined) return text || undefined;
		return isTooDeep(body) ? text : body;
	}
}

function fillPath(path: string, endpoint: Endpoint, id: string | undefined): string {
	if (!path.includes(':id')) return path;
	if (id !== undefined && !/^\.{0,2}$|\p{Surrogate}/u.test(id))
		return path.replace(':id', encodeURIComponent(id));
	const name = recordName(endpoint);
	const advice = `Choose the ${name} from the list, or enter its ID.`;
	throw new InputError(`'${upperFirst(name)}' is empty or not an ID`, advice);
}
