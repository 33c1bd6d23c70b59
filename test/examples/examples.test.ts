/** The files of examples/: what holds for each of them without an n8n. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { uniq } from 'lodash';
import type { INode, INodeTypeDescription } from 'n8n-workflow';

import { BusinessMessaging } from '../../nodes/BusinessMessaging/BusinessMessaging.node';
import { BusinessMessagingTrigger } from '../../nodes/BusinessMessaging/BusinessMessagingTrigger.node';
import { exampleNames } from '../../tools/examples';
import type { WorkflowFile } from '../../tools/n8n/client';
import { root } from '../support/build';
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

const read = (name: string) => readFileSync(path.join(root, 'examples', `${name}.json`), 'utf8');
const isNote = ({ type }: INode) => type === 'n8n-nodes-base.stickyNote';
test('the table of the README lists each of them', () => {
	const listed = [
		...readFileSync(path.join(root, 'examples', 'README.md'), 'utf8').matchAll(
			/\]\(([\w-]+)\.json\)/g,
		),
	].map(([, name]) => name);
	expect(uniq(listed).sort()).toEqual(exampleNames().sort());
});

describe.each(exampleNames())('%s', (name) => {
	const text = read(name);
	const file = JSON.parse(text) as WorkflowFile;
	const notes = file.nodes.filter(isNote);
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

	test('says in notes what it does and what to do', () => {
		expect(notes[0].parameters.content).toMatch(/^## .+\n[^]+\n### .+\n1\. /);
	});

	test('has each node connected', () => {
		const links = Object.entries(file.connections).flatMap(([from, types]) =>
			Object.values(types).flatMap((outputs) =>
				outputs.flatMap((targets) => (targets ?? []).flatMap(({ node }) => [from, node])),
			),
		);
		expect(uniq(links).sort()).toEqual(nodes.map((node) => node.name).sort());
	});

	test('stands tidily: no node covers another', () => {
		const crowded = nodes.filter(({ position: [x, y] }, index) =>
			nodes.slice(index + 1).some((other) => {
				const [otherX, otherY] = other.position;
				return Math.abs(x - otherX) < 96 && Math.abs(y - otherY) < 96 + 64;
			}),
		);
		expect(crowded.map((node) => node.name)).toEqual([]);
	});
});
