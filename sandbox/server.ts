/** The HTTP server: JSON in, JSON out, also for errors; and the page for people. */
import type { EventEmitter } from 'node:events';

import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { mountApi } from './api';
import { mountControls } from './controls';
import { errorBody, HttpError } from './errors';
import { buildOpenApiDocument } from './openapi';
import { mountPhone } from './phone';
import type { Settings } from './options';
import type { Changes, State } from './state';
import type { Answer } from './variants/errors';

/** Builds the server, which does not listen yet. @param stateNow gives the present state, as a reset makes a new one */
export function buildServer(
	settings: Settings,
	stateNow: () => State,
	changes: EventEmitter<Changes>,
	reset: () => void,
): FastifyInstance {
	const app = Fastify({
		forceCloseConnections: true,
		routerOptions: { maxParamLength: 500 },
	});
	acceptEmptyBodies(app);
	app.setErrorHandler(answerError);
	app.setNotFoundHandler(async ({ method, url }, reply) => {
		return await reply
			.code(404)
			.send(errorBody('not_found', `There is no ${method} ${url.split('?')[0]}`));
	});
	mountApi(app, settings, stateNow);
	mountControls(app, stateNow, changes, reset);
	mountPhone(app);
	app.get('/openapi.json', async ({ protocol, host }) =>
		buildOpenApiDocument(`${protocol}://${host}`),
	);
	return app;
}

/** Many clients announce a content type and then send no body, e.g. with DELETE: only a real body must be JSON. */
function acceptEmptyBodies(app: FastifyInstance): void {
	const parseJson = app.getDefaultJsonParser('error', 'error');
	app.removeAllContentTypeParsers();
	app.addContentTypeParser<string>(
		'application/json',
		{ parseAs: 'string' },
		(request, body, done) => {
			if (body === '') done(null, undefined);
			else void parseJson(request, body, done);
		},
	);
	const parseEmpty = async ({ headers }: FastifyRequest, body: string) => {
		const words = `The content type must be application/json, not ${headers['content-type']}`;
		if (body !== '') throw new HttpError(415, 'unsupported_media_type', words);
	};
	app.addContentTypeParser<string>('*', { parseAs: 'string' }, parseEmpty);
}

const codes: Record<number, string> = { 400: 'bad_request', 413: 'too_large' };

/** Calls of the API get responses in the format of the variant. */
function answerError(
	error: FastifyError | HttpError,
	request: FastifyRequest,
	reply: FastifyReply,
): void {
	const known = error instanceof HttpError ? error : asHttpError(error, request);
	const answer: Answer = request.apiCall?.state.adapter.error(known) ?? known;
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
