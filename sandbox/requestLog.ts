/** The requests to the sandbox and its responses. */
import type { IncomingHttpHeaders } from 'node:http';

import { takeRight } from 'lodash';

import type { EndpointName } from '../nodes/BusinessMessaging/api/endpoints';

const maxEntries = 10_000;

/** A list that keeps only its newest entries. */
export class BoundedLog<T> {
	private readonly entries: T[] = [];

	add(entry: T): void {
		this.entries.push(entry);
		if (this.entries.length > maxEntries) this.entries.shift();
	}

	/** The newest `count` entries, oldest first. */
	last(count = maxEntries): T[] {
		return takeRight(this.entries, count);
	}
}

/** One call of the API. */
export interface LoggedRequest {
	at: string;
	/** Null if the API path does not list the method. */
	endpoint: EndpointName | null;
	method: string;
	/** Path with query. */
	url: string;
	/** Without the value of `authorization`. */
	headers: IncomingHttpHeaders;
	body: unknown;
	/** Status of the response; null if there is none or none yet. */
	status: number | null;
	/** Response time, ms. */
	ms: number | null;
}

/** Counters of one endpoint. */
export interface EndpointCounter {
	calls: number;
	/** Number of calls by status; `none` counts those that ended without a response. */
	byStatus: Record<string, number>;
	/** Calls without a response yet. */
	open: number;
}

/** Counts all requests, and keeps the newest ones. */
export class RequestLog extends BoundedLog<LoggedRequest> {
	readonly counters: Record<string, EndpointCounter> = {};

	override add(request: LoggedRequest): void {
		super.add(request);
		const counter = this.counterOf(request);
		counter.calls++;
		counter.open++;
	}

	/** Records the response to a request. @param status null if there was none */
	finish(request: LoggedRequest, status: number | null): void {
		request.status = status;
		request.ms = Date.now() - Date.parse(request.at);
		const counter = this.counterOf(request);
		counter.open--;
		const { byStatus } = counter;
		const column = status ?? 'none';
		byStatus[column] = (byStatus[column] ?? 0) + 1;
	}

	private counterOf({ endpoint }: LoggedRequest): EndpointCounter {
		return (this.counters[endpoint ?? 'notListed'] ??= { calls: 0, byStatus: {}, open: 0 });
	}
}
