/** The package in the engine that is tried, and a sandbox in another process: everything between them goes over HTTP. */
import axios from 'axios';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';

import type { EndpointName } from '../../../nodes/BusinessMessaging/api/endpoints';
import type { FaultOrder } from '../../../sandbox/faults';
import type { Engine, RunOptions, RunResult } from '../../support/engine';
import type { Trigger } from '../../support/trigger';
import type { RunnerOrder } from '../result';

/** A message as the sandbox shows it. */
export interface SeenMessage {
	phone: string;
	text: string | null;
	[key: string]: unknown;
}

/** Throws if it does not hold. The sandbox is empty before each. */
export type Check = (stage: Stage) => Promise<void>;

/** What checks do. */
export class Stage {
	constructor(
		readonly engine: Engine,
		private readonly sandbox: RunnerOrder['sandbox'],
	) {}

	/** Values of a credential for the sandbox. */
	credentials(values: ICredentialDataDecryptedObject = {}): ICredentialDataDecryptedObject {
		return {
			apiKey: this.sandbox.key,
			baseUrl: this.sandbox.url,
			apiPath: 'automatic',
			requestsPerMinute: 100_000,
			...values,
		};
	}

	/** Runs the action node on three items, `{ n: 1 }` to `{ n: 3 }`, unless others are given. */
	async run(parameters: INodeParameters, options: RunOptions = {}): Promise<RunResult> {
		const items = [{ n: 1 }, { n: 2 }, { n: 3 }];
		return await this.engine.run({
			items,
			credentials: this.credentials(),
			parameters,
			...options,
		});
	}

	/** A trigger with the credential. */
	async trigger(parameters: INodeParameters = {}): Promise<Trigger> {
		return await this.engine.trigger({ parameters, credentials: this.credentials() });
	}

	/** Orders a fault. */
	async fault(order: FaultOrder): Promise<void> {
		await this.post('faults', order);
	}

	/** A customer writes. */
	async customerWrites(from: string, text: string): Promise<void> {
		await this.post('inbound', { from, text });
	}

	/** Empties the sandbox. */
	async reset(): Promise<void> {
		await this.post('reset', {});
	}

	/** The messages that were sent, in their order. */
	async sent(): Promise<SeenMessage[]> {
		return await this.get<SeenMessage>('messages?direction=outbound');
	}

	/** The registered webhooks. */
	async webhooks(): Promise<Array<{ id: string; url: string; events: string[] }>> {
		return await this.get('webhooks');
	}

	/** How often an endpoint was called since the last reset. */
	async calls(endpoint: EndpointName): Promise<number> {
		const { data } = await axios.get(`${this.sandbox.url}/_sandbox/requests`);
		return data.endpoints[endpoint]?.calls ?? 0;
	}

	private async get<T>(view: string): Promise<T[]> {
		return (await axios.get<{ data: T[] }>(`${this.sandbox.url}/_sandbox/${view}`)).data.data;
	}

	private async post(control: string, body: object): Promise<void> {
		await axios.post(`${this.sandbox.url}/_sandbox/${control}`, body);
	}
}
