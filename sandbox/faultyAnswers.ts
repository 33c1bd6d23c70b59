/** How an answer leaves the sandbox: late, or spoiled by a fault that a test has ordered. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { HttpError } from './errors';
import type { Fault } from './faults';
import type { VariantAdapter } from './variants/adapter';
import type { Answer } from './variants/errors';

const slowBodySteps = 10;

/** Waits without holding up the end of the process. */
async function wait(ms: number): Promise<void> {
	if (ms > 0) await sleep(ms, undefined, { ref: false });
}

/** Hook before the handler: looks for a fault, and keeps the call from its handler if the fault says so. */
export async function meetFault(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
	const call = request.apiCall;
	if (!call) return undefined;
	const { logged, state } = call;
	const { endpoint, method } = logged;
	logged.body = request.body;
	const path = request.url.split('?')[0] ?? '';
	call.fault = state.faults.take({ endpoint, method, path, body: request.body });
	if (!call.fault) return undefined;
	logged.faultId = call.fault.id;
	void reply.header('x-sandbox-fault', call.fault.id);
	if (call.fault.processed) return undefined;
	return reply.code(call.fault.status ?? 503).send();
}

/** Hook before the answer goes out. */
export async function sendAnswer(
	request: FastifyRequest,
	reply: FastifyReply,
	payload: unknown,
): Promise<unknown> {
	const call = request.apiCall;
	if (!call) return payload;
	const { fault, state, logged } = call;
	await wait(state.settings.latencyMs + (fault?.delayMs ?? 0));
	if (fault?.reset) {
		state.requests.finish(logged, null);
		request.raw.socket.resetAndDestroy();
		return payload;
	}
	const spoiled = fault ? spoil(fault, reply, state.adapter, payload) : payload;
	state.requests.finish(logged, reply.statusCode);
	return spoiled;
}

function spoil(
	fault: Fault,
	reply: FastifyReply,
	adapter: VariantAdapter,
	payload: unknown,
): unknown {
	const isReplaced = fault.status !== undefined || !fault.processed;
	if (!isReplaced) reply.headers(fault.headers);
	const usual = typeof payload === 'string' ? payload : '';
	let body = isReplaced ? replace(fault, reply, adapter) : usual;
	if (fault.brokenJson) body = body.length > 1 ? body.slice(0, body.length / 2) : '{';
	return fault.slowBodyMs > 0 ? Readable.from(slowly(body, fault.slowBodyMs)) : body;
}

/** Answers with what the test has ordered, or in the way in which the service tells of errors. */
function replace(fault: Fault, reply: FastifyReply, adapter: VariantAdapter): string {
	const { status = 503, headers } = fault;
	const words = `${STATUS_CODES[status] ?? 'Error'} (ordered by a test)`;
	const own: Answer =
		fault.body === undefined
			? adapter.error(new HttpError(status, 'fault', words, undefined, headers))
			: { status, headers, body: fault.body };
	const isText = typeof own.body === 'string';
	const type = own.type ?? (isText ? 'text/plain' : 'application/json');
	reply.code(own.status).type(`${type}; charset=utf-8`);
	reply.headers(own.headers ?? {});
	return typeof own.body === 'string' ? own.body : JSON.stringify(own.body);
}

async function* slowly(body: string, totalMs: number): AsyncGenerator<string> {
	const size = Math.max(1, Math.ceil(body.length / slowBodySteps));
	for (let start = 0; start < body.length; start += size) {
		yield body.slice(start, start + size);
		await wait(totalMs / slowBodySteps);
	}
}
