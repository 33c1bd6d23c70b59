/** Workflows as code: nodes in a row, written in few lines. */
import { randomUUID } from 'node:crypto';
import type { IConnections, INode, INodeParameters, NodeConnectionType } from 'n8n-workflow';
import type { WorkflowFile } from './client';

/** The types of our nodes in workflows. */
export const ACTION = 'n8n-nodes-business-messaging.businessMessaging';
export const TRIGGER = 'n8n-nodes-business-messaging.businessMessagingTrigger';

/** A node; `more` has further settings, e.g. its credentials. */
export function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: INodeParameters = {},
	more: Partial<INode> = {},
): INode {
	return { id: randomUUID(), name, type, typeVersion, position: [0, 0], parameters, ...more };
}

/** A credential of ours for a node. */
export function withCredential(id: string): Partial<INode> {
	return { credentials: { businessMessagingApi: { id, name: 'Service' } } };
}

/** The connections of one node: the first target follows its first output, and so on. */
export function to(targets: string[], type: NodeConnectionType = 'main'): IConnections[string] {
	return { [type]: targets.map((target) => [{ node: target, type, index: 0 }]) };
}

/** Two nodes that output one item for each record of a list. The list is given as an expression or JSON. */
export function listNodes(value: string): INode[] {
	const assignments = [{ id: '1', name: 'records', type: 'array', value }];
	return [
		node('List', 'n8n-nodes-base.set', 3.4, { assignments: { assignments }, options: {} }),
		node('Items', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'records', options: {} }),
	];
}

/** A workflow of nodes in a row, whose executions n8n keeps. */
export function workflow(
	name: string,
	nodes: INode[],
	connections: IConnections = Object.fromEntries(
		nodes.slice(1).map(({ name: next }, index) => [nodes[index].name, to([next])]),
	),
): WorkflowFile {
	const row = nodes.map((one, index) => ({
		...one,
		position: [one.position[0] || 220 * index, one.position[1]] as [number, number],
	}));
	const settings = { executionOrder: 'v1' as const, saveManualExecutions: true };
	return { name, nodes: row, connections, settings };
}
