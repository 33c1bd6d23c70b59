import { rm } from 'node:fs/promises';
import path from 'node:path';
import { startSandbox, type Sandbox, type SandboxOptions } from '../sandbox';
import { step, UserError } from './cli';
import { addSampleContacts, addSampleSheet, type CredentialReference } from './examples';
import { N8nClient, type Owner } from './n8n/client';
import { installN8n } from './n8n/install';
import { installPackage, packProject } from './n8n/packProject';
import { startN8n, type N8nServer } from './n8n/server';
import { ACTION } from './n8n/workflow';

interface PlaygroundOptions {
	/** The folder for everything that is stored: n8n's user folder, its log, the log-in. */
	folder: string;
	/** By default free ports. */
	n8nPort?: number;
	sandboxPort?: number;
	/** The behavior of the sandbox; by default as specified. */
	sandbox?: Omit<SandboxOptions, 'port' | 'sampleContacts'>;
	/** A tarball of the nodes; by default, the project is built and packed. */
	tarball?: string;
	env?: NodeJS.ProcessEnv;
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
	close: () => Promise<void>;
}

/** Builds, packs and starts everything, and stores the credential in n8n. @throws UserError in one sentence */
export async function openPlayground(options: PlaygroundOptions): Promise<Playground> {
	const { folder: userFolder, n8nPort: port, sandboxPort = 0, env } = options;
	const install = await installN8n();
	const tarball = options.tarball ?? (await step('Building and packing the nodes', packProject));
	const sandbox = await openSandbox({ ...options.sandbox, port: sandboxPort });
	const start = async () => await startN8n({ userFolder, port, env, packages: [tarball], install });
	const n8n = await step(`Starting n8n ${install.version}`, start);
	if (!options.tarball) await rm(path.dirname(tarball), { recursive: true, force: true });
	if (!(await hasNodes(n8n.client)))
		throw new UserError(`n8n could not load the nodes (its log: ${n8n.logFile}).`);
	await addSampleSheet(n8n.client);
	const values = { ...credentialFor(sandbox), ...options.credential };
	const name = 'Sandbox';
	const id = await n8n.client.saveCredential(name, credentialType, values);
	const close = async () => {
		await n8n.stop();
		await sandbox.close();
	};
	return { n8n, sandbox, credential: { id, name }, reload: async () => await reload(n8n), close };
}

/** An n8n that somebody else has started with these nodes, beside a sandbox. */
export type Visit = Pick<Playground, 'sandbox' | 'credential' | 'close'> & { client: N8nClient };

/**
 * Starts a sandbox for an n8n that runs already on this machine, and stores a credential in it, which `close` deletes.
 * @throws UserError if n8n cannot be reached, refuses the log-in, or has not loaded the nodes
 */
export async function visitN8n(url: string, owner: Owner): Promise<Visit> {
	const client = new N8nClient(url);
	await client.login(owner).catch((error: Error) => {
		throw new UserError(`Could not log in to n8n at ${url} as ${owner.email}: ${error.message}.`);
	});
	if (!(await hasNodes(client)))
		throw new UserError(
			`n8n at ${url} has not loaded these nodes. Install them in it, and restart it: CONTRIBUTING.md, "Install a version that is not on npm".`,
		);
	await addSampleSheet(client);
	const sandbox = await openSandbox({});
	const name = `Sandbox ${sandbox.url}`;
	const id = await client.createCredential(name, credentialType, credentialFor(sandbox));
	const close = async () => {
		await client.deleteCredential(id);
		await sandbox.close();
	};
	return { client, sandbox, credential: { id, name }, close };
}

const credentialType = 'businessMessagingApi';

async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
	const sandbox = await startSandbox({ port: 0, ...options, sampleContacts: 0 });
	addSampleContacts(sandbox);
	return sandbox;
}

async function hasNodes(client: N8nClient): Promise<boolean> {
	return (await client.nodeTypes()).some(({ name }) => name === ACTION);
}

const credentialFor = ({ url: baseUrl, key: apiKey }: Sandbox) => ({
	...{ apiKey, baseUrl, apiPath: 'automatic', requestsPerMinute: 1000 },
});

async function reload(n8n: N8nServer): Promise<void> {
	const tarball = await step('Building the nodes again', packProject);
	await n8n.stop();
	await installPackage(tarball, n8n.place.userFolder);
	await rm(path.dirname(tarball), { recursive: true, force: true });
	await step('Starting n8n with them', async () => await n8n.start());
}
