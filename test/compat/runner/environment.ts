/** The package in the engine that is tried, and a sandbox in another process: everything between them goes over HTTP. */
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';

import { SandboxClient } from '../../../tools/sandboxClient';
import type { Engine, RunOptions, RunResult } from '../../support/engine';
import type { Trigger } from '../../support/trigger';
import type { RunnerOrder } from '../result';

/** Throws if it does not hold. The sandbox is empty before each. */
export type Check = (environment: Environment) => Promise<void>;

/** What checks run on. */
export class Environment {
	readonly sandbox: SandboxClient;

	constructor(
		readonly engine: Engine,
		{ url, key }: RunnerOrder['sandbox'],
	) {
		this.sandbox = new SandboxClient(url, key);
	}

	/** Values of a credential for the sandbox. */
	credentials(values: ICredentialDataDecryptedObject = {}): ICredentialDataDecryptedObject {
		return { ...this.sandbox.credential(), ...values };
	}

	/** Runs the action node on three items, `{ n: 1 }` to `{ n: 3 }`, unless others are given. */
	async run(parameters: INodeParameters, options: RunOptions = {}): Promise<RunResult> {
		const items = [{ n: 1 }, { n: 2 }, { n: 3 }];
		const credentials = this.credentials();
		return await this.engine.run({ items, credentials, parameters, ...options });
	}

	/** A trigger with the credential. */
	async trigger(parameters: INodeParameters = {}): Promise<Trigger> {
		return await this.engine.trigger({ parameters, credentials: this.credentials() });
	}

	/** The messages that were sent, in their order. */
	async sent(): Promise<Array<{ phone: string; text: string | null }>> {
		return await this.sandbox.look('/messages?direction=outbound');
	}

	/** The registered webhooks. */
	async webhooks(): Promise<Array<{ id: string; url: string; events: string[] }>> {
		return await this.sandbox.look('/webhooks');
	}
}
