import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { INode } from 'n8n-workflow';
import type { N8nClient, StoredWorkflow, WorkflowFile } from './n8n/client';
import { PROJECT_FOLDER } from './n8n/package';

const FOLDER = path.join(PROJECT_FOLDER, 'examples');
const OUR_NODES = 'n8n-nodes-business-messaging.';
const OUR_TRIGGER = `${OUR_NODES}businessMessagingTrigger`;
/** The others wait for something of the user's, e.g. an account for the AI, or would answer the customers as well. */
const SWITCHED_ON = ['auto-reply'];

/** A credential that n8n keeps. */
export interface CredentialReference {
	id: string;
	name: string;
}

/** The names of the workflows in `examples/`, e.g. `auto-reply`. */
export function exampleNames(): string[] {
	return readdirSync(FOLDER)
		.filter((file) => file.endsWith('.json'))
		.map((file) => path.basename(file, '.json'));
}

/** A workflow of `examples/`, e.g. `auto-reply`, whose nodes of ours use the credential. */
export function readExample(name: string, credential: CredentialReference): WorkflowFile {
	const workflow = JSON.parse(
		readFileSync(path.join(FOLDER, `${name}.json`), 'utf8'),
	) as WorkflowFile;
	const withCredential = (node: INode): INode =>
		node.type.startsWith(OUR_NODES)
			? { ...node, credentials: { businessMessagingApi: credential } }
			: node;
	return { ...workflow, nodes: workflow.nodes.map(withCredential) };
}

/**
 * Imports the workflows of `examples/` that were not imported before, and switches on the one that answers customers.
 * What the user has changed or deleted since stays so.
 * @param memory file that remembers what was imported
 */
export async function importExamples(
	client: N8nClient,
	credential: CredentialReference,
	memory: string,
): Promise<void> {
	const known = existsSync(memory) ? (JSON.parse(readFileSync(memory, 'utf8')) as string[]) : [];
	for (const name of exampleNames().filter((candidate) => !known.includes(candidate))) {
		const workflow = await client.createWorkflow(readExample(name, credential));
		known.push(name);
		writeFileSync(memory, `${JSON.stringify(known, null, 2)}\n`);
		if (SWITCHED_ON.includes(name)) await client.activate(workflow.id);
	}
}

/**
 * Has the workflows that are switched on register their triggers again: a sandbox forgets them when it ends, and n8n
 * registers them when a workflow is switched on, not when n8n starts.
 */
export async function registerAgain(client: N8nClient): Promise<void> {
	for (const { id, active } of await client.listWorkflows()) {
		if (!active) continue;
		const workflow = await client.getWorkflow(id);
		if (!startsWithMessages(workflow)) continue;
		await client.deactivate(id);
		await client.activate(id, workflow.activeVersionId ?? undefined);
	}
}

function startsWithMessages({ nodes }: Pick<StoredWorkflow, 'nodes'>): boolean {
	return nodes.some(({ type, disabled }) => type === OUR_TRIGGER && !disabled);
}
