/**
 * The authenticated call of one endpoint. All requests of both nodes, of the pickers and of the trigger go through here:
 * paced by the rate limiter, repeated only where nothing can happen twice, and read into one shape.
 */
import { randomUUID } from 'crypto';
import { uniq, without } from 'lodash';
import { sleep } from 'n8n-workflow';

import { type Endpoint, type HttpMethod, routeOf } from '../api/endpoints';
import { greatestDepth, isDeeper } from '../api/read';
import { isRefusal } from '../api/readError';
import type { ServiceConfig } from './serviceConfig';
import {
	type CallInfo,
	ServiceError,
	type ServiceResponse,
	errorFromFault,
	errorFromResponse,
	rateLimitedError,
	unreadableError,
} from './errors';
import { type RateLimiter, backoffMs, limiterFor } from './rateLimiter';
import { readRetryAfter } from './retryAfter';

/** What a call of an endpoint carries. */
export interface ApiRequest {
	/** Identifier of the addressed record, for paths with `:id`. */
	id?: string;
	query?: Record<string, unknown>;
	body?: Record<string, unknown>;
	/**
	 * Sent as `Idempotency-Key`, the same for all attempts (assumption: the usual header). By default each call has one of
	 * its own, if the endpoint is not idempotent.
	 */
	idempotencyKey?: string;
}

/** What a call brought. */
export interface ApiResponse {
	/** Parsed JSON, text as it came, or undefined for an empty body. */
	body: unknown;
	headers: Record<string, unknown>;
}

/** One HTTP request with its answer as text. Rejects with a fault only if there was no answer. */
export type HttpSend = (request: {
	method: HttpMethod;
	url: string;
	query: Record<string, unknown>;
	body?: Record<string, unknown>;
	headers: Record<string, string>;
	timeoutMs: number;
}) => Promise<{ statusCode: number; headers: Record<string, unknown>; body: string }>;

/** How a client behaves; every value has a default. */
export interface ClientOptions {
	/** Time limit of one request in ms. */
	timeoutMs?: number;
	/** Ends waiting; a request that is under way is finished. */
	signal?: AbortSignal;
}

const defaultTimeoutMs = 30_000;
/** Tries of a call that may be repeated. */
const maxTries = 4;

/** Methods that a service has taken instead of the API path's own. */
const knownMethods = new Map<string, HttpMethod>();

/** Calls the endpoints of one service with one key. */
export class Client {
	/** What the user should know beside the output, e.g. that a list may not be complete. */
	readonly hints = new Set<string>();
	/** The longest that a request of this client has waited for its turn, in ms. */
	longestWaitMs = 0;
	private readonly limiter: RateLimiter;
	private readonly timeoutMs: number;
	private readonly signal?: AbortSignal;

	constructor(
		private readonly send: HttpSend,
		readonly config: ServiceConfig,
		{ timeoutMs = defaultTimeoutMs, signal }: ClientOptions = {},
	) {
		this.limiter = limiterFor(config.id, config.rate);
		this.timeoutMs = timeoutMs;
		this.signal = signal;
	}

	/**
	 * Calls an endpoint and reads the answer.
	 *
	 * @returns the body: parsed JSON, text as it came, or undefined for an empty one
	 * @throws ServiceError that says what happened, whether it may have taken effect, and what to do next
	 */
	async call(endpoint: Endpoint, request: ApiRequest = {}): Promise<unknown> {
		return (await this.fetch(endpoint, request)).body;
	}

	/** Like {@link call}, but also gives the headers of the response: some services page by a `Link` header. */
	async fetch(endpoint: Endpoint, request: ApiRequest = {}): Promise<ApiResponse> {
		const ownKey = endpoint.idempotent ? undefined : randomUUID();
		const keyed = { ...request, idempotencyKey: request.idempotencyKey ?? ownKey };
		const method =
			knownMethods.get(this.methodKey(endpoint)) ?? routeOf(endpoint, this.config.apiPath).method;
		const outcome = await this.callBy(method, endpoint, keyed).catch(asServiceError);
		if (!(outcome instanceof ServiceError)) return outcome;
		const isElsewhere = outcome.statusCode === 404 || outcome.statusCode === 405;
		for (const other of isElsewhere ? without(uniq(Object.values(endpoint.methods)), method) : []) {
			const second = await this.callBy(other, endpoint, keyed).catch(asServiceError);
			if (second instanceof ServiceError) continue;
			knownMethods.set(this.methodKey(endpoint), other);
			return second;
		}
		throw outcome;
	}

	private methodKey({ path }: Endpoint): string {
		return `${this.config.id} ${path}`;
	}

	private async callBy(
		method: HttpMethod,
		endpoint: Endpoint,
		request: ApiRequest,
	): Promise<ApiResponse> {
		const route = routeOf(endpoint, this.config.apiPath);
		const call: CallInfo = { ...endpoint, listed: route.listed, writes: method !== 'GET' };
		const url = `${this.config.root}${fillPath(route.path, request.id)}`;
		for (let tries = 1; ; ) {
			const outcome = await this.tryOnce(method, url, request, call);
			if (outcome === 'rateLimited') continue;
			if (!(outcome instanceof ServiceError)) return outcome;
			if (tries > 1 && method === 'DELETE' && outcome.statusCode === 404)
				return { body: undefined, headers: {} }; // an earlier try did it
			const mayRepeat =
				outcome.kind === 'unreachable' || (outcome.kind === 'indeterminate' && endpoint.idempotent);
			if (!mayRepeat || tries++ >= maxTries) throw outcome;
			await this.pause(backoffMs(tries - 2));
		}
	}

	/** One try: the answer, the error it amounts to, or that the service told us to wait, which the limiter now does. */
	private async tryOnce(
		method: HttpMethod,
		url: string,
		{ query = {}, body, idempotencyKey }: ApiRequest,
		call: CallInfo,
	): Promise<ApiResponse | ServiceError | 'rateLimited'> {
		const asked = Date.now();
		const slot = await this.limiter.acquire(this.signal);
		this.longestWaitMs = Math.max(this.longestWaitMs, Date.now() - asked);
		if (slot === 'stopped') return cancelled();
		if (slot === 'blocked') return rateLimitedError(this.limiter.waitMs);
		const headers: Record<string, string> = idempotencyKey
			? { 'Idempotency-Key': idempotencyKey }
			: {};
		try {
			const raw = await this.send({ method, url, query, body, headers, timeoutMs: this.timeoutMs });
			const text = this.config.redact(raw.body);
			const response = { ...raw, body: parseBody(text) };
			if (response.statusCode !== 429) {
				slot.done();
				return this.judge(response, text, call);
			}
			slot.limited(readRetryAfter(response));
			return 'rateLimited';
		} catch (fault) {
			slot.done();
			return errorFromFault(faultCode(fault), new URL(url).host, this.timeoutMs, call);
		}
	}

	private judge(
		response: ServiceResponse,
		text: string,
		call: CallInfo,
	): ApiResponse | ServiceError {
		if (response.statusCode >= 300 || isRefusal(response.body))
			return this.clean(errorFromResponse(response, call));
		const isBroken =
			/json/i.test(String(response.headers['content-type'])) &&
			text !== '' &&
			response.body === text;
		const isPage = typeof response.body === 'string' && response.body.trimStart().startsWith('<');
		return isBroken || isPage
			? unreadableError(response.statusCode, call)
			: { body: response.body, headers: response.headers };
	}

	/** Once more, now that escapes in the service's JSON are read. */
	private clean(error: ServiceError): ServiceError {
		return new ServiceError(this.config.redact(error.message), error);
	}

	private async pause(ms: number): Promise<void> {
		if (this.signal?.aborted) throw cancelled();
		await sleep(ms);
	}
}

function asServiceError(error: unknown): ServiceError {
	if (error instanceof ServiceError) return error;
	throw error;
}

function cancelled(): ServiceError {
	return new ServiceError('The execution was stopped before this was sent', { kind: 'cancelled' });
}

function fillPath(path: string, id: string | undefined): string {
	if (!path.includes(':id')) return path;
	if (id === undefined || /^\.{0,2}$|\p{Surrogate}/u.test(id)) {
		throw new ServiceError('The identifier of the record is missing, or cannot be one', {
			kind: 'configuration',
			description: 'Choose the record from the list or enter its ID.',
		});
	}
	return path.replace(':id', encodeURIComponent(id));
}

function parseBody(text: string): unknown {
	if (text === '') return undefined;
	try {
		const body: unknown = JSON.parse(text);
		return isDeeper(body, greatestDepth) ? text : body;
	} catch {
		return text;
	}
}

/** The code of a network fault, which n8n wraps in errors of its own. */
function faultCode(fault: unknown, depth = 0): string | undefined {
	if (typeof fault !== 'object' || fault === null || depth > 4) return undefined;
	const { code, cause } = fault as { code?: unknown; cause?: unknown };
	return typeof code === 'string' ? code : faultCode(cause, depth + 1);
}
