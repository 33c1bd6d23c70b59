/** The API over HTTP: both API paths, mounted from the endpoint table. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { compact, groupBy, without } from 'lodash';

import {
	endpoints,
	apiPaths,
	routeOf,
	type Endpoint,
	type EndpointName,
	type HttpMethod,
	type ApiPath,
} from '../nodes/BusinessMessaging/api/endpoints';
import type { ApiKey } from './auth';
import { notFound, parse, HttpError } from './errorResponses';
import { spoil, wait, type Fault } from './faults';
import { writeJson } from './json';
import type { LoggedRequest } from './requestLog';
import { routes } from './routes';
import type { State } from './state';
import type { Choice } from './variants';
import { movedPath, redirectOf } from './variants/requests';

/** The data of one API call while it passes through the hooks. */
export interface ApiCall {
	state: State;
	logged: LoggedRequest;
	key?: ApiKey;
	fault?: Fault;
	/** Ends the call, which counts as under way until then. */
	end?: () => void;
}

declare module 'fastify' {
	interface FastifyRequest {
		apiCall: ApiCall | null;
	}
	interface FastifyContextConfig {
		endpoint?: EndpointName;
	}
}

const allMethods: HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const names = Object.keys(endpoints) as EndpointName[];

/** Mounts every endpoint of both API paths. An endpoint that an API path does not list is refused with a clear error. */
export function mountApi(app: FastifyInstance, variants: Choice, stateNow: () => State): void {
	app.decorateRequest('apiCall', null);
	void app.register(async (api) => {
		api.setReplySerializer(writeJson);
		api.addHook('onRequest', async ({ method, url }, reply) => {
			const location = redirectOf(variants, method, url);
			return location ? reply.code(307).header('location', location).send() : undefined;
		});
		api.addHook('onRequest', async (request) => admit(request, stateNow()));
		api.addHook('preHandler', meetFault);
		api.addHook('onSend', sendAnswer);
		const served = variants['api-path'] === 'both' ? apiPaths : (['/api/v1'] as const);
		const prefixes = variants.redirects === 'none' ? [''] : ['', movedPath];
		for (const apiPath of served)
			for (const prefix of prefixes) mountPath(api, prefix, apiPath, variants);
	});
}

function mountPath(api: FastifyInstance, prefix: string, apiPath: ApiPath, variants: Choice): void {
	const byPath = groupBy(names, (name) => `${prefix}${routeOf(endpoints[name], apiPath).path}`);
	for (const [url, here] of Object.entries(byPath)) {
		const methods = here.map((name) => methodOf(endpoints[name], apiPath, variants));
		here.forEach((endpoint, index) => {
			const method = methods[index];
			if (method) api.route({ url, method, config: { endpoint }, handler: answer });
		});
		const allowed = compact(methods);
		const handler = async () => refuse(url, allowed);
		api.route({ url, method: without(allMethods, ...allowed), handler });
	}
}

function methodOf(endpoint: Endpoint, apiPath: ApiPath, variants: Choice): HttpMethod | undefined {
	const { method, listed } = routeOf(endpoint, apiPath);
	return listed || variants.endpoints === 'all' ? method : undefined;
}

function refuse(path: string, allowed: HttpMethod[]): never {
	if (allowed.length === 0) throw notFound(`This API path does not list ${path}`);
	const headers = { allow: allowed.join(', ') };
	const words = `${path} takes ${headers.allow}`;
	throw new HttpError(405, 'method_not_allowed', words, undefined, headers);
}

/** Logs a call, checks its key and its rate. */
function admit(request: FastifyRequest, state: State): void {
	const logged: LoggedRequest = {
		at: new Date().toISOString(),
		endpoint: request.routeOptions.config.endpoint ?? null,
		method: request.method,
		url: request.url,
		headers: { ...request.headers, authorization: request.headers.authorization && '[left out]' },
		body: undefined,
		status: null,
		ms: null,
	};
	request.apiCall = { state, logged };
	state.requests.add(logged);
	const key = state.keys.authenticate(request.headers.authorization);
	request.apiCall.key = key;
	request.apiCall.end = state.simultaneousRequests.begin(key.id);
	state.rateLimiter.take(key.id);
}

/** Checks a call against the contract, runs its handler and checks the result. */
async function answer(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
	const name = request.routeOptions.config.endpoint;
	const { state, key } = request.apiCall ?? {};
	if (!name || !state || !key) throw new Error('A call came past the hooks');
	const endpoint: Endpoint = endpoints[name];
	const { status, response, handle } = routes[name];
	const { id: givenId = '' } = request.params as { id?: string };
	const { query: givenQuery, body: givenBody } = request;
	const given = { id: givenId, query: givenQuery, body: givenBody };
	const { id, ...asked } = await state.adapter.request(name, given);
	const body = endpoint.body && (parse(endpoint.body, asked.body) as object);
	const query = endpoint.query && (parse(endpoint.query, asked.query) as object);
	const replaces = state.adapter.replacesContact(request.method);
	const result = state.knownRequests.once(knownAs(request, state, key), body, () =>
		state.adapter.result(name, query, (part) =>
			handle({ state, key, id, body, query: part, replaces } as never),
		),
	);
	const check = response.safeParse(result);
	if (!check.success)
		throw new Error(`The answer of ${name} breaks the contract: ${check.error.message}`);
	const sent = state.adapter.answer(name, result, status);
	reply.code(sent.status).headers(sent.headers ?? {});
	if (sent.type) reply.type(sent.type);
	return sent.body;
}

/** Recognizes a repeated request by its `Idempotency-Key`; undefined if the sandbox is not to recognize any. */
function knownAs({ method, url, headers }: FastifyRequest, state: State, key: ApiKey) {
	const given = headers['idempotency-key'];
	const isRecognized = state.settings.recognizesIdempotencyKeys && given !== undefined;
	return isRecognized ? [key.id, method, url, given].join(' ') : undefined;
}

/** Hook before the handler: finds a fault for the call, and skips the handler if the fault says so. */
async function meetFault(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
	const call = request.apiCall;
	if (!call) return undefined;
	call.logged.body = request.body;
	call.fault = call.state.faults.take(call.logged);
	return call.fault && !call.fault.processed ? reply.send() : undefined;
}

async function sendAnswer(
	request: FastifyRequest,
	reply: FastifyReply,
	payload: unknown,
): Promise<unknown> {
	const call = request.apiCall;
	if (!call) return payload;
	const { fault, state, logged } = call;
	await wait(state.settings.latencyMs);
	if (fault?.delayMs) await state.faults.delay(fault);
	call.end?.();
	if (fault?.reset) {
		state.requests.finish(logged, null);
		request.raw.socket.resetAndDestroy();
		return payload;
	}
	const spoiled = fault ? spoil(fault, reply, state.adapter, payload) : payload;
	state.requests.finish(logged, reply.statusCode);
	return spoiled;
}
