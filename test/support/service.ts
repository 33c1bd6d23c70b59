/** A sandbox and n8n's engine for the tests of one file. */
import axios from 'axios';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { startSandbox } from '../../sandbox';
import type { Sandbox, SandboxOptions } from '../../sandbox';
import type { FaultOrder } from '../../sandbox/faults';
import { loadEngine } from './engine';
import type { Engine, RunOptions, RunResult } from './engine';

/** What tests do with the service. */
export class Service {
	sandbox!: Sandbox;
	/** The sandbox's address. */
	url!: string;
	engine!: Engine;

	/** Values of a credential for the sandbox. */
	credentials(values: ICredentialDataDecryptedObject = {}): ICredentialDataDecryptedObject {
		const own = {
			apiKey: this.sandbox.key,
			baseUrl: this.url,
			apiPath: 'automatic',
			requestsPerMinute: 100_000,
		};
		return { ...own, ...values };
	}

	/** Runs the action node. */
	async run(options: RunOptions): Promise<RunResult> {
		return await this.engine.run({ credentials: this.credentials(), ...options });
	}

	/** Orders a fault. */
	async fault(order: FaultOrder): Promise<void> {
		await axios.post(`${this.sandbox.url}/_sandbox/faults`, order);
	}

	/** How often an endpoint was called since the last reset. */
	calls(endpoint: EndpointName): number {
		return this.sandbox.state.requests.counters[endpoint]?.calls ?? 0;
	}

	/** The texts or templates that arrived, by recipient, in their order. */
	sent(): Array<{ phone: string; text?: string | null }> {
		return this.sandbox.state.messages.all.filter(({ direction }) => direction === 'outbound');
	}
}

/** Starts both before the tests of a file, empties the sandbox before each, and stops them at the end. */
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
	beforeEach(() => service.sandbox.reset());
	afterAll(async () => {
		await service.engine.close();
		await service.sandbox.close();
	});
	return service;
}
