/** How an answer leaves the sandbox: late, or spoiled by a fault that a test has ordered. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { errorBody } from './errors';
import type { Fault } from './faults';

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
export async function sendAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
	const call = request.apiCall;
	if (!call) return payload;
	const { fault, state, logged } = call;
	const latency = state.settings.latencyMs + (fault?.delayMs ?? 0);
	if (latency > 0) await wait(latency);
	if (fault?.reset) {
		state.requests.finish(logged, null);
		request.raw.socket.resetAndDestroy();
		return payload;
	}
	const spoiled = fault ? spoil(fault, reply, payload) : payload;
	state.requests.finish(logged, reply.statusCode);
	return spoiled;
}

function spoil(fault: Fault, reply: FastifyReply, payload: unknown): unknown {
	let body = typeof payload === 'string' ? payload : '';
	if (fault.status !== undefined || !fault.processed) body = replace(fault, reply, fault.status ?? 503);
	reply.headers(fault.headers);
	if (fault.brokenJson) body = body.length > 1 ? body.slice(0, body.length / 2) : '{';
	return fault.slowBodyMs > 0 ? Readable.from(slowly(body, fault.slowBodyMs)) : body;
}

function replace(fault: Fault, reply: FastifyReply, status: number): string {
	reply.code(status);
	if (typeof fault.body === 'string') {
		reply.type('text/plain; charset=utf-8');
		return fault.body;
	}
	reply.type('application/json; charset=utf-8');
	return JSON.stringify(fault.body ?? errorBody('fault', `${STATUS_CODES[status] ?? 'Error'} (ordered by a test)`));
}

async function* slowly(body: string, totalMs: number): AsyncGenerator<string> {
	const size = Math.max(1, Math.ceil(body.length / slowBodySteps));
	for (let start = 0; start < body.length; start += size) {
		yield body.slice(start, start + size);
		await wait(totalMs / slowBodySteps);
	}
}
