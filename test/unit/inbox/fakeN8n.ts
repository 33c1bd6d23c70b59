/** An n8n and a service in memory: what a node of the package sends to both, and what n8n stores. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import type { IDataObject } from 'n8n-workflow';

import { readServiceConfig } from '../../../nodes/BusinessMessaging/transport/serviceConfig';

export const n8nUrl = 'https://n8n.example.com/';
let count = 0;

/** A request to the service, or a call to a trigger or a run. */
interface Sent {
	method: string;
	url: string;
	headers: Record<string, string>;
	body: Record<string, unknown>;
}
interface Answer {
	statusCode: number;
	body: unknown;
}

/** n8n with one node. */
export class FakeN8n {
	/** Requests to the service. */
	readonly requests: Sent[] = [];
	/** Calls to triggers and runs. */
	readonly calls: Sent[] = [];
	readonly log: string[] = [];
	/** How often the credential was read. */
	credentialReads = 0;
	/** Whether n8n cannot read the credential. */
	hasNoCredential = false;
	/** Registrations at the service. */
	webhooks: IDataObject[] = [];
	/** The header `Date` of the service. */
	date?: string;
	/** The response of the service, instead of the usual one. */
	serve: (request: Sent) => Partial<Answer> | Promise<Partial<Answer>> | undefined = () =>
		undefined;
	/** The response of a trigger or a run. */
	respond: (url: string, body: Record<string, unknown>) => Answer | undefined = () => undefined;
	staticData: IDataObject = {};
	readonly nodeContext: IDataObject = {};
	/** Until when n8n waits. */
	waitsUntil?: Date;
	readonly credentials = {
		apiKey: `key-${++count}`,
		baseUrl: `https://service${count}.example.com`,
		requestsPerMinute: 100_000 as number,
	};
	readonly node = { id: `node-${count}`, name: 'Node', type: 'test', parameters: {} };

	/** The key with which calls are encrypted. */
	get secret(): string {
		return readServiceConfig(this.credentials).id;
	}

	/** What the node gets from n8n, for an execution. */
	get context() {
		const warn = (line: string) => void this.log.push(line);
		return {
			getNode: () => this.node,
			getWorkflow: () => ({ id: 'workflow' }),
			getInstanceId: () => 'instance',
			getExecutionId: () => '1',
			getExecutionCancelSignal: () => undefined,
			getSignedResumeUrl: ({ wait }: { wait: string }) =>
				`${n8nUrl}webhook-waiting/1/node?wait=${wait}&signature=abc`,
			getCredentials: async () => {
				this.credentialReads++;
				if (this.hasNoCredential) throw new Error('The database is locked');
				return this.credentials;
			},
			getContext: (type: string) => (type === 'node' ? this.nodeContext : {}),
			putExecutionToWait: async (date: Date) => void (this.waitsUntil = date),
			getWorkflowStaticData: (type: string) => (type === 'global' ? this.staticData : {}),
			logger: { warn, info: warn },
			helpers: {
				httpRequest: async ({ method, url, headers, body }: Sent & { body: string }) => {
					const parsed = JSON.parse(body) as Record<string, unknown>;
					this.calls.push({ method, url, headers, body: parsed });
					const answer = this.respond(url, parsed);
					if (!answer) throw new Error('socket hang up');
					return answer;
				},
				httpRequestWithAuthentication: async (_: string, request: Sent & { body: string }) =>
					await this.serviceResponse(request),
			},
		};
	}

	/** What a trigger gets from n8n, for a call or a delivery, and a function that ends n8n's response to it. */
	webhookContext(body: unknown, own: string) {
		this.reload();
		const response = Object.assign(new EventEmitter(), {
			statusCode: 200,
			writableEnded: false,
			writableFinished: false,
		});
		const more = {
			getNodeWebhookUrl: (name: string) => (name === 'default' ? own : undefined),
			getBodyData: () => body,
			getResponseObject: () => response,
		};
		const end = () => {
			this.reload();
			Object.assign(response, { writableEnded: true, writableFinished: true });
			response.emit('close');
		};
		return { end, context: { ...this.context, ...more } as never };
	}

	/** n8n writes static data to its database as JSON, and reads it for each delivery. */
	private reload(): void {
		this.staticData = JSON.parse(JSON.stringify(this.staticData)) as IDataObject;
	}

	private async serviceResponse({ method, url, headers, body }: Sent & { body: string }) {
		const parsed = typeof body === 'string' ? (JSON.parse(body) as Record<string, unknown>) : {};
		const request = { method, url, headers, body: parsed };
		this.requests.push(request);
		const usual = this.usualResponse(request);
		const { statusCode = 200, body: answer = usual } = (await this.serve(request)) ?? {};
		const date = this.date === undefined ? {} : { date: this.date };
		return { statusCode, headers: date, body: JSON.stringify(answer) };
	}

	private usualResponse({ method, url, body }: Sent): unknown {
		const id = url.split('/').at(-1);
		if (!url.includes('webhooks')) return { success: true, data: { id: 'message' } };
		if (method === 'GET') return { data: this.webhooks };
		if (method === 'DELETE') {
			this.webhooks = this.webhooks.filter((webhook) => webhook.id !== id);
			return {};
		}
		const webhook = { id: `webhook-${this.webhooks.length + 1}`, ...body };
		this.webhooks = [...this.webhooks, webhook];
		return { data: webhook };
	}
}

/** The timeout of a request to the service, ms. No request takes that long here. */
const requestTimeoutMs = 30_000;

/**
 * Virtual time for what a test runs in it: each pause ends as soon as nothing else happens, and the clock moves on by it.
 * Everything else keeps the real time, e.g. what an earlier test has left behind.
 */
export class FakeTime {
	/** ms since 1970. */
	now = 1_900_000_000_000;
	readonly pauses: number[] = [];
	private readonly storage = new AsyncLocalStorage<FakeTime>();

	/** @param ignoredMs a timer that is a timeout and no pause */
	constructor(ignoredMs = requestTimeoutMs) {
		const realNow = Date.now.bind(Date);
		const realTimeout = AbortSignal.timeout.bind(AbortSignal);
		jest.spyOn(Date, 'now').mockImplementation(() => (this.isUsed ? this.now : realNow()));
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
			if (!this.isUsed || ms === ignoredMs) return realTimeout(ms);
			this.pauses.push(ms);
			const controller = new AbortController();
			setTimeout(() => {
				this.now += ms;
				controller.abort();
			}, 1);
			return controller.signal;
		});
	}

	/** Runs something, and what follows from it, in this time. */
	async run<T>(body: () => T | Promise<T>): Promise<T> {
		return await this.storage.run(this, async () => await body());
	}

	private get isUsed(): boolean {
		return this.storage.getStore() === this;
	}
}
