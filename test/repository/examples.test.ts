/** The files of examples/: what holds for each of them without an n8n. */
import { uniq } from 'lodash';
import type { INode, INodeTypeDescription } from 'n8n-workflow';

import { BusinessMessaging } from '../../nodes/BusinessMessaging/BusinessMessaging.node';
import { BusinessMessagingTrigger } from '../../nodes/BusinessMessaging/BusinessMessagingTrigger.node';
import { exampleNames } from '../../tools/examples';
import type { WorkflowFile } from '../../tools/n8n/client';
import { readText } from '../support/files';
import { nodeIssues } from '../support/nodeIssues';

const ours = 'n8n-nodes-business-messaging.';
const action = new BusinessMessaging().description;
/** By the part of the type behind the package's name. n8n makes the tool from the action node, with a description for the AI. */
const descriptions: Record<string, INodeTypeDescription> = {
	businessMessaging: action,
	businessMessagingTrigger: new BusinessMessagingTrigger().description,
	businessMessagingTool: action,
};
const writtenForAi = ['descriptionType', 'toolDescription'];

const isNote = ({ type }: INode) => type === 'n8n-nodes-base.stickyNote';

describe.each(exampleNames())('%s', (name) => {
	const text = readText(`examples/${name}.json`);
	const file = JSON.parse(text) as WorkflowFile;
	const nodes = file.nodes.filter((node) => !isNote(node));

	test('uses our nodes as they are', () => {
		const mine = nodes.filter(({ type }) => type.startsWith(ours));
		const issues = mine.flatMap((node) => {
			const parameters = Object.fromEntries(
				Object.entries(node.parameters).filter(([key]) => !writtenForAi.includes(key)),
			);
			return nodeIssues({ ...node, parameters }, descriptions[node.type.slice(ours.length)]);
		});
		expect(mine).not.toEqual([]);
		expect(issues).toEqual([]);
	});

	test('holds nothing but a workflow: no credentials, no data of a run, nothing of the n8n it comes from, no code', () => {
		expect(Object.keys(file).sort()).toEqual(['connections', 'name', 'nodes', 'settings']);
		expect(file.nodes.filter(({ credentials }) => credentials)).toEqual([]);
		expect(nodes.filter(({ type }) => /\.(code|function|functionItem)$/.test(type))).toEqual([]);
		expect(text).not.toMatch(/bearer|api[_-]?key|password|secret"|sk-\w{8}/i);
	});

	test('says in notes what it does and what to do, and has each node connected', () => {
		const [note] = file.nodes.filter(isNote);
		expect(note.parameters.content).toMatch(/^## .+\n[^]+\n### .+\n1\. /);
		const links = Object.entries(file.connections).flatMap(([from, types]) =>
			Object.values(types).flatMap((outputs) =>
				outputs.flatMap((targets) => (targets ?? []).flatMap(({ node }) => [from, node])),
			),
		);
		expect(uniq(links).sort()).toEqual(nodes.map((node) => node.name).sort());
	});
});
