/** A sandbox in a separate process, so that it uses another core than the measurement; and its controls. */
import { once } from 'node:events';
import path from 'node:path';
import axios, { type AxiosInstance } from 'axios';
import countBy from 'lodash/countBy';
import type { EndpointName } from '../nodes/BusinessMessaging/api/endpoints';
import { demoKey } from '../sandbox/options';
import type { EndpointCounter } from '../sandbox/requestLog';
import type { Choice } from '../sandbox/variants';
import { UserError } from './cli';
import { spawnTree, stopTree } from './processes';

const ANSWER_LIMIT = 60_000;
const START_LIMIT = 60_000;
const STOP_LIMIT = 5_000;

/** The first phone number of every measured campaign, without "+". */
export const FIRST_NUMBER = 15_550_000_000;

/** Some people of a campaign: the index of the first one, and how many. */
type Part = { from: number; count: number };

/** The phone numbers of a part of a campaign, E.164. */
export function numbersOf({ from, count }: Part): string[] {
	return Array.from({ length: count }, (_, index) => `+${FIRST_NUMBER + from + index}`);
}

/** A limit on requests, and the length of its sliding window. */
export type Rate = { requests: number; windowMs: number };

/** A limit that slows nothing down. */
export const noLimit: Rate = { requests: 10_000_000, windowMs: 60_000 };

/** What the service has received of a campaign. */
export interface Traffic {
	/** How many recipients got no message, and how many got more than one. */
	lost: number;
	doubled: number;
	/** Requests that got the response 429. */
	tooManyRequests: number;
}

/** Controls a sandbox. */
export class SandboxClient {
	private readonly http: AxiosInstance;

	constructor(
		readonly url: string,
		readonly key: string,
	) {
		this.http = axios.create({ baseURL: `${url}/_sandbox`, timeout: ANSWER_LIMIT, proxy: false });
	}

	credential({ requests, windowMs }: Rate = noLimit) {
		return {
			apiKey: this.key,
			baseUrl: this.url,
			apiPath: 'automatic',
			requestsPerMinute: requests,
			rateWindowMs: windowMs,
		};
	}

	async reset(): Promise<void> {
		await this.http.post('/reset');
	}

	/** Reads data that only a sandbox shows, e.g. `look('/deliveries')`. */
	async look<T>(path: string): Promise<T[]> {
		return (await this.http.get<{ data: T[] }>(path)).data.data;
	}

	/** Since the last reset, in the order of arrival. */
	async sent(): Promise<Array<{ phone: string; text: string | null; createdAt: string }>> {
		return await this.look('/messages?direction=outbound');
	}

	/** Calls the API of the service. @throws an error for any status other than 2xx */
	async call(method: 'get' | 'post', path: string, body?: object): Promise<void> {
		const headers = { authorization: `Bearer ${this.key}` };
		await this.http.request({ baseURL: this.url, url: path, method, data: body, headers });
	}

	/** Since the last reset. */
	async counter(endpoint: EndpointName): Promise<EndpointCounter | undefined> {
		type Log = { endpoints: Record<string, EndpointCounter> };
		return (await this.http.get<Log>('/requests')).data.endpoints[endpoint];
	}

	/** Since the last reset. */
	async traffic(numbers: string[]): Promise<Traffic> {
		const received = countBy(await this.sent(), 'phone');
		return {
			lost: numbers.filter((number) => !received[number]).length,
			doubled: numbers.filter((number) => received[number] > 1).length,
			tooManyRequests: (await this.counter('sendText'))?.byStatus['429'] ?? 0,
		};
	}
}

/** The behavior of a sandbox. By default: no limit, no latency (ms), no sample contacts, and the usual variant of the service. */
export interface SandboxSettings {
	rate?: Rate;
	latencyMs?: number;
	contacts?: number;
	variants?: Partial<Choice>;
	/** Further options, e.g. `--page-size-cap=1000`. */
	flags?: string[];
}

/** A running sandbox that sends no receipts. */
export class SandboxProcess extends SandboxClient {
	/** Starts a sandbox, and stops it after `work`. @throws UserError when it does not start within a minute */
	static async during<T>(
		settings: SandboxSettings,
		work: (service: SandboxClient) => Promise<T>,
	): Promise<T> {
		const { rate = noLimit, latencyMs = 0, contacts = 0, variants = {}, flags = [] } = settings;
		const args = [
			'--port=0',
			`--requests-per-window=${rate === noLimit ? 0 : rate.requests}`,
			`--rate-window-ms=${rate.windowMs}`,
			`--latency-ms=${latencyMs}`,
			'--receipt-delays-ms={"sent":null,"delivered":null,"read":null}',
			`--sample-contacts=${contacts}`,
			...Object.entries(variants).map(([name, value]) => `--variant=${name}=${value}`),
			...flags,
		];
		const main = path.join(__dirname, '..', 'sandbox', 'main.ts');
		const child = spawnTree(process.execPath, ['--import', 'tsx', main, ...args], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		try {
			const signal = AbortSignal.timeout(START_LIMIT);
			const output = String(await once(child.stdout!, 'data', { signal }).catch(String));
			const url = /http:\/\/\S+/.exec(output)?.[0];
			if (!url) throw new UserError(`The sandbox did not start: ${output}`);
			return await work(new SandboxClient(url, demoKey));
		} finally {
			await stopTree(child, STOP_LIMIT);
		}
	}
}
