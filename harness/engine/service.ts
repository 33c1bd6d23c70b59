/** A sandbox, n8n's engine and a host that is not the service, for the tests of one file. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stringify } from 'flatted';
import { countBy, range } from 'lodash';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { readServiceConfig } from '../../nodes/BusinessMessaging/transport/serviceConfig';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox';
import type { FaultOrder } from '../../sandbox/faults';
import { loadEngine, type Engine } from './engine';
import type { RunOptions, RunResult } from './execution';
import type { Answer, Trigger, TriggerOptions } from './trigger';

/** Parameters of a trigger that checks signatures. */
export const signed = (values: INodeParameters): INodeParameters => ({
	options: { signature: { values } },
});

/** Parameters that send a text to one person. */
export const sendText = {
	resource: 'message',
	operation: 'sendText',
	to: '+15550001000',
	text: 'Hi',
};

/** Parameters that send a text to each of `people`. */
export const campaign: INodeParameters = { ...sendText, to: '=+1555000{{ $json.n }}' };
/** Items for a campaign, each with a number `n`. */
export const people = (count: number, first = 1000) =>
	range(first, first + count).map((n) => ({ n }));
/** Their phone numbers. */
export const numbers = (count: number) => people(count).map(({ n }) => `+1555000${n}`);
/** The value of {@link Service.received} after a campaign has reached each of these people once. */
export const oneEach = (count: number) => countBy(numbers(count));

/** The value of a field with a list to choose from. */
export const locator = (value: string, mode = 'id') => ({ __rl: true, mode, value });

/** What tests do with the service. */
export class Service {
	sandbox!: Sandbox;
	url!: string;
	engine!: Engine;
	private keys = 0;

	credentials(values: ICredentialDataDecryptedObject = {}): ICredentialDataDecryptedObject {
		const place = { apiKey: this.sandbox.key, baseUrl: this.url, apiPath: 'automatic' };
		return { ...place, requestsPerMinute: 100_000, ...values };
	}

	/** Identifies the service for the nodes, which also encrypt with it. */
	id(values: ICredentialDataDecryptedObject = {}): string {
		return readServiceConfig(this.credentials(values)).id;
	}

	/** Identifies the API key, with which the nodes encrypt. */
	keyId(values: ICredentialDataDecryptedObject = {}): string {
		return readServiceConfig(this.credentials(values)).keyId;
	}

	/** The API key of another customer of the service. The nodes keep what they learn by address and key. */
	newKey(): { apiKey: string } {
		const apiKey = `sandbox-key-of-its-own-${++this.keys}`;
		this.sandbox.state.keys.create('Other', apiKey);
		return { apiKey };
	}

	/** Runs the action node. */
	async run(options: RunOptions): Promise<RunResult> {
		return await this.engine.run({ credentials: this.credentials(), ...options });
	}

	/** Runs the action node on one item. @returns its error, if it fails */
	async errorOf(parameters: object): Promise<RunResult['error']> {
		return (await this.run({ parameters: parameters as INodeParameters })).error;
	}

	/** Presses Retry on a failed or stopped run. */
	async retry(run: RunResult): Promise<RunResult> {
		return await this.engine.retry(run, { credentials: this.credentials() });
	}

	fault(order: FaultOrder): void {
		this.sandbox.state.faults.add(order);
	}

	/** Makes an endpoint list exactly these records. */
	list(endpoint: EndpointName, ...records: object[]): void {
		this.fault({ endpoint, status: 200, body: records });
		this.fault({ endpoint, status: 200, body: [], count: 9 });
	}

	/** The latest requests, oldest first, to one endpoint or to all. */
	requests(endpoint?: EndpointName) {
		const requests = this.sandbox.state.requests.last();
		return requests.filter((one) => endpoint === undefined || one.endpoint === endpoint);
	}

	/**
	 * Makes the service list the URLs of webhooks as `write` writes them; undefined hides a URL. With `hidesIds`, it
	 * responds to a registration without a body.
	 */
	showWebhooks(write: (url: string) => string | undefined, { hidesIds = false } = {}): void {
		const written = (body: unknown) => {
			const { data = [] } = body as { data?: Array<{ url: string }> };
			return { data: data.map((webhook) => ({ ...webhook, url: write(webhook.url) })) };
		};
		jest.spyOn(this.sandbox.state.adapter, 'answer').mockImplementation((name, body, status) => {
			if (hidesIds && name === 'createWebhook') return { status: 204, body: undefined };
			return { status, body: name === 'listWebhooks' ? written(body) : body };
		});
	}

	/** How often an endpoint was called since the last reset of the sandbox. */
	calls(endpoint: EndpointName): number {
		return this.sandbox.state.requests.counters[endpoint]?.calls ?? 0;
	}

	/** The messages that arrived, in the order of their arrival. */
	sent(): Array<{ phone: string; text?: string | null }> {
		return this.sandbox.state.messages.all.filter(({ direction }) => direction === 'outbound');
	}

	/** How many messages each person got. */
	received(): Record<string, number> {
		return countBy(this.sent(), 'phone');
	}
}

/** Starts sandbox and engine for the tests of a file. Before each test, empties the sandbox and n8n's data tables. */
export function useService(options: SandboxOptions = {}): Service {
	const service = new Service();
	beforeAll(async () => {
		const quiet = {
			port: 0,
			requestsPerWindow: 0,
			receiptDelaysMs: { sent: null, delivered: null, read: null },
		};
		service.sandbox = await startSandbox({ ...quiet, ...options });
		service.url = service.sandbox.url;
		service.engine = await loadEngine();
	});
	beforeEach(() => {
		service.sandbox.reset();
		service.engine.tables.reset();
	});
	afterAll(async () => {
		await service.engine.close();
		await service.sandbox.close();
	});
	return service;
}

/** Texts as they are, and everything else as JSON, also if it contains itself. */
const lineOf = (words: unknown[]) =>
	words.map((word) => (typeof word === 'string' ? word : stringify(word))).join(' ');

interface Logging {
	logger: Record<'error' | 'warn' | 'info' | 'debug', (...words: unknown[]) => void>;
}

/**
 * The lines that a node's method, or the hooks of a trigger's registration, write to n8n's log, each after its level;
 * emptied before each test.
 */
export function useLog(
	service: Service,
	name: string,
	method: 'execute' | 'webhook' | 'hooks',
): string[] {
	const lines: string[] = [];
	const listen = (to: object, property: string) => {
		const run = Reflect.get(to, property) as (this: Logging) => Promise<unknown>;
		Reflect.set(to, property, async function (this: Logging) {
			for (const level of ['error', 'warn', 'info', 'debug'] as const)
				jest
					.spyOn(this.logger, level)
					.mockImplementation((...words) => void lines.push(`${level}: ${lineOf(words)}`));
			return await run.call(this);
		});
	};
	beforeAll(() => {
		const node = service.engine.loaded.node(name);
		if (method !== 'hooks') return listen(node, method);
		const hooks = node.webhookMethods?.default ?? {};
		for (const property of Object.keys(hooks)) listen(hooks, property);
	});
	beforeEach(() => void lines.splice(0));
	return lines;
}

interface OtherHost {
	/** e.g. `http://127.0.0.1:4711`. */
	url: string;
	seen: Array<{ method: string; url: string; headers: IncomingHttpHeaders; body: string }>;
}

/** A host that is not the service, for the tests of a file. Its record of requests is emptied before each test. */
export function useOtherHost(answer: RequestListener): OtherHost {
	const host: OtherHost = { url: '', seen: [] };
	const server = createServer((request, response) => {
		const { method = '', url = '', headers } = request;
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			host.seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
			answer(request, response);
		});
	});
	beforeAll(async () => {
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		host.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	});
	beforeEach(() => {
		host.seen.length = 0;
	});
	afterAll(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	return host;
}

/** A customer's phone number. */
export const customer = '+15550001111';

/** Body of a delivery: a customer writes. */
export function received(data: Record<string, unknown> = {}) {
	const message = { id: 'msg_1', from: customer, text: 'Hello', timestamp: '2030-01-31T10:00:00Z' };
	return { event: 'message.received', data: { ...message, ...data } as Record<string, unknown> };
}

let made = 0;

/** Triggers of one service. */
export class Triggers {
	constructor(private readonly service: Service) {}

	/** A trigger in a new workflow. With the static data of another trigger, it is that one after a restart of n8n. */
	async make(options: TriggerOptions = {}): Promise<Trigger> {
		const own = { credentials: this.service.credentials(), workflowId: `workflow ${++made}` };
		return await this.service.engine.trigger({ ...own, ...options });
	}

	async active(options: TriggerOptions = {}): Promise<Trigger> {
		const trigger = await this.make(options);
		await trigger.activate();
		return trigger;
	}

	/** The URL that is registered for a trigger, with its secret. */
	urlOf({ url }: Trigger): string {
		const webhook = this.service.sandbox.state.webhooks.all.find((one) => one.url.startsWith(url));
		if (!webhook) throw new Error(`Nothing is registered for ${url}`);
		return webhook.url;
	}

	/** Delivers to the registered URL, as the service would: an object as JSON, a string or a buffer as it is. */
	async deliver(
		trigger: Trigger,
		body: unknown,
		headers: Record<string, string> = {},
		url = this.urlOf(trigger),
	): Promise<Answer> {
		return await trigger.deliver(body, headers, url);
	}
}
