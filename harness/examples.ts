/** The content of `examples/`: workflows to import, and the people in them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Sandbox } from '../sandbox';
import type { N8nClient, WorkflowFile } from './n8n/client';
import { createTable, findTable } from './n8n/dataTables';
import { PROJECT_FOLDER } from './n8n/packProject';
import { ACTION, TRIGGER } from './n8n/workflow';

const EXAMPLES_FOLDER = path.join(PROJECT_FOLDER, 'examples');
/** Published after the import. The others need something from the user, e.g. an AI account, or would also reply. */
const SWITCHED_ON = ['auto-reply', 'campaign-results', 'inbox', 'opt-outs'];
/** The segment that the survey is sent to. */
const SAMPLE_SEGMENT = 'new-customers';
/** The data table in n8n that contains the recipients of the campaign. */
const SAMPLE_SHEET = 'New customers';

/** A credential that is stored in n8n. */
export type CredentialReference = { id: string; name: string };

/** The names of the workflows, e.g. `auto-reply`. */
export function exampleNames(): string[] {
	const files = readdirSync(EXAMPLES_FOLDER).filter((file) => file.endsWith('.json'));
	return files.map((file) => path.basename(file, '.json'));
}

/** An example, e.g. `auto-reply`; its nodes of our package use the credential. */
export function readExample(name: string, credential: CredentialReference): WorkflowFile {
	const text = readFileSync(path.join(EXAMPLES_FOLDER, `${name}.json`), 'utf8');
	const workflow = JSON.parse(text) as WorkflowFile;
	for (const node of workflow.nodes) {
		// The types of the trigger and of the AI tool begin with the type of the action node.
		if (node.type.startsWith(ACTION)) node.credentials = { businessMessagingApi: credential };
	}
	return workflow;
}

/** The workflow after the user has switched on sending: examples that send on a click are in *Preview* at first. */
export function thatSends(file: WorkflowFile): WorkflowFile {
	for (const { parameters } of file.nodes)
		if (parameters.mode === 'preview') parameters.mode = 'send';
	return file;
}

/**
 * Imports the workflows and publishes those that react to customers and receipts. If there are workflows already,
 * nothing changes, so the user's changes and deletions stay.
 */
export async function importExamples(
	client: N8nClient,
	credential: CredentialReference,
): Promise<void> {
	if ((await client.listWorkflows()).length > 0) return;
	for (const name of exampleNames()) {
		const { id } = await client.createWorkflow(readExample(name, credential));
		if (SWITCHED_ON.includes(name)) await client.activate(id);
	}
}

/**
 * Registers the triggers of active workflows again: a sandbox forgets them when it ends, and n8n registers them only
 * when a workflow is published. Returns a sentence for each workflow that could not be published.
 */
export async function registerAgain(client: N8nClient): Promise<string[]> {
	const problems: string[] = [];
	for (const { id, name } of (await client.listWorkflows()).filter(({ active }) => active)) {
		const { nodes, activeVersionId } = await client.getWorkflow(id);
		if (!nodes.some(({ type, disabled }) => type === TRIGGER && !disabled)) continue;
		await client.deactivate(id);
		await client.activate(id, activeVersionId ?? undefined).catch((error: Error) => {
			problems.push(`The workflow "${name}" could not be published: ${error.message}`);
		});
	}
	return problems;
}

/** A line of `examples/contacts.csv`. The numbers (E.164) belong to ranges that are set aside for fiction. */
export type SampleContact = { name: string; phone: string };

/** The people of `examples/contacts.csv`. */
export function readSampleContacts(): SampleContact[] {
	const file = readFileSync(path.join(EXAMPLES_FOLDER, 'contacts.csv'));
	const lines: SampleContact[] = parse(file, { columns: true });
	return lines.map(({ name, phone }) => ({ name, phone: phone.replaceAll(' ', '') }));
}

/** Adds these people to the contacts of the sandbox, now and after each of its resets. */
export function addSampleContacts(sandbox: Sandbox): void {
	const add = () => {
		for (const contact of readSampleContacts())
			sandbox.state.contacts.create({ ...contact, segments: [SAMPLE_SEGMENT] });
	};
	add();
	sandbox.changes.on('reset', add);
}

/** Adds these people to a data table in n8n. An existing table is not changed. */
export async function addSampleSheet(client: N8nClient): Promise<void> {
	if (await findTable(client, SAMPLE_SHEET)) return;
	await createTable(client, SAMPLE_SHEET, readSampleContacts());
}
