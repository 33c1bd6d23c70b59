/** A sandbox that runs in another process, reached through its controls under `/_sandbox`. */
import axios, { type AxiosInstance } from 'axios';
import countBy from 'lodash/countBy';
import type { EndpointName } from '../nodes/BusinessMessaging/api/endpoints';
import type { FaultOrder } from '../sandbox/faults';
import type { EndpointCounter, LoggedRequest } from '../sandbox/requestLog';

const ANSWER_LIMIT = 60_000;

/** A limit on requests, and the length of its sliding window. */
export interface Rate {
	requests: number;
	windowMs: number;
}

/** Nothing is slowed down. */
export const noLimit: Rate = { requests: 10_000_000, windowMs: 60_000 };

/** What the service saw of a campaign. */
export interface Traffic {
	/** Numbers that were to get a message and got none. */
	lost: number;
	/** Numbers that got more than one. */
	doubled: number;
	/** Requests that were answered with 429. */
	tooManyRequests: number;
	/** From the first request to the answer of the last one, seconds. */
	wireSeconds: number;
}

/** What benchmarks and tests do with a sandbox. */
export class SandboxClient {
	private readonly http: AxiosInstance;

	constructor(
		readonly url: string,
		readonly key: string,
	) {
		this.http = axios.create({ baseURL: `${url}/_sandbox`, timeout: ANSWER_LIMIT, proxy: false });
	}

	/** Values of n8n's credential for it. */
	credential({ requests, windowMs }: Rate = noLimit) {
		return {
			apiKey: this.key,
			baseUrl: this.url,
			apiPath: 'automatic',
			requestsPerMinute: requests,
			rateWindowMs: windowMs,
		};
	}

	/** Back to the start: no messages, no requests, an empty window. */
	async reset(): Promise<void> {
		await this.http.post('/reset');
	}

	/** Orders a fault. */
	async fault(order: FaultOrder): Promise<void> {
		await this.http.post('/faults', order);
	}

	/** A customer writes. */
	async receive(from: string, text: string): Promise<void> {
		await this.http.post('/inbound', { from, text });
	}

	/** Looks at what only a sandbox shows, e.g. `look('/deliveries')`. */
	async look<T>(path: string): Promise<T[]> {
		return (await this.http.get<{ data: T[] }>(path)).data.data;
	}

	/** How often an endpoint was called since the last reset, by the status of the answer too. */
	async counter(endpoint: EndpointName): Promise<EndpointCounter | undefined> {
		const { data } = await this.http.get<{ endpoints: Record<string, EndpointCounter> }>(
			'/requests',
		);
		return data.endpoints[endpoint];
	}

	/** How many text messages it has taken since the last reset. */
	async sentCount(): Promise<number> {
		return (await this.counter('sendText'))?.byStatus['201'] ?? 0;
	}

	/** What it has seen since the last reset of messages to these numbers. */
	async traffic(numbers: string[]): Promise<Traffic> {
		const messages = await this.look<{ phone: string }>('/messages?direction=outbound');
		const received = countBy(messages, 'phone');
		return {
			lost: numbers.filter((number) => !received[number]).length,
			doubled: numbers.filter((number) => received[number] > 1).length,
			tooManyRequests: (await this.counter('sendText'))?.byStatus['429'] ?? 0,
			wireSeconds: await this.wireSeconds(),
		};
	}

	private async wireSeconds(): Promise<number> {
		const requests = await this.look<LoggedRequest>('/requests?last=1000000');
		if (requests.length === 0) return 0;
		let [first, last] = [Infinity, 0];
		for (const { at, ms } of requests) {
			first = Math.min(first, Date.parse(at));
			last = Math.max(last, Date.parse(at) + (ms ?? 0));
		}
		return (last - first) / 1000;
	}
}
