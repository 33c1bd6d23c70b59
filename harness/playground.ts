import { rm } from 'node:fs/promises';
import path from 'node:path';
import { startSandbox, type Sandbox, type SandboxOptions } from '../sandbox';
import { step, UserError } from './cli';
import { addSampleContacts, addSampleSheet, type CredentialReference } from './examples';
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
	const sandbox = await startSandbox({ ...options.sandbox, port: sandboxPort, sampleContacts: 0 });
	addSampleContacts(sandbox);
	const start = async () => await startN8n({ userFolder, port, env, packages: [tarball], install });
	const n8n = await step(`Starting n8n ${install.version}`, start);
	if (!options.tarball) await rm(path.dirname(tarball), { recursive: true, force: true });
	const { client } = n8n;
	const types = await client.nodeTypes();
	if (!types.some(({ name }) => name === ACTION))
		throw new UserError(`n8n could not load the nodes (its log: ${n8n.logFile}).`);
	await addSampleSheet(client);
	const { url: baseUrl, key: apiKey } = sandbox;
	const service = { apiKey, baseUrl, apiPath: 'automatic', requestsPerMinute: 1000 };
	const values = { ...service, ...options.credential };
	const name = 'Sandbox';
	const credential = {
		id: await client.saveCredential(name, 'businessMessagingApi', values),
		name,
	};
	const close = async () => {
		await n8n.stop();
		await sandbox.close();
	};
	return { n8n, sandbox, credential, reload: async () => await reload(n8n), close };
}

async function reload(n8n: N8nServer): Promise<void> {
	const tarball = await step('Building the nodes again', packProject);
	await n8n.stop();
	await installPackage(tarball, n8n.place.userFolder);
	await rm(path.dirname(tarball), { recursive: true, force: true });
	await step('Starting n8n with them', async () => await n8n.start());
}
