/** The complete service of the specification, in memory, for one machine. */
import { EventEmitter } from 'node:events';
import type { AddressInfo } from 'node:net';
import Fastify, {
	type FastifyError,
	type FastifyInstance,
	type FastifyReply,
	type FastifyRequest,
} from 'fastify';
import { demoKey, optionsSchema, type SandboxOptions, type Settings } from './options';
import { State, type Changes } from './state';
import { mountApi } from './api';
import { mountControls } from './controls';
import { HttpError, notFound } from './errorResponses';
import { buildOpenApiDocument } from './openapi';
import { mountPhone } from './phone';
import type { Answer } from './variants/adapter';

export type { SandboxOptions } from './options';
export type { Changes, State } from './state';

const host = '127.0.0.1';

/** A running sandbox. */
export interface Sandbox {
	/** E.g. `http://127.0.0.1:4010`. The base addresses of the two API paths are this URL, and this URL with `/api`. */
	url: string;
	port: number;
	/** An API key that works from the start. */
	key: string;
	/** The current state of the sandbox, for reading; a reset replaces it. */
	readonly state: State;
	/** Emits events about what happens in the sandbox, also after resets. */
	changes: EventEmitter<Changes>;
	/** Resets the sandbox: it forgets everything, and nothing is under way. */
	reset: () => void;
	/** Stops deliveries and receipts, closes the connections and frees the port. */
	close: () => Promise<void>;
}

/** Starts a sandbox on 127.0.0.1, by default on port 4010. @throws Error if the port is taken; ZodError if an option is wrong */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const settings = optionsSchema.parse(options);
	const changes = new EventEmitter<Changes>();
	changes.setMaxListeners(0);
	let state = new State({ ...settings }, changes);
	const reset = () => {
		state.close();
		state = new State({ ...settings }, changes);
		changes.emit('reset');
	};
	const server = buildServer(settings, () => state, reset);
	const close = async () => {
		state.close();
		await server.close();
	};
	try {
		await server.listen({ host, port: settings.port });
	} catch (error) {
		await close();
		if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
		throw new Error(`Port ${settings.port} is taken. Choose another one (0 for any that is free).`);
	}
	const { port } = server.server.address() as AddressInfo;
	return {
		...{ url: `http://${host}:${port}`, port, key: demoKey, changes, reset, close },
		get state() {
			return state;
		},
	};
}

/** Builds the server, which does not listen yet. @param stateNow gives the current state; a reset replaces the state */
function buildServer(
	settings: Settings,
	stateNow: () => State,
	reset: () => void,
): FastifyInstance {
	const app = Fastify({
		forceCloseConnections: true,
		exposeHeadRoutes: false,
		routerOptions: { maxParamLength: 500 },
	});
	const parseJson = app.getDefaultJsonParser('error', 'error');
	app.removeAllContentTypeParsers();
	const options = { parseAs: 'string' } as const;
	app.addContentTypeParser<string>('application/json', options, (request, body, done) => {
		// Many clients send a content type without a body, e.g. with DELETE.
		if (body === '') done(null, undefined);
		else void parseJson(request, body, done);
	});
	app.addContentTypeParser<string>('*', options, async (_: FastifyRequest, body: string) => {
		if (body !== '') throw new HttpError(415, 'unsupported_media_type', 'The body must be JSON');
	});
	app.setErrorHandler(answerError);
	app.setNotFoundHandler(({ method, url }) => {
		throw notFound(`There is no ${method} ${url.split('?')[0]}`);
	});
	mountApi(app, settings.variants, stateNow);
	mountControls(app, stateNow, reset);
	mountPhone(app);
	app.get('/openapi.json', async ({ protocol, host }) =>
		buildOpenApiDocument(`${protocol}://${host}`),
	);
	return app;
}

const codes: Record<number, string> = { 400: 'bad_request', 413: 'too_large' };

/** The response to an error. Calls of the API get it in the format of the variant. */
function answerError(
	error: FastifyError | HttpError,
	request: FastifyRequest,
	reply: FastifyReply,
): void {
	const known = error instanceof HttpError ? error : asHttpError(error, request);
	const answer: Answer =
		request.apiCall?.state.adapter.error(known, request.routeOptions.config.endpoint) ?? known;
	if (answer.type) void reply.type(answer.type);
	void reply
		.code(answer.status)
		.headers(answer.headers ?? {})
		.send(answer.body);
}

function asHttpError(error: FastifyError, { method, url }: FastifyRequest): HttpError {
	const status = error.statusCode ?? 500;
	if (status >= 500) process.stderr.write(`${method} ${url}: ${error.stack ?? error.message}\n`);
	return new HttpError(status, codes[status] ?? 'internal', error.message);
}
