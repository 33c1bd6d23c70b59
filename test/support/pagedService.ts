/** Services that page in different ways, as functions behind a client: no HTTP, no time. */
import { range } from 'lodash';

import { Client } from '../../nodes/BusinessMessaging/transport/client';
import { readServiceConfig } from '../../nodes/BusinessMessaging/transport/serviceConfig';

/** Query parameters that a request carries. */
export type Asked = Record<string, unknown>;

/** What a service answers. */
export interface Answer {
	/** 200 by default. */
	status?: number;
	headers?: Record<string, unknown>;
	body: unknown;
}

/** A service: its answer to a request, `times` being 1 for the first one. */
export type Service = (asked: Asked, times: number) => Answer;

const address = readServiceConfig({
	baseUrl: 'https://api.example.com',
	apiKey: 'not-a-real-key',
	requestsPerMinute: 1_000_000,
});

/** A client of a service that notes what it is asked, and how much of it at the same time. */
export function clientOf(service: Service) {
	const asked: Asked[] = [];
	const most = { atOnce: 0 };
	let underWay = 0;
	const client = new Client(async ({ query }) => {
		asked.push({ ...query });
		most.atOnce = Math.max(most.atOnce, ++underWay);
		const { status = 200, headers = {}, body } = service(query, asked.length);
		await new Promise(setImmediate);
		underWay--;
		return { statusCode: status, headers, body: JSON.stringify(body) };
	}, address);
	return { client, asked, most };
}

/** How a service pages by numbers. */
export interface Paging {
	count: number;
	size?: number;
	/** Number of the first page. */
	base?: 0 | 1;
	/** What else a page says, e.g. `{ total: 35 }`. */
	says?: object;
	/** What comes beyond the last page: nothing, the last page again, or a status. */
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
		const data = range(count).slice(shown * size, (shown + 1) * size);
		return { body: { data: data.map((id) => ({ id })), ...says } };
	};
}
