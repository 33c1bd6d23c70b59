/** Faults that a test orders: the next matching calls fail in a chosen way. */
import type { FastifyReply } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

import { endpoints, type EndpointName } from '../nodes/BusinessMessaging/api/endpoints';
import { HttpError, parse } from './errorResponses';
import type { LoggedRequest } from './requestLog';
import type { Answer, VariantAdapter } from './variants/adapter';

const names = Object.keys(endpoints) as [EndpointName, ...EndpointName[]];

/** An order for faults. A fault hits calls that passed authorization and the rate limit. */
const faultSchema = z
	.object({
		/** Only calls of this endpoint, under both API paths. */
		endpoint: z.enum(names).optional(),
		method: z.string().optional(),
		/** Only calls whose JSON body contains this text. */
		match: z.string().min(1).optional(),
		/** Matching calls that pass unharmed before the first is hit. */
		skip: z.number().int().min(0).default(0),
		/** How many calls are hit. */
		count: z.number().int().min(1).default(1),
		/** HTTP status of the response. */
		status: z.number().int().min(200).max(599).optional(),
		/** Headers of the response, e.g. `{ "retry-after": "2" }`; a 429 has none by itself. */
		headers: z.record(z.string(), z.string()).default({}),
		/** Body of the response: JSON, or a string as it is. */
		body: z.unknown().optional(),
		/** Wait before the response or the reset, ms. */
		delayMs: z.number().int().min(0).default(0),
		/** Breaks the connection instead of responding: before the call has had its effect, or after. */
		reset: z.enum(['beforeRead', 'afterRead']).optional(),
		/** Cuts the JSON of the response in half. */
		brokenJson: z.boolean().default(false),
		/** Sends the headers at once and the body bit by bit over this time, ms. */
		slowBodyMs: z.number().int().min(0).default(0),
		/** Whether the call takes effect. By default not with `reset: beforeRead` or a `status` alone, otherwise yes. */
		processed: z.boolean().optional(),
	})
	.strict();
export type FaultOrder = z.input<typeof faultSchema>;

/** An order that was accepted. */
export type Fault = Omit<z.output<typeof faultSchema>, 'processed'> & {
	processed: boolean;
	/** Matching calls so far, whether they passed or were hit. */
	seen: number;
	/** Calls hit so far. */
	hits: number;
};

/** The ordered faults, oldest first. One that has hit `count` calls stays listed. */
export class Faults {
	all: Fault[] = [];

	/** @throws HttpError 422 that names the first wrong field of the order */
	add(given: FaultOrder): Fault {
		const order = parse(faultSchema, given);
		const byDefault = order.reset ? order.reset === 'afterRead' : order.status === undefined;
		const fault = { ...order, processed: order.processed ?? byDefault, seen: 0, hits: 0 };
		this.all.push(fault);
		return fault;
	}

	/** Takes all orders back. */
	remove(): void {
		this.all = [];
	}

	/** The fault that hits a call, if any: the oldest one that matches and is not used up. */
	take(call: LoggedRequest): Fault | undefined {
		for (const fault of this.all) {
			if (fault.hits >= fault.count || !matches(fault, call)) continue;
			if (fault.seen++ < fault.skip) continue;
			fault.hits++;
			return fault;
		}
		return undefined;
	}
}

function matches({ endpoint, method, match = '' }: Fault, call: LoggedRequest): boolean {
	if (endpoint && endpoint !== call.endpoint) return false;
	if (method && method !== call.method) return false;
	return (JSON.stringify(call.body) ?? '').includes(match);
}

const slowBodySteps = 10;

/** Waits without holding up the end of the process. */
export async function wait(ms: number): Promise<void> {
	if (ms > 0) await sleep(ms, undefined, { ref: false });
}

/** A response as a fault leaves it: the usual one, what the test has ordered, or an error in the format of the service. */
export function spoil(
	fault: Fault,
	reply: FastifyReply,
	adapter: VariantAdapter,
	payload: unknown,
): unknown {
	const { status, headers, slowBodyMs } = fault;
	let body = typeof payload === 'string' ? payload : '';
	if (status !== undefined) {
		const words = `${STATUS_CODES[status] ?? 'Error'} (ordered by a test)`;
		const { endpoint } = reply.request.routeOptions.config;
		const usual = adapter.error(
			new HttpError(status, 'fault', words, undefined, headers),
			endpoint,
		);
		const own: Answer = fault.body === undefined ? usual : { status, headers, body: fault.body };
		const isText = typeof own.body === 'string';
		reply.code(own.status).type(own.type ?? (isText ? 'text/plain' : 'application/json'));
		reply.headers(own.headers ?? {});
		body = isText ? String(own.body) : JSON.stringify(own.body);
	} else reply.headers(headers);
	if (fault.brokenJson) body = body.length > 1 ? body.slice(0, body.length / 2) : '{';
	return slowBodyMs > 0 ? Readable.from(slowly(body, slowBodyMs)) : body;
}

async function* slowly(body: string, totalMs: number): AsyncGenerator<string> {
	const size = Math.max(1, Math.ceil(body.length / slowBodySteps));
	for (let start = 0; start < body.length; start += size) {
		yield body.slice(start, start + size);
		await wait(totalMs / slowBodySteps);
	}
}
