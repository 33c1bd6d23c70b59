/** The API over HTTP: both layouts, mounted from the endpoint table. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';

import {
	endpoints,
	layouts,
	routeOf,
	type Endpoint,
	type EndpointName,
	type HttpMethod,
	type Layout,
} from '../nodes/BusinessMessaging/api/endpoints';
import type { ApiKey } from './auth';
import { notFound, parse, ServiceError } from './errors';
import { meetFault, sendAnswer } from './faultyAnswers';
import type { Fault } from './faults';
import type { LoggedRequest } from './requestLog';
import { handle } from './routes';
import type { Call } from './routes/types';
import type { Settings } from './options';
import type { State } from './state';

/** What belongs to one call of the API on its way through the hooks. */
export interface ApiCall {
	state: State;
	logged: LoggedRequest;
	key?: ApiKey;
	fault?: Fault;
}

declare module 'fastify' {
	interface FastifyRequest {
		apiCall: ApiCall | null;
	}
	interface FastifyContextConfig {
		endpoint?: EndpointName;
		layout?: Layout;
	}
}

const allMethods: HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const names = Object.keys(endpoints) as EndpointName[];

/** Mounts every endpoint of both layouts, and clear refusals for what a layout does not list. */
export function mountApi(app: FastifyInstance, settings: Settings, stateNow: () => State): void {
	app.decorateRequest('apiCall', null);
	void app.register(async (api) => {
		api.addHook('onRequest', async (request) => admit(request, stateNow()));
		api.addHook('preHandler', meetFault);
		api.addHook('onSend', sendAnswer);
		for (const layout of layouts) mountLayout(api, layout, settings);
	});
}

function mountLayout(api: FastifyInstance, layout: Layout, settings: Settings): void {
	for (const path of new Set(names.map((name) => routeOf(endpoints[name], layout).path))) {
		const here = names.filter((name) => routeOf(endpoints[name], layout).path === path);
		const allowed: HttpMethod[] = [];
		for (const endpoint of here) {
			for (const method of methodsOf(endpoints[endpoint], layout, settings)) {
				allowed.push(method);
				api.route({ method, url: path, config: { endpoint, layout }, exposeHeadRoute: false, handler: answer });
			}
		}
		const method = allMethods.filter((candidate) => !allowed.includes(candidate)) as HTTPMethods[];
		api.route({ method, url: path, config: { layout }, exposeHeadRoute: false, handler: async () => refuse(path, allowed) });
	}
}

function methodsOf(endpoint: Endpoint, layout: Layout, { allEndpointsInBothLayouts }: Settings): HttpMethod[] {
	if (allEndpointsInBothLayouts) return [...new Set(Object.values(endpoint.methods))];
	const { method, listed } = routeOf(endpoint, layout);
	return listed ? [method] : [];
}

function refuse(path: string, allowed: HttpMethod[]): never {
	if (allowed.length === 0) throw notFound(`This layout does not list ${path}`);
	const headers = { allow: allowed.join(', ') };
	throw new ServiceError(405, 'method_not_allowed', `${path} takes ${headers.allow}`, undefined, headers);
}

/** Logs a call, checks its key and its rate. */
function admit(request: FastifyRequest, state: State): void {
	const { endpoint, layout } = request.routeOptions.config;
	const logged: LoggedRequest = {
		at: new Date().toISOString(),
		endpoint: endpoint ?? null,
		layout: layout ?? 'dedicatedHost',
		method: request.method,
		url: request.url,
		headers: { ...request.headers, authorization: request.headers.authorization && '[left out]' },
		keyId: null,
		body: undefined,
		status: null,
		faultId: null,
		ms: null,
	};
	request.apiCall = { state, logged };
	state.requests.add(logged);
	const key = state.keys.authenticate(request.headers.authorization);
	logged.keyId = key.id;
	request.apiCall.key = key;
	state.rateLimiter.take(key.id);
}

/** Checks a call against the contract, runs its handler and checks what that gives. */
async function answer(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
	const name = request.routeOptions.config.endpoint;
	const { state, key } = request.apiCall ?? {};
	if (!name || !state || !key) throw new Error('A call came past the hooks');
	const endpoint: Endpoint = endpoints[name];
	const { id = '' } = request.params as { id?: string };
	const header = request.headers['idempotency-key'];
	const result: unknown = handle(name, {
		state,
		key,
		id,
		body: endpoint.body && (parse(endpoint.body, request.body) as object),
		query: endpoint.query && (parse(endpoint.query, request.query) as object),
		idempotencyKey: typeof header === 'string' ? header : undefined,
	} as Call<typeof name>);
	if (state.settings.checkResponses) checkResult(name, endpoint, result);
	reply.code(endpoint.status);
	return endpoint.status === 204 ? undefined : result;
}

function checkResult(name: EndpointName, endpoint: Endpoint, result: unknown): void {
	const check = endpoint.response.safeParse(result);
	if (!check.success) throw new Error(`The answer of ${name} breaks the contract: ${check.error.message}`);
}
