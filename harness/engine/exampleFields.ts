/** Evaluates expressions in the workflows of `examples/` as n8n does. */
import get from 'lodash/get';
import { type IDataObject, Workflow } from 'n8n-workflow';

import type { WorkflowFile } from '../n8n/client';
import { readText } from './files';
import { start } from './loadPackage';

/**
 * The value of a node's field in an example, for an item. `others` replaces expressions for other nodes, so that they
 * are read from the item, e.g. `$('Person').item.json` by `$json`.
 */
export function exampleField(
	example: string,
	name: string,
	field: string,
	json: IDataObject,
	others: Record<string, string> = {},
): unknown {
	const { nodes } = JSON.parse(readText(`examples/${example}.json`)) as WorkflowFile;
	const own = nodes.filter((node) => node.name === name);
	// The HTML node writes expressions without a leading =.
	let expression = `=${String(get(own[0].parameters, field)).replace(/^=/, '')}`;
	for (const [other, value] of Object.entries(others))
		expression = expression.replaceAll(other, value);
	const getType = () => start;
	const nodeTypes = { getByName: getType, getByNameAndVersion: getType, getKnownTypes: () => ({}) };
	const workflow = new Workflow({ nodes: own, connections: {}, active: false, nodeTypes });
	const given = [{ json }];
	return workflow.expression.getParameterValue(expression, null, 0, 0, name, given, 'trigger', {});
}
