/** The properties of the action node: dropdowns, display conditions and their order, derived from the operations. */
import type { INodeProperties, IWebhookDescription } from 'n8n-workflow';
import { pick, sortBy, startCase, uniq, upperFirst } from 'lodash';

import * as operationModules from './operations';
import { showFor } from './operations/fields';
import type { Operation, Resource } from './operations/operation';

/** The most used operation of each resource, which is the default. In the dropdown, it stays in alphabetical order, as n8n requires. */
const mostUsed = [
	'sendText',
	'sendTemplate',
	'upsert',
	'getAll',
	'getCurrent',
	'getMessageStatistics',
];

/** All operations of the node, by resource. */
export const operations: Operation[] = sortBy(Object.values(operationModules), [
	'resource',
	({ value }) => (mostUsed.includes(value) ? mostUsed.indexOf(value) : mostUsed.length),
	({ name }) => name.toLowerCase(),
]);

const resources = uniq(operations.map(({ resource }) => resource));

const resourceField: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: resources.map((value) => ({ name: upperFirst(value), value })),
	default: 'message',
};

function operationField(resource: Resource): INodeProperties {
	const own = operations.filter((operation) => operation.resource === resource);
	const firstOperation = own[0].value;
	const shown = sortBy(own, ({ name }) => name.toLowerCase());
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: shown.map((one) => pick(one, ['name', 'value', 'action', 'description'])),
		default: firstOperation,
	};
}

function fieldsOf({ fields, resource, value }: Operation): INodeProperties[] {
	return fields.map((field) => showFor(field, { resource: [resource], operation: [value] }));
}

/** The properties of the action node. */
export const properties: INodeProperties[] = [
	resourceField,
	...resources.map(operationField),
	...operations.flatMap(fieldsOf),
];

/** The webhooks to which n8n sends requests while an execution waits. */
export const replyWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		path: '={{ $nodeId }}',
		restartWebhook: true,
		isFullPath: true,
	},
];

/** Finds an operation by what a workflow has saved. */
export function findOperation(resource: string, value: string): Operation | undefined {
	return operations.find(
		(operation) => operation.resource === resource && operation.value === value,
	);
}

const titles = Object.fromEntries(
	operations.map(({ resource, value, name, action }) => {
		const title = startCase(action).replace(/ (Or|And|For) /g, (word) => word.toLowerCase());
		return [`${resource} ${value}`, resource === 'message' ? name : title];
	}),
);

/** What the canvas shows under the name of the node, e.g. "Send Template" or "Create Contact". */
export const subtitle = `={{ (${JSON.stringify(titles)})[$parameter.resource + " " + $parameter.operation] }}`;
