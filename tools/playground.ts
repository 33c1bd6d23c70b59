import { rm } from 'node:fs/promises';
import path from 'node:path';
import { startSandbox, type Sandbox, type SandboxOptions } from '../sandbox';
import type { CredentialReference } from './exampleWorkflows';
import { installN8n } from './n8n/install';
import { startN8n, type N8nServer } from './n8n/server';
import { installPackage, packProject } from './n8n/package';
import { freePort } from './ports';
import { step } from './progress';
import { recordPackage } from './n8n/recordPackage';
import { addSampleContacts, addSampleSheet } from './sampleContacts';

/** The name of the package, as n8n knows it. */
const PACKAGE = 'n8n-nodes-business-messaging';

/** What {@link openPlayground} shall open. */
export interface PlaygroundOptions {
	/** Everything that is kept: n8n's user folder, its log, the log-in. */
	folder: string;
	/** A free one unless told. */
	n8nPort?: number;
	/** A free one unless told. */
	sandboxPort?: number;
	/** How the sandbox behaves; as specified unless told. */
	sandbox?: Omit<SandboxOptions, 'port' | 'sampleContacts'>;
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
	const tarball = await step('Building and packing the nodes', packProject);
	const sandbox = await startSandbox({ ...options.sandbox, port: sandboxPort, sampleContacts: 0 });
	let n8n: N8nServer | undefined;
	const close = async () => {
		await n8n?.stop();
		await sandbox.close();
	};
	try {
		addSampleContacts(sandbox);
		const port = n8nPort ?? (await freePort());
		n8n = await step(
			`Starting n8n ${install.version}`,
			async () => await startN8n({ userFolder: folder, port, packages: [tarball], install }),
		);
		await recordPackage(n8n, PACKAGE);
		await addSampleSheet(n8n.client);
		const credential = await saveCredential(n8n, sandbox, options.credential);
		const reload = async () => await reloadNodes(n8n as N8nServer);
		return { n8n, sandbox, credential, reload, close };
	} catch (error) {
		await close();
		throw error;
	} finally {
		await rm(path.dirname(tarball), { recursive: true, force: true });
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
	n8n: N8nServer,
	{ url, key }: Sandbox,
	values: PlaygroundOptions['credential'],
): Promise<CredentialReference> {
	const name = 'Sandbox';
	const data = {
		apiKey: key,
		baseUrl: url,
		apiPath: 'automatic',
		requestsPerMinute: 1000,
		...values,
	};
	return { id: await n8n.client.saveCredential(name, 'businessMessagingApi', data), name };
}
