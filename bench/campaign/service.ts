/** The service under the benchmark: a sandbox in a process of its own, so that it does not share a core with what measures. */
import { once } from 'node:events';
import path from 'node:path';
import axios, { type AxiosInstance } from 'axios';
import countBy from 'lodash/countBy';
import { PlaygroundError } from '../../playground/playgroundError';
import { spawnTree, stopTree } from '../../playground/processes';
import type { EndpointCounter, LoggedRequest } from '../../sandbox/requestLog';

const START_LIMIT = 60_000;
const STOP_LIMIT = 5_000;
const ANSWER_LIMIT = 60_000;

/** How the service behaves. */
export interface ServiceOptions {
	/** Requests that it allows in any window; 0 for no limit. */
	requests: number;
	/** Length of the sliding window, ms. */
	windowMs: number;
	/** How long every answer takes, ms. */
	latencyMs: number;
}

/** What the service saw of a run. */
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

/** A running service. */
export class Service {
	private readonly http: AxiosInstance;

	private constructor(
		readonly url: string,
		/** Ends it. */
		readonly stop: () => Promise<void>,
	) {
		this.http = axios.create({ baseURL: `${url}/_sandbox`, timeout: ANSWER_LIMIT, proxy: false });
	}

	/** @throws PlaygroundError when it does not start within a minute */
	static async start({ requests, windowMs, latencyMs }: ServiceOptions): Promise<Service> {
		const sandbox = path.join(__dirname, '..', '..', 'sandbox', 'main.ts');
		const flags = {
			port: 0,
			rate: requests,
			'window-ms': windowMs,
			'latency-ms': latencyMs,
			'receipts-ms': '-,-,-',
			contacts: 0,
		};
		const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
		const child = spawnTree(process.execPath, ['--import', 'tsx', sandbox, ...args], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const stop = async () => await stopTree(child, STOP_LIMIT);
		const output = child.stdout
			? await once(child.stdout, 'data', { signal: AbortSignal.timeout(START_LIMIT) }).catch(String)
			: '';
		const url = /http:\/\/\S+/.exec(String(output))?.[0];
		if (url) return new Service(url, stop);
		await stop();
		throw new PlaygroundError(`The sandbox did not start: ${String(output)}`);
	}

	/** Back to the start: no messages, no requests, an empty window. */
	async reset(): Promise<void> {
		await this.http.post('/reset');
	}

	/** How many messages it has taken since the last reset. */
	async count(): Promise<number> {
		const { sendText } = await this.counters();
		return sendText?.byStatus['201'] ?? 0;
	}

	/** What it has seen since the last reset of messages to these numbers. */
	async traffic(numbers: string[]): Promise<Traffic> {
		const { data: messages } = (
			await this.http.get<{ data: Array<{ phone: string }> }>('/messages?direction=outbound')
		).data;
		const received = countBy(messages, 'phone');
		const { sendText } = await this.counters();
		return {
			lost: numbers.filter((number) => !received[number]).length,
			doubled: numbers.filter((number) => received[number] > 1).length,
			tooManyRequests: sendText?.byStatus['429'] ?? 0,
			wireSeconds: await this.wireSeconds(),
		};
	}

	/** Looks at what only a sandbox shows, e.g. `look('/deliveries')`. */
	async look<T>(path: string): Promise<T[]> {
		return (await this.http.get<{ data: T[] }>(path)).data.data;
	}

	/** A customer writes. */
	async receive(from: string, text: string): Promise<void> {
		await this.http.post('/inbound', { from, text });
	}

	private async counters(): Promise<Record<string, EndpointCounter | undefined>> {
		return (await this.http.get<{ endpoints: Record<string, EndpointCounter> }>('/requests')).data
			.endpoints;
	}

	private async wireSeconds(): Promise<number> {
		const { data: requests } = (
			await this.http.get<{ data: LoggedRequest[] }>('/requests?last=1000000')
		).data;
		const times = requests.map(({ at, ms }) => ({
			start: Date.parse(at),
			end: Date.parse(at) + (ms ?? 0),
		}));
		if (times.length === 0) return 0;
		const first = times.reduce((least, { start }) => Math.min(least, start), Infinity);
		return (times.reduce((most, { end }) => Math.max(most, end), 0) - first) / 1000;
	}
}
