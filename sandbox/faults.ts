/** Faults that a test orders: the next matching calls fail in the chosen way. */
import type { FastifyReply } from 'fastify';
import { setMaxListeners } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

import { endpoints, type EndpointName } from '../nodes/BusinessMessaging/api/endpoints';
import { HttpError, parse } from './errorResponses';
import type { LoggedRequest } from './requestLog';
import type { Answer, VariantAdapter } from './variants/adapter';

const names = Object.keys(endpoints) as [EndpointName, ...EndpointName[]];

/** An order for a fault. It affects only calls that have passed authorization and the rate limit. */
const faultSchema = z
	.object({
		/** Affects only calls of this endpoint, under both API paths. */
		endpoint: z.enum(names).optional(),
		method: z.string().optional(),
		/** Affects only calls whose JSON body contains this text. */
		match: z.string().min(1).optional(),
		/** How many matching calls succeed before the first one is affected. */
		skip: z.number().int().min(0).default(0),
		/** How many calls are affected. */
		count: z.number().int().min(1).default(1),
		status: z.number().int().min(200).max(599).optional(),
		/** Headers of the response, e.g. `{ "retry-after": "2" }`. A 429 has no such header unless it is given here. */
		headers: z.record(z.string(), z.string()).default({}),
		/** Body of the response: JSON; a string is sent as it is. */
		body: z.unknown().optional(),
		/** How long to wait before the response or the reset. */
		delayMs: z.number().int().min(0).default(0),
		/** Closes the connection instead of responding: before the call takes effect, or afterwards. */
		reset: z.enum(['beforeRead', 'afterRead']).optional(),
		/** Cuts the JSON of the response in half. */
		brokenJson: z.boolean().default(false),
		/** Sends the headers at once, and the body in small pieces over this time, ms. */
		slowBodyMs: z.number().int().min(0).default(0),
		/** Whether the call takes effect. By default, it does not with `reset: beforeRead` or with only a `status`; otherwise it does. */
		processed: z.boolean().optional(),
	})
	.strict();
export type FaultOrder = z.input<typeof faultSchema>;

/** An order that was accepted. */
export type Fault = Omit<z.output<typeof faultSchema>, 'processed'> & {
	processed: boolean;
	/** Matching calls so far, affected or not. */
	seen: number;
	/** Affected calls so far. */
	hits: number;
};

/** The ordered faults, oldest first. A fault that has affected `count` calls stays in the list. */
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

	private ofDelays = controllerOfMany();

	async delay({ delayMs }: Fault): Promise<void> {
		const { signal } = this.ofDelays;
		await sleep(delayMs, undefined, { ref: false, signal }).catch(() => {});
	}

	/** Ends the delays of the calls under way. */
	endDelays(): void {
		this.ofDelays.abort();
		this.ofDelays = controllerOfMany();
	}

	remove(): void {
		this.all = [];
	}

	/** The fault that affects a call: the oldest one that matches and is not used up; undefined if there is none. */
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

/** A controller for any number of delays at the same time: Node.js warns of more than ten. */
function controllerOfMany(): AbortController {
	const controller = new AbortController();
	setMaxListeners(0, controller.signal);
	return controller;
}

function matches({ endpoint, method, match = '' }: Fault, call: LoggedRequest): boolean {
	if (endpoint && endpoint !== call.endpoint) return false;
	if (method && method !== call.method) return false;
	return (JSON.stringify(call.body) ?? '').includes(match);
}

const slowBodySteps = 10;

/** Waits. The wait does not keep the process alive. */
export async function wait(ms: number): Promise<void> {
	if (ms > 0) await sleep(ms, undefined, { ref: false });
}

/** The usual response changed by a fault, the one that the test has ordered, or an error in the service's format. */
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
