/** Services that are functions behind a client: without HTTP, and without waiting. */
import { range } from 'lodash';

import { Client, type ClientOptions } from '../../nodes/BusinessMessaging/transport/client';
import {
	type CredentialValues,
	readServiceConfig,
} from '../../nodes/BusinessMessaging/transport/serviceConfig';

/** Query parameters that a request carries. */
export type Query = Record<string, unknown>;

/** The response of a service. */
export interface Answer {
	/** 200 by default. */
	status?: number;
	headers?: Record<string, unknown>;
	/** An object or a list is sent as JSON, a string as it is. */
	body?: unknown;
	/** Thrown instead of a response. */
	error?: unknown;
}

/** A service: its response to a request; `times` is 1 for the first request. */
export type Service = (query: Query, times: number) => Answer;

/** A service that gives these responses one after the other, and then always the last one. */
export const answering =
	(...answers: Answer[]): Service =>
	(_, times) =>
		answers[Math.min(times, answers.length) - 1];

let services = 0;

/** A client of a service with a unique URL, and a record of the requests: the queries, method and path, and timeouts. */
export function clientOf(
	service: Service,
	values: CredentialValues = {},
	options: ClientOptions = {},
) {
	const asked: Query[] = [];
	const routes: string[] = [];
	const timeouts: number[] = [];
	const most = { atOnce: 0 };
	let underWay = 0;
	const baseUrl = `https://service${++services}.example.com`;
	const rest = { baseUrl, apiKey: 'not-a-real-key', requestsPerMinute: 1_000_000, ...values };
	const client = new Client(
		async ({ method, url, query, timeoutMs }) => {
			asked.push({ ...query });
			routes.push(`${method} ${new URL(url).pathname}`);
			timeouts.push(timeoutMs);
			most.atOnce = Math.max(most.atOnce, ++underWay);
			const answer = service(query, asked.length);
			const { status = 200, headers = {}, body = {} } = answer;
			await new Promise(setImmediate);
			underWay--;
			if ('error' in answer) throw answer.error;
			const text = typeof body === 'string' ? body : JSON.stringify(body);
			return { statusCode: status, headers, body: text };
		},
		readServiceConfig(rest),
		options,
	);
	return { client, asked, routes, timeouts, most };
}

/** How a service with numbered pages behaves. */
export interface Paging {
	count: number;
	size?: number;
	/** Number of the first page. */
	base?: 0 | 1;
	/** Further fields of a page, e.g. `{ total: 35 }`. */
	says?: object;
	/** The response beyond the last page: an empty page, the last page again, or a status. */
	beyond?: 'empty' | 'last' | number;
}

/** A service with the records `{ id: 0 }`, `{ id: 1 }` and so on. */
export function numbered({ count, size = 10, base = 1, says, beyond = 'empty' }: Paging): Service {
	return ({ page = base }) => {
		const last = Math.max(0, Math.ceil(count / size) - 1);
		const number = Number(page) - base;
		if (number > last && typeof beyond === 'number')
			return { status: beyond, body: { message: 'There is no such page' } };
		const shown = number > last && beyond === 'last' ? last : Math.max(number, 0);
		const first = shown * size;
		const data = range(first, Math.max(first, Math.min(count, first + size)));
		return { body: { data: data.map((id) => ({ id })), ...says } };
	};
}
