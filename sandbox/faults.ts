/** Faults that a test orders: the next matching calls are not answered as they should be. */
import { z } from 'zod';

import { endpoints, type EndpointName } from '../nodes/BusinessMessaging/api/endpoints';

const names = Object.keys(endpoints) as [EndpointName, ...EndpointName[]];

/** An order for faults. A fault hits calls that passed authorization and the rate limit. */
export const faultSchema = z
	.object({
		/** Only calls of this endpoint, under whichever API path; otherwise see `method` and `path`. */
		endpoint: z.enum(names).optional(),
		method: z.string().optional(),
		/** Path without the query; a `*` at its end stands for any rest. */
		path: z.string().optional(),
		/** Only calls whose JSON body contains this text. */
		match: z.string().min(1).optional(),
		/** Matching calls that pass unharmed before the first is hit. */
		skip: z.number().int().min(0).default(0),
		/** How many calls are hit. */
		count: z.number().int().min(1).default(1),
		/** HTTP status of the answer. */
		status: z.number().int().min(200).max(599).optional(),
		/** Headers of the answer, e.g. `{ "retry-after": "2" }`; a 429 has none by itself. */
		headers: z.record(z.string(), z.string()).default({}),
		/** Body of the answer: JSON, or a string as it is. */
		body: z.unknown().optional(),
		/** Wait before the answer or the reset, ms. */
		delayMs: z.number().int().min(0).default(0),
		/** Breaks the connection instead of an answer: before the call has had its effect, or after. */
		reset: z.enum(['beforeRead', 'afterRead']).optional(),
		/** Cuts the JSON of the answer in half. */
		brokenJson: z.boolean().default(false),
		/** Sends the headers at once and the body bit by bit over this time, ms. */
		slowBodyMs: z.number().int().min(0).default(0),
		/** Whether the call has its effect. By default: no with `status` and `reset: beforeRead`, otherwise yes. */
		processed: z.boolean().optional(),
	})
	.strict()
	.refine(({ reset, processed }) => processed === undefined || reset === undefined, {
		message: 'is decided by reset: beforeRead is not processed, afterRead is',
		path: ['processed'],
	});
export type FaultOrder = z.input<typeof faultSchema>;

/** An order that was accepted. */
export type Fault = Omit<z.output<typeof faultSchema>, 'processed'> & {
	id: string;
	processed: boolean;
	/** Matching calls so far, whether they passed or were hit. */
	seen: number;
	/** Calls hit so far. */
	hits: number;
};

/** A call, as far as faults look at it. */
export interface FaultTarget {
	endpoint: EndpointName | null;
	method: string;
	path: string;
	body: unknown;
}

/** The ordered faults, oldest first. One that has hit `count` calls stays listed. */
export class Faults {
	all: Fault[] = [];

	constructor(private readonly newId: (prefix: string) => string) {}

	add(order: z.output<typeof faultSchema>): Fault {
		const byDefault = order.reset ? order.reset === 'afterRead' : order.status === undefined;
		const fault = {
			...order,
			id: this.newId('flt'),
			processed: order.processed ?? byDefault,
			seen: 0,
			hits: 0,
		};
		this.all.push(fault);
		return fault;
	}

	/** Takes back one order, or all. */
	remove(id?: string): void {
		this.all = id === undefined ? [] : this.all.filter((fault) => fault.id !== id);
	}

	/** The fault that hits a call, if any: the oldest one that matches and is not used up. */
	take(target: FaultTarget): Fault | undefined {
		for (const fault of this.all) {
			if (fault.hits >= fault.count || !matches(fault, target)) continue;
			if (fault.seen++ < fault.skip) continue;
			fault.hits++;
			return fault;
		}
		return undefined;
	}
}

function matches(fault: Fault, { endpoint, method, path, body }: FaultTarget): boolean {
	if (fault.endpoint && fault.endpoint !== endpoint) return false;
	if (fault.method && fault.method.toUpperCase() !== method) return false;
	if (fault.path?.endsWith('*') && !path.startsWith(fault.path.slice(0, -1))) return false;
	if (fault.path && !fault.path.endsWith('*') && fault.path !== path) return false;
	return fault.match === undefined || (JSON.stringify(body) ?? '').includes(fault.match);
}
