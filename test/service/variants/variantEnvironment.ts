/** A sandbox that behaves like a variant of the service, and n8n's engine connected to it. */
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import {
	endpoints,
	routeOf,
	type EndpointName,
} from '../../../nodes/BusinessMessaging/api/endpoints';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox';
import { usualChoice, type Choice } from '../../../sandbox/variants';
import type { Engine } from '../../../harness/engine/engine';
import type { RunOptions, RunResult } from '../../../harness/engine/execution';

/** One variant of the service, and n8n's engine with the nodes. */
export class VariantEnvironment {
	private constructor(
		readonly engine: Engine,
		readonly sandbox: Sandbox,
		readonly choice: Choice,
		private readonly apiKey: string,
	) {}

	/** Starts a sandbox for the time of `work`. */
	static async during(
		engine: Engine,
		variants: Partial<Choice>,
		options: SandboxOptions,
		work: (environment: VariantEnvironment) => Promise<void>,
	): Promise<void> {
		const quiet = {
			port: 0,
			requestsPerWindow: 0,
			receiptDelaysMs: { sent: null, delivered: null, read: null },
			approvalDelayMs: null,
		};
		const sandbox = await startSandbox({ ...quiet, ...options, variants });
		// A new key: the nodes remember services by base URL and key, and base URLs are used again.
		const { keys } = sandbox.state;
		keys.all.length = 0;
		const { secret } = keys.create('Demo key');
		try {
			await work(new VariantEnvironment(engine, sandbox, { ...usualChoice, ...variants }, secret));
		} finally {
			await sandbox.close();
		}
	}

	/** Values of a credential for the API path that is served. */
	get credentials() {
		const isShared = this.choice['api-path'] === 'api-v1';
		const baseUrl = isShared ? `${this.sandbox.url}/api` : this.sandbox.url;
		return { apiKey: this.apiKey, baseUrl, apiPath: 'automatic', requestsPerMinute: 100_000 };
	}

	get state() {
		return this.sandbox.state;
	}

	/** Whether the service has an endpoint in this API path. */
	has(endpoint: EndpointName): boolean {
		const apiPath = this.choice['api-path'] === 'api-v1' ? '/api/v1' : '/v1';
		return this.choice.endpoints === 'all' || routeOf(endpoints[endpoint], apiPath).listed;
	}

	/**
	 * What the refusal of a webhook says here; undefined if it can be registered: with the usual fields, or with those that
	 * a refusal names.
	 * @param answers whether its address answers a challenge
	 */
	webhookProblem(answers: boolean): string | undefined {
		if (!this.has('createWebhook')) return 'does not offer';
		const { 'webhook-url': url, 'webhook-events': events } = this.choice;
		const isUsual = url === 'url' || (url === 'callbackUrl' && events !== 'string');
		const isLearnable = isUsual || this.choice['error-shape'] !== 'text';
		if (events === 'absent' || !isLearnable) return 'The service refused the request';
		if (this.choice['webhook-challenge'] === 'none' || answers) return undefined;
		return 'did not answer the challenge';
	}

	/** What the refusal of a write to contacts says here. */
	get contactProblem(): string | undefined {
		const isMoved = this.choice.redirects === 'contacts';
		return isMoved ? `redirects to another address, ${this.sandbox.url}/moved/` : undefined;
	}

	/** The name of the identifier of a contact, message and so on. */
	idKey(kind: string): string {
		const key = this.choice['id-key'];
		return key === 'snake' ? `${kind}_id` : key;
	}

	/** A phone number as the service writes it. */
	phone(number: string): string {
		return this.choice['phone-numbers'] === 'digits' ? number.replace('+', '') : number;
	}

	/** Whether a write answers with the record. */
	get answersRecord(): boolean {
		return this.choice['success-status'] !== '204' && this.choice['success-body'] === 'record';
	}

	/** Whether the response to a send has an ID. */
	get answersMessageId(): boolean {
		return this.answersRecord && this.choice['send-response'] !== 'status';
	}

	async run(parameters: INodeParameters, options: RunOptions = {}): Promise<RunResult> {
		return await this.engine.run({ parameters, credentials: this.credentials, ...options });
	}

	/** Runs an operation that must succeed. */
	async gives(
		parameters: INodeParameters,
		items: RunOptions['items'] = [{}],
	): Promise<INodeExecutionData[]> {
		const { outputs, error } = await this.run(parameters, { items });
		expect(error).toBeUndefined();
		return outputs[0] ?? [];
	}
}
