import { rm } from 'node:fs/promises';
import path from 'node:path';
import { startSandbox, type Sandbox, type SandboxOptions } from '../sandbox';
import { step, UserError } from './cli';
import { addSampleContacts, addSampleSheet, type CredentialReference } from './examples';
import { installN8n } from './n8n/install';
import { installPackage, packProject } from './n8n/package';
import { startN8n, type N8nServer } from './n8n/server';
import { ACTION } from './n8n/workflow';

/** What {@link openPlayground} is to open. */
export interface PlaygroundOptions {
	/** Everything that is kept: n8n's user folder, its log, the log-in. */
	folder: string;
	/** The ports; by default free ones. */
	n8nPort?: number;
	sandboxPort?: number;
	/** How the sandbox behaves; by default as specified. */
	sandbox?: Omit<SandboxOptions, 'port' | 'sampleContacts'>;
	/** A tarball of the nodes; by default, the project is built and packed. */
	tarball?: string;
	/** Values of n8n's credential that differ from its defaults, e.g. `{ requestsPerMinute: 100_000 }`. */
	credential?: Record<string, string | number>;
}

/** A real n8n with this project's package installed, beside a sandbox with the sample contacts. */
export interface Playground {
	n8n: N8nServer;
	sandbox: Sandbox;
	/** n8n's credential for the sandbox. */
	credential: CredentialReference;
	/** Builds the nodes again, and starts n8n with them. */
	reload: () => Promise<void>;
	/** Stops both. */
	close: () => Promise<void>;
}

/**
 * Builds and packs the project, installs n8n if need be, starts both, and gives n8n the credential.
 * @throws UserError with one sentence for whoever started it
 */
export async function openPlayground(options: PlaygroundOptions): Promise<Playground> {
	const { folder, n8nPort, sandboxPort = 0 } = options;
	const install = await installN8n();
	const tarball = options.tarball ?? (await step('Building and packing the nodes', packProject));
	const sandbox = await startSandbox({ ...options.sandbox, port: sandboxPort, sampleContacts: 0 });
	let n8n: N8nServer | undefined;
	const close = async () => {
		await n8n?.stop();
		await sandbox.close();
	};
	try {
		addSampleContacts(sandbox);
		const server = { userFolder: folder, port: n8nPort, packages: [tarball], install };
		const started = await step(
			`Starting n8n ${install.version}`,
			async () => await startN8n(server),
		);
		n8n = started;
		const types = await started.client.nodeTypes();
		if (!types.some(({ name }) => name === ACTION))
			throw new UserError(`n8n could not load the nodes (its log: ${started.logFile}).`);
		await addSampleSheet(started.client);
		const credential = await saveCredential(started, sandbox, options.credential);
		const reload = async () => await reloadNodes(started);
		return { n8n: started, sandbox, credential, reload, close };
	} catch (error) {
		await close();
		throw error;
	} finally {
		if (!options.tarball) await rm(path.dirname(tarball), { recursive: true, force: true });
	}
}

async function reloadNodes(n8n: N8nServer): Promise<void> {
	const tarball = await step('Building the nodes again', packProject);
	try {
		await n8n.stop();
		await installPackage(tarball, n8n.place.userFolder);
		await step('Starting n8n with them', async () => await n8n.start());
	} finally {
		await rm(path.dirname(tarball), { recursive: true, force: true });
	}
}

async function saveCredential(
	{ client }: N8nServer,
	{ url: baseUrl, key: apiKey }: Sandbox,
	values: PlaygroundOptions['credential'],
): Promise<CredentialReference> {
	const data = { apiKey, baseUrl, apiPath: 'automatic', requestsPerMinute: 1000, ...values };
	return {
		id: await client.saveCredential('Sandbox', 'businessMessagingApi', data),
		name: 'Sandbox',
	};
}
