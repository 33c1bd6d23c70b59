/** The workflows of examples/ as tests use them: stored, with other values in some of their nodes. */
import type { INode } from 'n8n-workflow';

import { readExample } from '../../../tools/examples';
import type { WorkflowFile } from '../../../tools/n8n/client';
import type { RealN8n } from './n8n';

/** Changes to nodes, by their names. */
export type Changes = Record<string, (node: INode) => void>;

/** An example for the n8n of the tests, whose executions are kept. @throws Error if it has no node of a name */
export function example(
	{ playground }: RealN8n,
	name: string,
	changes: Changes = {},
): WorkflowFile {
	const file = readExample(name, playground.credential);
	for (const [wanted, change] of Object.entries(changes)) {
		const node = file.nodes.find((candidate) => candidate.name === wanted);
		if (!node) throw new Error(`There is no node "${wanted}".`);
		change(node);
	}
	return { ...file, settings: { ...file.settings, saveManualExecutions: true } };
}

/** Gives a node other parameters. */
export const withParameters = (parameters: INode['parameters']) => (node: INode) => {
	Object.assign(node.parameters, parameters);
};

/** Fills in fields of an Edit Fields node. */
export const withFields = (values: Record<string, string>) => (node: INode) => {
	const { assignments } = node.parameters.assignments as {
		assignments: Array<{ name: string; value: unknown }>;
	};
	for (const field of assignments) field.value = values[field.name] ?? field.value;
};

/** Values of the auto-reply's opening hours that are never over. */
export const alwaysOpen = {
	openDays: 'Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday',
	opensAt: '00:00',
	closesAt: '24:00',
	closedOn: '',
};

/** Stores a workflow and switches it on for a while; `use` gets its id. */
export async function whileOn(
	{ client }: RealN8n,
	file: WorkflowFile,
	use: (id: string) => Promise<void>,
): Promise<void> {
	const { id } = await client.createWorkflow(file);
	await client.activate(id);
	try {
		await use(id);
	} finally {
		await client.deactivate(id);
	}
}
